"""`normalize` of the drop-in, for a normalizer and for a processor."""

from __future__ import annotations

from typing import Any, TypeAlias

from spm_lite.errors import ArgumentTypeError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.sentencepiece.call_arguments import TextRuntimeError, as_runtime_errors

Aligned: TypeAlias = tuple[str, list[int]]
AlignedBytes: TypeAlias = tuple[bytes, list[int]]


def normalize_input(normalizer: Normalizer, input: Any, with_offsets: bool) -> Any:
    """Normalize one text, or each text of a list."""
    if isinstance(input, list):
        return [normalize_text(normalizer, text, with_offsets) for text in input]
    return normalize_text(normalizer, input, with_offsets)


def normalize_text(normalizer: Normalizer, text: Any, with_offsets: bool) -> Any:
    """Normalize one text, str or bytes. with_offsets: return (text, alignment)."""
    if isinstance(text, str):
        return normalize_str(normalizer, text, with_offsets)
    if not isinstance(text, bytes):
        raise ArgumentTypeError(f"Input must be str or bytes, or a list of them, not {type(text).__name__}")
    with as_runtime_errors():
        return normalizer.normalize(bytes(text), True) if with_offsets else normalizer.normalize(bytes(text))


def normalize_str(normalizer: Normalizer, text: str, with_offsets: bool) -> str | Aligned:
    """Normalize one str. with_offsets: return (text, alignment in code points)."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise TextRuntimeError(
            f"INTERNAL: the text holds the lone surrogate U+{ord(text[error.start]):X} at character {error.start}, "
            "which UTF-8 cannot spell: replace it, or pass bytes"
        ) from None
    with as_runtime_errors():
        if not with_offsets:
            return normalizer.normalize(data).decode("utf-8", "replace")
        normalized, align = normalizer.normalize(data, True, True)
        return normalized.decode("utf-8", "replace"), align
