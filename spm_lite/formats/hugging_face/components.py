"""Parts of a tokenizer.json: the objects that replace, split and join, as tokenizers 0.23 reads them."""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]
LISTS = {  # kind of part -> the key of the list in a Sequence
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "decoder": "decoders",
}


def replace(old: str, new: str) -> Part:
    """Replaces a text."""
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def replace_regex(pattern: str, new: str) -> Part:
    """Replaces matches of a regular expression of Oniguruma. new: literal."""
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": new}


def split_regex(pattern: str, behavior: str = "Isolated") -> Part:
    """Splits at matches of a regular expression."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def split_string(text: str, behavior: str) -> Part:
    """Splits at a text."""
    return {"type": "Split", "pattern": {"String": text}, "behavior": behavior, "invert": False}


def escaped(text: str) -> str:
    """A regular expression that matches a text: each sign that is no letter or digit is written as a number.

    >>> escaped("a.b")
    'a\\\\x{2e}b'
    """
    return "".join(sign if sign.isascii() and sign.isalnum() else f"\\x{{{ord(sign):x}}}" for sign in text)


def joined(kind: str, parts: list[Part]) -> Part | None:
    """The parts as one: None for none, a Sequence for several."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", LISTS[kind]: parts}
