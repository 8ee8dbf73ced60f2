"""Ranges of characters, read off the Unicode data and other programs by the generators in tools/; and their reader."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def ranges_of(text: str) -> Iterator[tuple[int, int]]:
    """The first and the last code point of each range: hexadecimal numbers, `9` or `9-D`.

    >>> list(ranges_of("9 2000-200A"))
    [(9, 9), (8192, 8202)]
    """
    for item in text.split():
        first, _, last = item.partition("-")
        yield int(first, 16), int(last or first, 16)


def named_ranges(text: str) -> Iterator[tuple[str, Iterator[tuple[int, int]]]]:
    """The name that begins each line, and the ranges after it. A line that begins with a space continues the last one.

    >>> [(name, list(ranges)) for name, ranges in named_ranges("CR D\\nControl 0-9\\n B-C\\n")]
    [('CR', [(13, 13)]), ('Control', [(0, 9), (11, 12)])]
    """
    for line in text.replace("\n ", " ").splitlines():
        name, _, ranges = line.partition(" ")
        yield name, ranges_of(ranges)
