"""Grapheme clusters by the regular expression of Unicode Standard Annex 29, over one letter for each character."""

from __future__ import annotations

import re
from functools import cache

from spm_lite.base.unicode.ranges.grapheme_ranges import RANGES

LETTERS = {
    "CR": "r", "LF": "n", "Control": "c", "Extend": "e", "Conjunct_Extend": "x", "Linker": "k", "ZWJ": "z",
    "SpacingMark": "s", "Prepend": "p", "L": "L", "V": "V", "T": "T", "Regional_Indicator": "R", "Pictographic": "P",
    "Consonant": "C", "Linking_Sign": "K", "Other": "o",
}  # fmt: skip
SYLLABLE = "L*(?:V+|AV*|B)T*|L+|T+"  # A: LV, B: LVT
EMOJI = "P(?:[exk]*zP)*"
CORE = f"(?:{SYLLABLE}|RR|R|{EMOJI}|C|K|o)"
CLUSTER = re.compile(f"rn|[rnc]|p*(?:{CORE}[exkzs]*|[exkzs]+)|p+")


@cache
def classes() -> dict[int, str]:
    """Code point -> the letter of its class; Other and Hangul syllables are left out."""
    found = {}
    for line in RANGES.replace("\n ", " ").splitlines():
        name, *parts = line.split()
        for part in parts:
            first, _, last = part.partition("-")
            for point in range(int(first, 16), int(last or first, 16) + 1):
                found[point] = LETTERS[name]
    return found


def letter_of(char: str) -> str:
    point = ord(char)
    if 0xAC00 <= point <= 0xD7A3:
        return "B" if (point - 0xAC00) % 28 else "A"
    return classes().get(point, "o")


def begins(text: str) -> list[int]:
    """Where clusters begin, and the length of the text."""
    letters = "".join(map(letter_of, text))
    places, pos = [], 0
    while pos < len(text):
        places.append(pos)
        pos = CLUSTER.match(letters, pos).end()  # type: ignore[union-attr]
    # A linker joins the consonant after it to whatever it belongs to (GB9c).
    joined = {found.end() for found in re.finditer("[kK][xz]*(?=C)", letters)}
    return [place for place in places if place not in joined] + [len(text)]


def byte_begins(data: bytes) -> set[int]:
    """Where clusters begin in bytes, and their number. A byte that is no character is as U+FFFD."""
    text = data.decode("utf-8", "surrogateescape")
    sizes = [len(char.encode("utf-8", "surrogateescape")) for char in text]
    places = begins(re.sub("[\udc80-\udcff]", "\ufffd", text))
    return {sum(sizes[:place]) for place in places}


def is_in_place(bounds: set[int], begin: int, end: int) -> bool:
    """Whether a part of a text is whole clusters, or holds no begin of a cluster but its own."""
    return {begin, end} <= bounds or bounds.isdisjoint(range(begin + 1, end))
