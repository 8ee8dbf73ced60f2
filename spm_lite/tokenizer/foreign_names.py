"""Names and arguments that other libraries have for what a Tokenizer does, and what to write here.

A name of another library is an error that says it. A name of an older version still works, with a DeprecationWarning.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

SPECIALS = "info.special_tokens, a dict of names and ids"
UNCALLED = ", without brackets"  # after the name of an attribute
PIECES_TO_TEXT = "decode([tok.piece_to_id(piece) for piece in pieces])"
SEVERAL = ("ids", "pieces", "proto", "numpy")  # what sentencepiece gives, at the ends of names
OF_SENTENCEPIECE = {  # name there that is none here -> what to write here
    "from_proto": "Tokenizer.load(data), with the bytes of a model file",
    "load_from_file": "Tokenizer.load(path)",
    "load_from_serialized_proto": "Tokenizer.load(data), with the bytes of a model file",
    "serialized_model_proto": "to_bytes()",
    **dict.fromkeys(("get_piece_size", "piece_size"), f"vocab_size{UNCALLED}"),
    "get_score": "score(piece_id)",
    "encode_as_ids": "encode(text)",
    **dict.fromkeys(("tokenize", "encode_as_pieces"), "pieces(text)"),
    "encode_as_numpy": "encode_batch([text]).ids, an array",
    **dict.fromkeys(("encode_as_proto", "encode_as_offset_mapping"), "spans(text), which gives places"),
    **dict.fromkeys(("nbest_encode", *(f"nbest_encode_as_{kind}" for kind in SEVERAL)), "nbest(text, n)"),
    **dict.fromkeys((f"sample_encode_as_{kind}" for kind in SEVERAL), "sample(text)"),
    **dict.fromkeys(
        ("parallel_encode", *(f"parallel_encode_as_{kind}" for kind in SEVERAL)),
        "encode_batch(texts) or encode_lists(texts), on many threads",
    ),
    **dict.fromkeys(("detokenize", "decode_ids"), "decode(ids)"),
    "decode_pieces": PIECES_TO_TEXT,
    **dict.fromkeys(("decode_ids_as_proto", "decode_pieces_as_proto"), "decode_spans(ids), which gives places"),
}
FOREIGN_NAMES = {  # name there -> what to write here
    "from_file": "Tokenizer.load(path), which reads tokenizer.json too, as from_tokenizer_json did",
    "from_bytes": "Tokenizer.load(data), with the bytes of a model file or of a tokenizer.json",
    "from_buffer": "Tokenizer.load(data), with the bytes of a model file or of a tokenizer.json",
    "from_str": "Tokenizer.load(text), with the text that from_tokenizer_json took",
    "from_pretrained": (
        "Tokenizer.load(folder), or from_hf(folder), with a folder that is here. Nothing is downloaded: "
        "huggingface_hub.snapshot_download(name) gives the folder of a name"
    ),
    "save_pretrained": "to_hf(folder), or save(path), which writes a model file",
    "save_model": "save(path)",
    "to_file": "save(path)",
    "to_huggingface": "to_hf(folder)",
    "to_transformers": "to_hf(folder)",
    "from_huggingface": "from_hf(folder)",
    "tokenize_batch": "pieces(text) for each text",
    "batch_tokenize": "pieces(text) for each text",
    "encode_ordinary": "encode(text)",
    "encode_ordinary_batch": "encode_lists(texts)",
    "batch_encode": "encode_batch(texts) or encode_lists(texts)",
    "batch_encode_plus": "encode_batch(texts) or encode_lists(texts)",
    **dict.fromkeys(("encode_batch_fast", "prepare_seq2seq_batch"), "encode_batch(texts) or encode_lists(texts)"),
    "async_encode": "encode(text), which asyncio.to_thread calls in a thread",
    **dict.fromkeys(
        ("async_encode_batch", "async_encode_batch_fast"),
        "encode_batch(texts), which asyncio.to_thread calls in a thread: it leaves the GIL to others",
    ),
    "async_decode_batch": "decode_batch(batch), which asyncio.to_thread calls in a thread",
    "encode_plus": "encode(text)",
    "encode_with_unstable": "growing(text), a text that grows: it says which ids change",
    "encode_special_tokens": "encode(text, allow_special=...), which says what special tokens a text may spell",
    "batch_decode": "decode_batch(batch)",
    "detokenize_batch": "decode_batch(batch)",
    "token_to_id": "piece_to_id(piece)",
    "convert_tokens_to_ids": "piece_to_id(piece) for each piece",
    "encode_single_token": "piece_to_id(piece)",
    "id_to_token": "id_to_piece(piece_id)",
    "convert_ids_to_tokens": "id_to_piece(piece_id) for each id",
    "decode_single_token_bytes": "token_bytes(piece_id)",
    "vocab": "get_vocab()",
    "get_vocab_size": f"vocab_size{UNCALLED}",
    "n_vocab": f"vocab_size{UNCALLED}",
    "unk_token_id": f"unk_id{UNCALLED}",
    "bos_token_id": f"bos_id{UNCALLED}",
    "eos_token_id": f"eos_id{UNCALLED}",
    "pad_token_id": f"pad_id{UNCALLED}",
    "bos_token": "id_to_piece(bos_id)",
    "eos_token": "id_to_piece(eos_id)",
    "unk_token": "id_to_piece(unk_id)",
    "pad_token": "id_to_piece(pad_id)",
    "cls_token_id": "bos_id, which begins a text",
    "sep_token_id": "eos_id, which ends a text",
    "mask_token_id": "piece_to_id('[MASK]'), or the name that the model has",
    "eot_token": "eos_id, or piece_to_id('<|endoftext|>')",
    "max_token_value": "vocab_size - 1",
    **dict.fromkeys(
        (
            "added_tokens_decoder",
            "added_tokens_encoder",
            "all_special_ids",
            "all_special_tokens",
            "all_special_tokens_extended",
            "get_added_tokens_decoder",
            "get_added_vocab",
            "special_tokens_map",
            "special_tokens_map_extended",
            "special_tokens_set",
        ),
        SPECIALS,
    ),
    **dict.fromkeys(
        ("is_special_token", "get_special_tokens_mask"), "piece_type(piece_id), which is 'control' for a special token"
    ),
    **dict.fromkeys(("decode_tokens_bytes", "token_byte_values"), "token_bytes(piece_id) for each id"),
    "decode_bytes_batch": "decode_bytes(ids) for each list of ids",
    "decode_with_offsets": "decode_spans(ids), with decode(ids) for the text",
    "encode_to_numpy": "encode_batch([text]).ids, an array",
    "convert_tokens_to_string": PIECES_TO_TEXT,
    **dict.fromkeys(
        ("build_inputs_with_special_tokens", "post_process", "post_processor", "prepare_for_model"),
        "encode(text, bos=True, eos=True)",
    ),
    "num_special_tokens_to_add": "encode(text, bos=True, eos=True), which adds one id each",
    **dict.fromkeys(("enable_padding", "pad", "padding"), "encode_batch(texts).to_padded()"),
    **dict.fromkeys(("enable_truncation", "truncation"), "encode_batch(texts).to_padded(truncate=n)"),
    "truncate_sequences": "encode(text)[:n]",
    "model": "model_type, without brackets, or info",
    "decoder": "decode(ids)",
    "normalizer": "normalize(text), which gives what a text becomes",
    "pre_tokenizer": "info.split_pattern, the pattern that cuts a text",
    "no_padding": "encode_batch(texts) without to_padded()",
    "no_truncation": "encode(text), which never truncates",
    "padding_side": "encode_batch(texts).to_padded(side='left')",
    "truncation_side": "encode(text)[:n] or encode(text)[-n:]",
    "model_max_length": "to_hf(folder, model_max_length=n), which writes it for transformers",
    **dict.fromkeys(
        ("chat_template", "get_chat_template", "save_chat_templates"),
        "to_hf(folder, chat_template=...), which writes it for transformers",
    ),
    **dict.fromkeys(
        ("apply_chat_template", "encode_message_with_chat_template"),
        "encode_chat(messages, template), which gives ids, masks and turns",
    ),
    "push_to_hub": "to_hf(folder), and huggingface_hub.upload_folder sends the folder",
    "save_vocabulary": "save(path)",
    "train_from_iterator": "spm_lite.train(texts, vocab_size=n)",
    "train_new_from_iterator": "spm_lite.train(texts, vocab_size=n)",
    "train": "spm_lite.train(texts, vocab_size=n)",
    "to_str": "save(path, format='tokenizer.json'), or to_bytes() for the bytes of a model",
    "add_tokens": "add_pieces(pieces), which returns a new Tokenizer",
    "add_special_tokens": "add_pieces(pieces, control=True), which returns a new Tokenizer",
}


def capitals(name: str) -> str:
    """A name in the other spelling of sentencepiece.

    >>> capitals("piece_to_id"), capitals("nbest_encode_as_ids")
    ('PieceToId', 'NBestEncodeAsIds')
    """
    return name.title().replace("_", "").replace("Nbest", "NBest")


FOREIGN_NAMES |= OF_SENTENCEPIECE
FOREIGN_NAMES |= {capitals(name): use for name, use in OF_SENTENCEPIECE.items()}
FOREIGN_NAMES |= {
    capitals(use.partition("(")[0]): use
    for use in ("encode(text)", "decode(ids)", "normalize(text)", "piece_to_id(piece)", "id_to_piece(piece_id)")
}
FOREIGN_NAMES |= {
    capitals(f"is_{kind}"): f"piece_type(piece_id) == {kind!r}" for kind in ("unknown", "control", "unused", "byte")
}
FOREIGN_NAMES["Load"] = "Tokenizer.load(path)"


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
        if obj is None and not self.name.startswith("from_"):
            raise AttributeError(f"Tokenizer.{self.name} is gone: of a Tokenizer, write {self.new}")
        return self.call(kind if obj is None else obj)


def is_of_type(name: str) -> Callable[[Any], Callable[[int], bool]]:
    """What an old method such as `is_byte` does."""
    return lambda tok: lambda piece_id: tok.piece_type(piece_id) == name


def in_lattice(name: str) -> Callable[[Any], Any]:
    """The method of `lattice` that was one of a Tokenizer."""
    return lambda tok: getattr(tok.lattice, name)


def in_info(name: str) -> Callable[[Any], Any]:
    """The field of `info` that was a property of a Tokenizer."""
    return lambda tok: getattr(tok.info, name)


def patches_of(tok: Any) -> Callable[..., Any]:
    """The patches of the ids of one text, for a Tokenizer of the older version."""
    from spm_lite.texts.batch import Batch

    return lambda ids, size, *, pad_id=None: Batch.from_lists([ids], tok.pad_id).patches(size, pad_id)


def cache_of(tok: Any) -> Callable[[], Any]:
    """The used memory and its limit, as the older version gave them."""
    from spm_lite.tokenizer.results import CacheInfo

    return lambda: CacheInfo(tok.info.cache_used, tok.info.cache_limit)


def loading(format: str) -> Callable[[Any], Callable[..., Any]]:
    """A method such as `from_gguf`, which read one format."""

    def call(tok: Any) -> Callable[..., Any]:
        def read(*given: Any, **options: Any) -> Any:
            place = [options.pop(name) for name in ("path", "folder", "codes", "source") if name in options]
            return tok.load(*given, *place, format=format, **options)

        return read

    return call


def writing(name: str) -> Callable[[Any], Callable[..., Any]]:
    """A method such as `to_gpt2`, which is a function of the module `conversions` now."""

    def call(tok: Any) -> Callable[..., Any]:
        from spm_lite.tokenizer import conversions

        return lambda *given, **options: getattr(conversions, name)(tok, *given, **options)

    return call


def count_up_to(tok: Any) -> Callable[..., int]:
    """A count that ends at a limit, in the order of arguments of the older version."""
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
        name: (f"info.{name}", in_info(name))
        for name in ("is_lossless", "is_strict", "split_pattern")
    },
    **{
        f"from_{name}": (f"load(path, format={form!r})", loading(form))
        for name, form in (
            ("gguf", "gguf"), ("gpt2", "gpt2"), ("subword_nmt", "subword-nmt"), ("tekken", "tekken.json"),
            ("tokenizer_json", "tokenizer.json"), ("vocab_txt", "vocab.txt"),
        )
    },
    "to_gpt2": ("save(folder, format='gpt2')", writing("write_gpt2")),
    "to_tokenizer_json": (
        "save(path, format='tokenizer.json'), or convert(...) with bos=, eos= and match_special=", writing("json_of")
    ),
    "to_vocab_txt": (
        "save(path, format='vocab.txt')",
        lambda tok: lambda path, **options: tok.save(path, format="vocab.txt", **options),
    ),
    "cache_info": ("info.cache_used and info.cache_limit", cache_of),
    "count_up_to": ("count(text, limit=n)", count_up_to),
    "patches": ("encode_batch(texts).patches(size)", patches_of),
    "stream_bytes": ("stream(as_bytes=True)", lambda tok: lambda: tok.stream(as_bytes=True)),
}  # fmt: skip
PROTOCOLS = {  # special methods that refuse, or that copy and pickle know
    f"__{name}__"
    for name in (
        "call", "copy", "deepcopy", "delattr", "dir", "final", "getitem", "init", "init_subclass", "iter", "new",
        "reduce", "setattr",
    )
}  # fmt: skip
HIDDEN: set[str] = {*FOREIGN_NAMES, *OLD_NAMES, *PROTOCOLS}


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

        def __getitem__(self, _: object) -> NoReturn:
            raise TypeError(
                "a Tokenizer has no items: piece_to_id(piece) gives the id of a piece, and id_to_piece(5) the piece"
            )

        def __iter__(self) -> NoReturn:
            raise TypeError("a Tokenizer has no items: get_vocab() gives its pieces and their ids")

        def __call__(self, *_: object, **__: object) -> NoReturn:
            raise ArgumentTypeError(
                "a Tokenizer is not a function: use encode(text) for one text, encode_batch(texts) or "
                "encode_lists(texts) for many, and encode_batch(texts).to_torch() for padded tensors with their mask"
            )


for _name in FOREIGN_NAMES:
    setattr(ForeignNames, _name, ForeignName(_name))
for _name, (_new, _call) in OLD_NAMES.items():
    setattr(ForeignNames, _name, OldName(_name, _new, _call))
