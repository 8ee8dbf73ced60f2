"""Names that other libraries have for what a Tokenizer does, and the name here. Using one is an error that says it."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from typing import NoReturn

FOREIGN_NAMES = {  # name there -> what to write here
    "from_file": "Tokenizer.load(path)",
    "from_bytes": "Tokenizer.load(data), which takes the bytes of a model file",
    "from_buffer": "Tokenizer.load(data), which takes the bytes of a model file",
    "from_str": "Tokenizer.load(data), which takes the bytes of a model file",
    "from_pretrained": "Tokenizer.load(path), with the path of the model file in the folder",
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


class ForeignName:
    """An attribute that is not there: reading it raises an AttributeError with the name to use instead."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, obj: object, kind: type | None = None) -> NoReturn:
        raise AttributeError(f"a Tokenizer has no attribute {self.name!r}: use {FOREIGN_NAMES[self.name]}")


class WithoutForeignNames(type):
    """The class of Tokenizer: its `dir`, and so its help, leaves the foreign names out."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in FOREIGN_NAMES]


class ForeignNames(EncodingMethods, metaclass=WithoutForeignNames):
    """The part of a Tokenizer that knows how other libraries call its methods.

    The names are put here by a loop, so that no editor offers them and no type checker accepts them. A `__getattr__`
    would do the same, but makes every call of a method slower.
    """

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in FOREIGN_NAMES]

    if not TYPE_CHECKING:

        def __call__(self, *_: object, **__: object) -> NoReturn:
            raise ArgumentTypeError(
                "a Tokenizer is not a function: use encode(text) for one text, encode_batch(texts) or "
                "encode_lists(texts) for many, and encode_batch(texts).to_torch() for padded tensors with their mask"
            )


for _name in FOREIGN_NAMES:
    setattr(ForeignNames, _name, ForeignName(_name))
