"""Models with something changed: what sentencepiece does to a model in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.tokenizer.tokenizer import Tokenizer

NUL_FIELD = b"\x0a\x01\x00"  # a piece of one NUL byte, as it stands in the file
KEPT_TYPES = (CONTROL, UNKNOWN, USER_DEFINED)


def reference_bytes(tok: Tokenizer) -> bytes:
    """The model as sentencepiece gives it back: each message's fields in the order of their numbers, unknown ones last.

    And pieces of one NUL byte are UNUSED where there is byte fallback.
    """
    message = tok._file.message()
    if tok._file.vocab.byte_fallback and NUL_FIELD in tok.to_bytes():
        for piece in message.pieces:
            if piece.piece == "\0":
                piece.type = UNUSED
    return serialized(message)


def with_vocabulary(tok: Tokenizer, valid: set[bytes] | None) -> Tokenizer:
    """The model restricted to pieces in `valid` and to single characters; None: all pieces that are UNUSED are used."""
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
    """The model with fields of its normalizer spec set."""
    message = tok._file.message()
    for name, value in fields:
        setattr(message.normalizer_spec, name, value)
    return Tokenizer.load(serialized(message))


def serialized(message: Any) -> bytes:
    """A message as bytes, its fields in the order of their numbers."""
    data: bytes = message.SerializeToString(deterministic=True)
    return data
