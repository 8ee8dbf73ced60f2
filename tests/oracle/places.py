"""Byte offsets in other units, by decoding what stands before them."""

from __future__ import annotations


def in_units(text: bytes, offset: int, unit: str) -> int:
    """Units of text[:offset], an ill-formed byte being a character."""
    if unit == "byte":
        return offset
    before = text[:offset].decode("utf-8", "surrogateescape")
    return len(before) if unit == "char" else sum(2 if ord(c) > 0xFFFF else 1 for c in before)
