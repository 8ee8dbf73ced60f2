"""Texts around the bytes of a piece: what is missing of a character at either end is completed in many ways."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

CONTEXTS = (b"", b"x", b" ", b"\n", b"1", b".")  # beside a piece that begins or ends with a whole character
MOST_TRIED = 1 << 12  # texts of a piece
NO_TEXT = ("Cn", "Co", "Cs")  # categories


def texts_around(data: bytes) -> Iterator[bytes]:
    """The texts in which bytes may be a token: well-formed ones, if the bytes can be part of one."""
    tail, head = ends_of(data)
    befores = beginnings(data[:tail]) if tail else CONTEXTS
    afters = endings(data[head:]) if head < len(data) else CONTEXTS
    most = MOST_TRIED // min(len(befores), len(afters), 64)
    for before in thinned(befores, most):
        for after in thinned(afters, most):
            yield before + data + after


def ends_of(data: bytes) -> tuple[int, int]:
    r"""How many bytes at the begin continue a character, and where the character begins that the end leaves open.

    >>> ends_of(b"\xa9ab\xe3\x81"), ends_of(b"ab")
    ((1, 3), (0, 2))
    """
    tail = 0
    while tail < min(len(data), 3) and data[tail] & 0xC0 == 0x80:
        tail += 1
    for n in range(1, min(3, len(data) - tail) + 1):
        lead = data[-n]
        if lead & 0xC0 != 0x80:
            size = 1 if lead < 0xC2 or lead > 0xF4 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return tail, len(data) - n if size > n else len(data)
    return tail, len(data)


@cache
def endings(head: bytes) -> tuple[bytes, ...]:
    r"""What completes the beginning of a character, in the order of code points; nothing: it begins none.

    >>> len(endings(b"\xc3")), endings(b"\xf4\x8f\xbf")[-1]
    (64, b'\xbd')
    """
    return tuple(data[len(head) :] for data in characters() if data.startswith(head)) or (b"",)


@cache
def beginnings(tail: bytes) -> tuple[bytes, ...]:
    """What completes the end of a character."""
    return tuple(data[: -len(tail)] for data in characters() if data.endswith(tail) and data != tail) or (b"",)


@cache
def characters() -> tuple[bytes, ...]:
    """The UTF-8 of all assigned characters of two bytes or more, without those for private use."""
    points = (point for point in range(0x80, 0x110000) if unicodedata.category(chr(point)) not in NO_TEXT)
    return tuple(chr(point).encode() for point in points)


def thinned(texts: tuple[bytes, ...], most: int) -> tuple[bytes, ...]:
    """At most so many of them, from all over the list."""
    return texts[:: -(-len(texts) // max(most, 1))]
