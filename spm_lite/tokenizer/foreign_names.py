"""Names and arguments that other libraries have for what a Tokenizer does, and what to write here.

A name of another library is an error that says it. A name of an older version still works, with a DeprecationWarning.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

FOREIGN_NAMES = {  # name there -> what to write here
    "from_file": "Tokenizer.load(path), which reads tokenizer.json too, as from_tokenizer_json did",
    "from_bytes": "Tokenizer.load(data), with the bytes of a model file or of a tokenizer.json",
    "from_buffer": "Tokenizer.load(data), with the bytes of a model file or of a tokenizer.json",
    "from_str": "Tokenizer.load(text), with the text of a tokenizer_json",
    "from_pretrained": (
        "Tokenizer.load(folder), or from_hf(folder), with a folder that is here. Nothing is downloaded: "
        "huggingface_hub.snapshot_download(name) gives the folder of a name"
    ),
    "save_pretrained": "to_hf(folder), or save(path), which writes a model file",
    "save_model": "save(path)",
    "to_file": "save(path)",
    "tokenize": "pieces(text)",
    "encode_as_ids": "encode(text)",
    "encode_as_pieces": "pieces(text)",
    "encode_ordinary": "encode(text)",
    "encode_ordinary_batch": "encode_lists(texts)",
    "batch_encode": "encode_batch(texts) or encode_lists(texts)",
    "batch_encode_plus": "encode_batch(texts) or encode_lists(texts)",
    "encode_plus": "encode(text)",
    "batch_decode": "decode_batch(batch)",
    "detokenize": "decode(ids)",
    "token_to_id": "piece_to_id(piece)",
    "convert_tokens_to_ids": "piece_to_id(piece) for each piece",
    "encode_single_token": "piece_to_id(piece)",
    "id_to_token": "id_to_piece(piece_id)",
    "convert_ids_to_tokens": "id_to_piece(piece_id) for each id",
    "decode_single_token_bytes": "token_bytes(piece_id)",
    "vocab": "get_vocab()",
    "get_vocab_size": "vocab_size",
    "get_piece_size": "vocab_size",
    "n_vocab": "vocab_size",
    "unk_token_id": "unk_id",
    "bos_token_id": "bos_id",
    "eos_token_id": "eos_id",
    "pad_token_id": "pad_id",
    "add_tokens": "add_pieces(pieces), which returns a new Tokenizer",
    "add_special_tokens": "add_pieces(pieces, control=True), which returns a new Tokenizer",
}


FOREIGN_ARGUMENTS = {  # argument there -> what to write here
    "add_special_tokens": "no special id is added unless bos=True or eos=True is given",
    "add_bos": "write bos=True",
    "add_eos": "write eos=True",
    "allowed_special": "write allow_special=[names], the special tokens that the text may spell",
    "disallowed_special": "leave it out: text becomes a special token only where allow_special names it",
    "truncation": "truncate(text, n, bos=..., eos=...) gives the text of at most n ids, and chunks(text, n) cuts it",
    "max_length": "truncate(text, n, bos=..., eos=...) gives the text of at most n ids, and chunks(text, n) cuts it",
    "padding": "encode_batch(texts).to_padded() pads, and to_torch() gives the mask too",
    "return_tensors": "encode_batch(texts).to_torch() gives padded tensors and their mask",
    "is_pretokenized": "leave it out, and join the words by spaces",
    "out_type": "encode gives ids, and pieces(text) gives pieces",
    "enable_sampling": "sample(text, alpha=...) draws a segmentation",
    "skip_special_tokens": "leave it out: decode writes no special token",
    "clean_up_tokenization_spaces": "leave it out: decode gives the text as it was",
    "alpha": "sample_batch(texts, alpha=...) draws segmentations",
    "dropout": "sample_batch(texts, dropout=...) draws segmentations",
    "seed": "sample_batch(texts, seed=...) draws segmentations",
}


def refuse_arguments(call: str, other: Iterable[str]) -> NoReturn:
    """Raise TypeError, as Python does, for arguments that a method does not have, with what to write instead."""
    name = next(iter(other))
    hint = FOREIGN_ARGUMENTS.get(name)
    raise TypeError(f"Tokenizer.{call}() got an unexpected keyword argument {name!r}{f': {hint}' if hint else ''}")


class ForeignName:
    """An attribute that is not there: reading it raises an AttributeError with the name to use instead."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, obj: object, kind: type | None = None) -> NoReturn:
        raise AttributeError(f"a Tokenizer has no attribute {self.name!r}: use {FOREIGN_NAMES[self.name]}")


class OldName:
    """A member of version 0.1: it works, and says what to write."""

    __slots__ = ("call", "name", "new")

    def __init__(self, name: str, new: str, call: Callable[..., Any]) -> None:
        self.name, self.new, self.call = name, new, call

    def __get__(self, obj: Any, kind: type | None = None) -> Any:
        import warnings

        warnings.warn(
            f"Tokenizer.{self.name} is gone after this version: write {self.new}", DeprecationWarning, stacklevel=2
        )
        return self.call(kind if obj is None else obj)


def is_of_type(name: str) -> Callable[[Any], Callable[[int], bool]]:
    """What an old method such as `is_byte` does."""
    return lambda tok: lambda piece_id: tok.piece_type(piece_id) == name


def in_lattice(name: str) -> Callable[[Any], Any]:
    """The method of `lattice` that was one of a Tokenizer."""
    return lambda tok: getattr(tok.lattice, name)


def patches_of(tok: Any) -> Callable[..., Any]:
    """What `patches` did: patches of the ids of one text."""
    from spm_lite.texts.batch import Batch

    return lambda ids, size, *, pad_id=None: Batch.from_lists([ids], tok.pad_id).patches(size, pad_id)


def cache_of(tok: Any) -> Callable[[], Any]:
    """What `cache_info` did."""
    from spm_lite.tokenizer.results import CacheInfo

    return lambda: CacheInfo(tok.info.cache_used, tok.info.cache_limit)


def count_up_to(tok: Any) -> Callable[..., int]:
    """What `count_up_to` did."""
    return lambda text, limit, **options: tok.count(text, limit=limit, **options)


OLD_NAMES = {  # name -> what to write, and what it gives for a Tokenizer
    **{
        f"is_{name}": (f"piece_type(piece_id) == {name!r}", is_of_type(name))
        for name in ("normal", "unknown", "control", "user_defined", "unused", "byte")
    },
    **{
        name: (f"lattice.{name}(...)", in_lattice(name))
        for name in (
            "nbest_batch", "samples", "samples_batch", "log_prob", "log_prob_batch", "entropy", "entropy_batch",
            "expected_counts", "expected_counts_batch",
        )
    },
    **{
        name: (f"info.{name}", lambda tok, name=name: getattr(tok.info, name))
        for name in ("is_lossless", "is_strict", "split_pattern")
    },
    "cache_info": ("info.cache_used and info.cache_limit", cache_of),
    "count_up_to": ("count(text, limit=n)", count_up_to),
    "patches": ("encode_batch(texts).patches(size)", patches_of),
    "stream_bytes": ("stream(as_bytes=True)", lambda tok: lambda: tok.stream(as_bytes=True)),
}  # fmt: skip
HIDDEN = {*FOREIGN_NAMES, *OLD_NAMES}


class WithoutForeignNames(type):
    """The class of Tokenizer: its `dir`, and so its help, leaves foreign and old names out."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in HIDDEN]


class ForeignNames(EncodingMethods, metaclass=WithoutForeignNames):
    """The part of a Tokenizer that knows how other libraries call its methods.

    The names are put here by a loop, so that no editor offers them and no type checker accepts them. A `__getattr__`
    would do the same, but makes every call of a method slower.
    """

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in HIDDEN]

    if not TYPE_CHECKING:

        def __call__(self, *_: object, **__: object) -> NoReturn:
            raise ArgumentTypeError(
                "a Tokenizer is not a function: use encode(text) for one text, encode_batch(texts) or "
                "encode_lists(texts) for many, and encode_batch(texts).to_torch() for padded tensors with their mask"
            )


for _name in FOREIGN_NAMES:
    setattr(ForeignNames, _name, ForeignName(_name))
for _name, (_new, _call) in OLD_NAMES.items():
    setattr(ForeignNames, _name, OldName(_name, _new, _call))
