"""Tables for people: columns that fit the terminal, by rich, which is imported when one is shown.

Also the width of text on a terminal, and text cut or wrapped to a width.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.console import is_terminal, terminal_columns
from spm_lite.printable import visible

if TYPE_CHECKING:
    from typing import TextIO


def text_width(text: str) -> int:
    """The columns of a text."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """The longest beginning of a text that fits into `width` columns.

    A longer beginning is never narrower, so twice the last length is tried until one is too wide, and then halves
    of what is between. Widths do not add up: a variation selector widens what stands before it.
    """
    fitting, too_long = 0, max(width, 1)
    while too_long <= len(text) and text_width(text[:too_long]) <= width:
        fitting, too_long = too_long, 2 * too_long
    too_long = min(too_long, len(text) + 1)
    while too_long - fitting > 1:
        middle = (fitting + too_long) // 2
        if text_width(text[:middle]) <= width:
            fitting = middle
        else:
            too_long = middle
    return text[:fitting]


def fits(text: str, width: int) -> bool:
    """Whether a text fits into `width` columns; of a long one, the beginning is measured only."""
    return width >= 0 and len(cut(text, width)) == len(text)


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


def wrapped(text: str, width: int, indent: str = "") -> str:
    """A line of words as lines of at most `width` columns; all but the first begin with `indent`.

    If a word does not fit after `indent`, lines begin with two spaces of it. A word that is still longer is cut. The
    first line keeps the spaces at its start.
    """
    words = text.strip(" ").split(" ")  # two spaces in a row stay
    if not all(fits(word, width - len(indent)) for word in words):
        indent = indent[:2]
    lines = [text[: len(text) - len(text.lstrip(" "))]]
    is_empty = True
    for word in words:
        room = width - text_width(lines[-1]) - (not is_empty)
        if not is_empty and not fits(word, room):
            lines[-1] = lines[-1].rstrip(" ")
            lines.append(indent)
            is_empty = True
        while is_empty and (room := width - text_width(lines[-1])) > 1 and not fits(word, room):
            part = cut(word, room) or word[0]
            lines[-1] += part
            word = word[len(part) :]
            lines.append(indent)
        lines[-1] += ("" if is_empty else " ") + word
        is_empty = False
    return "\n".join(lines)


def wrapped_lines(text: str, width: int, indent: str) -> str:
    """A text whose long lines are broken at spaces; each line is wrapped by itself."""
    return "\n".join(wrapped(line, width, indent) for line in text.split("\n"))


PIPE_WIDTH = 100  # columns where there is no terminal


def width_of_output(on_terminal: bool) -> int:
    """The columns that a table may take."""
    if not on_terminal:
        return PIPE_WIDTH
    return terminal_columns()


def fitted_rows(text: str, title: int, stream: TextIO | None) -> str:
    """Lines that begin with a title, wrapped beside it where `stream` is a terminal that is too narrow for them.

    title: its columns.
    """
    if not is_terminal(stream):
        return text
    return wrapped_lines(text, width_of_output(True), " " * title)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], width: int, left: int = 1) -> str:
    """The lines of a table of at most `width` columns. left: the number of columns of text, which come first.

    What a terminal might obey is escaped.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, header in enumerate(headers):
        shown.add_column(header, justify="left" if i < left else "right", overflow="fold", no_wrap=i >= left)
    for row in rows:
        shown.add_row(*(Text(visible(cell)) for cell in row))
    out = io.StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(shown)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
