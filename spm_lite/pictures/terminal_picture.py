"""A text in pieces on a terminal: under each piece its id and its bytes, in rows that fit the width."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.pictures.signs import LEFT_TO_RIGHT, is_right_to_left
from spm_lite.pictures.tokens import Group, Token

if TYPE_CHECKING:
    from rich.text import Text

LABELS = ("pieces", "ids", "bytes")
GAP = 2  # columns between groups; 1 between the tokens of a group
COLOURS = tuple(
    f"black on {colour}" for colour in ("#9ecbff", "#ffd59e", "#b5efb8", "#e9c3fb", "#fbe983", "#9be7ee")
)  # neighbours differ
UNKNOWN_COLOUR = "bold white on #b3261e"


class Cell(NamedTuple):
    """A group as it is shown: its text, and for each token the id and the bytes, all as wide as `widths` say."""

    group: Group
    ids: tuple[str, ...]
    sizes: tuple[str, ...]
    widths: tuple[int, ...]  # columns of each token
    width: int  # columns of all


def cell_of(group: Group, limit: int) -> Cell:
    """The cell of a group. limit: columns that there are; a longer text is cut."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(group.shown) > limit:
        group = group._replace(shown=set_cell_size(group.shown, limit - 1).rstrip() + "…")
    ids = tuple("-" if token.piece_id < 0 else str(token.piece_id) for token in group.tokens)
    sizes = tuple(shown_size(token, group) for token in group.tokens)
    widths = tuple(max(len(number), len(size)) for number, size in zip(ids, sizes, strict=True))
    width = max(cell_len(group.shown), sum(widths) + len(widths) - 1)
    return Cell(group, ids, sizes, widths, width)


def shown_size(token: Token, group: Group) -> str:
    """The number of bytes of text that a token covers; of a token of bytes, these."""
    if group.is_in_bytes:
        return f"0x{token.text.hex().upper()}"
    return f"{token.size:,} unk" if group.is_unknown else f"{token.size:,}"


def lines_of(groups: Iterable[Group], width: int) -> Iterator[list[tuple[int, Cell]]]:
    """Yield the cells that fit side by side, each with the number of its group."""
    room = max(width - max(map(len, LABELS)) - GAP, 8)
    line: list[tuple[int, Cell]] = []
    used = 0
    for number, group in enumerate(groups):
        cell = cell_of(group, room)
        if line and used + GAP + cell.width > room:
            yield line
            line, used = [], 0
        used += cell.width + (GAP if line else 0)
        line.append((number, cell))
    if line:
        yield line


def rows_of(line: list[tuple[int, Cell]]) -> list[Text]:
    """The rows of one line: pieces, ids and bytes."""
    from rich.cells import cell_len
    from rich.text import Text

    label_width = max(map(len, LABELS)) + GAP
    rows = [Text(label.ljust(label_width)) for label in LABELS]
    mark = LEFT_TO_RIGHT if any(is_right_to_left(cell.group.shown) for _, cell in line) else ""
    for number, cell in line:
        style = UNKNOWN_COLOUR if cell.group.is_unknown else COLOURS[number % len(COLOURS)]
        rows[0].append(cell.group.shown, style)
        rows[0].append(mark + " " * (cell.width - cell_len(cell.group.shown) + GAP))
        for row, texts in zip(rows[1:], (cell.ids, cell.sizes), strict=True):
            shown = " ".join(text.ljust(size) for text, size in zip(texts, cell.widths, strict=True))
            row.append(shown.ljust(cell.width + GAP))
    for row in rows:
        row.rstrip()
    return rows


def drawn(groups: Iterable[Group], width: int, color_system: str | None) -> str:
    """The picture as text. color_system: as rich names it, such as "truecolor"; None: without colour."""
    from rich.console import Console

    out = io.StringIO()
    system: Any = color_system
    console = Console(
        file=out, color_system=system, force_terminal=system is not None, no_color=False, legacy_windows=False
    )
    for number, line in enumerate(lines_of(groups, width)):
        if number:
            out.write("\n")
        for row in rows_of(line):
            console.print(row, soft_wrap=True)
    return out.getvalue()
