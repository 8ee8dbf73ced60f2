"""The width of text on a terminal, and tables of pieces that fit into it."""

from __future__ import annotations

import unicodedata

DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def char_width(char: str) -> int:
    """The columns of one character on a terminal: 0, 1 or 2."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def text_width(text: str) -> int:
    """The columns of a text."""
    return sum(map(char_width, text))


def visible(text: str) -> str:
    """The text with what a terminal might obey escaped: control characters, direction marks, lone surrogates."""
    return "".join(ascii(char)[1:-1] if is_obeyed(char) else char for char in text)


def is_obeyed(char: str) -> bool:
    """Whether a terminal may take a character for a command, a line end or a direction of text."""
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in DIRECTIONS


def cut(text: str, width: int) -> str:
    """The longest beginning of a text that fits into `width` columns."""
    used = 0
    for position, char in enumerate(text):
        used += char_width(char)
        if used > width:
            return text[:position]
    return text


def two_rows(pieces: list[str], ids: list[int], width: int) -> list[tuple[str, str]]:
    """Pieces with their ids under them, as pairs of lines of at most `width` columns (a wider piece stands alone)."""
    rows: list[tuple[str, str]] = []
    upper = lower = ""
    used = 0
    for piece, piece_id in zip(map(visible, pieces), map(str, ids), strict=True):
        cell = max(text_width(piece), len(piece_id))
        if used and used + 2 + cell > width:
            rows.append((upper, lower))
            upper = lower = ""
            used = 0
        gap = "  " if used else ""
        upper += gap + piece + " " * (cell - text_width(piece))
        lower += gap + piece_id.ljust(cell)
        used += len(gap) + cell
    return [(above.rstrip(), below.rstrip()) for above, below in [*rows, (upper, lower)]]
