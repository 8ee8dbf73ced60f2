"""Edited copies of a model: what sentencepiece changes in place in a loaded model."""

from __future__ import annotations

from collections.abc import Iterable

from spm_lite.kinds import NORMAL, UNUSED
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.vocab.messages import serialize

NUL_FIELD = b"\x0a\x01\x00"  # the field of a piece of one NUL byte, as serialized


def reference_bytes(tok: Tokenizer) -> bytes:
    """The model as sentencepiece serializes it: fields of each message by number, unknown fields last.

    With byte fallback, pieces of one NUL byte become UNUSED.
    """
    message = tok._file.message()
    if tok._file.vocab.byte_fallback and NUL_FIELD in tok.to_bytes():
        for piece in message.pieces:
            if piece.piece == "\0":
                piece.type = UNUSED
    return serialize(message)


def with_vocabulary(tok: Tokenizer, valid: set[bytes] | None) -> Tokenizer:
    """The model restricted to the pieces in `valid` and to single characters; None: UNUSED pieces become NORMAL."""
    if valid is not None:
        from spm_lite.tokenizer.restriction import with_pieces  # here, since it takes long to import

        return Tokenizer.load(with_pieces(tok._file, valid))
    message = tok._file.message()
    for piece in message.pieces:
        if piece.type == UNUSED:
            piece.type = NORMAL
    return Tokenizer.load(serialize(message))


def with_normalizer(tok: Tokenizer, fields: Iterable[tuple[str, bool]]) -> Tokenizer:
    """The model with these fields of its normalizer spec set."""
    message = tok._file.message()
    for name, value in fields:
        setattr(message.normalizer_spec, name, value)
    return Tokenizer.load(serialize(message))
