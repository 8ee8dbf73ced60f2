"""Edited copies of a model: what sentencepiece changes in place in a loaded model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.tokenizer.tokenizer import Tokenizer

NUL_FIELD = b"\x0a\x01\x00"  # the field of a piece of one NUL byte, as serialized
KEPT_TYPES = (CONTROL, UNKNOWN, USER_DEFINED)


def reference_bytes(tok: Tokenizer) -> bytes:
    """The model as sentencepiece serializes it: fields of each message by number, unknown fields last.

    With byte fallback, pieces of one NUL byte become UNUSED.
    """
    message = tok._file.message()
    if tok._file.vocab.byte_fallback and NUL_FIELD in tok.to_bytes():
        for piece in message.pieces:
            if piece.piece == "\0":
                piece.type = UNUSED
    return serialized(message)


def with_vocabulary(tok: Tokenizer, valid: set[bytes] | None) -> Tokenizer:
    """The model restricted to the pieces in `valid` and to single characters; None: UNUSED pieces become NORMAL."""
    message = tok._file.message()
    for i, piece in enumerate(message.pieces):
        if valid is None:
            if piece.type == UNUSED:
                piece.type = NORMAL
        elif piece.type not in KEPT_TYPES:
            text = tok._file.vocab.text(i)
            is_single = len(text.decode("utf-8", "surrogateescape")) == 1
            piece.type = NORMAL if text in valid or is_single else UNUSED
    return Tokenizer.load(serialized(message))


def with_normalizer(tok: Tokenizer, fields: Iterable[tuple[str, bool]]) -> Tokenizer:
    """The model with these fields of its normalizer spec set."""
    message = tok._file.message()
    for name, value in fields:
        setattr(message.normalizer_spec, name, value)
    return Tokenizer.load(serialized(message))


def serialized(message: Any) -> bytes:
    """Serialize a message, its fields in the order of their numbers."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data
