"""A diagram: rows of boxes over the characters of a text, and its form as text.

Each way to cut a text is drawn so: a row for each step or path, a box for each part of the text, a caption at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

PLAIN, NEW, PIECE, RIVAL, UNKNOWN, NUMBER = "plain", "new", "piece", "rival", "unknown", "number"  # kinds of boxes
INDENT = "  "
MOST_CELLS = 48  # terminal columns of a diagram of several parts


class Box(NamedTuple):
    """A part of the text in a row."""

    begin: int  # columns, half-open; a column is a character or, in byte-level models, a byte
    end: int
    label: str
    kind: str = PLAIN
    detail: str = ""  # a number under the label: the score of the piece


class Row(NamedTuple):
    """One step, or one path."""

    boxes: tuple[Box, ...]
    caption: str = ""
    heading: str = ""  # of the block that begins with this row


class Diagram(NamedTuple):
    """The rows of one part of the text, such as a word."""

    title: str
    n_columns: int
    rows: tuple[Row, ...]
    remark: str = ""  # beside the title
    note: str = ""  # below the rows
    why: str = ""  # a sentence: what decided


def column_widths(diagram: Diagram, gap: int = 1, with_details: bool = False) -> list[int]:
    """The terminal columns of each column of a diagram, such that every label fits into its box with a gap after it."""
    from rich.cells import cell_len

    widths = [1 + gap] * diagram.n_columns
    boxes = [box for row in diagram.rows for box in row.boxes]
    for box in sorted(boxes, key=lambda box: box.end - box.begin):  # what a small box needs helps the larger ones
        needed = max(cell_len(box.label), len(box.detail) if with_details else 0) + gap
        missing = needed - sum(widths[box.begin : box.end])
        for k in range(box.end - 1, box.begin - 1, -1):  # as evenly as whole columns allow
            share = -(-missing // (k - box.begin + 1)) if missing > 0 else 0
            widths[k] += share
            missing -= share
    return widths


def diagram_text(diagram: Diagram, width: int) -> str:
    """The diagram as lines of `width` columns: boxes of the same characters above each other.

    Captions stand beside the rows, or all of them below, where they do not fit. In a diagram that is too wide itself,
    the labels of a row follow each other.
    """
    from rich.cells import cell_len

    from spm_lite.pictures.signs import in_order

    widths = column_widths(diagram)
    room = width - len(INDENT)
    drawn = sum(widths) <= room
    is_beside = drawn and all(sum(widths) + 2 + cell_len(row.caption) <= room for row in diagram.rows)
    lines = wrapped(f"{in_order(diagram.title)}   {diagram.remark}".rstrip(), width, INDENT)
    lines += wrapped(INDENT + in_order(diagram.why), width, INDENT) if diagram.why else []
    for row in diagram.rows:
        lines += ["", *wrapped(INDENT + row.heading, width, INDENT)] if row.heading else []
        labels = row_text(row.boxes, widths) if drawn else " ".join(in_order(box.label) for box in row.boxes)
        if is_beside:
            lines.append(f"{INDENT}{labels}  {in_order(row.caption)}".rstrip())
            continue
        lines += [f"{INDENT}{labels}".rstrip()] if drawn else wrapped(INDENT + labels, width, INDENT)
        lines += wrapped(INDENT * 2 + in_order(row.caption), width, INDENT * 2) if row.caption else []
    return "\n".join([*lines, *(wrapped(INDENT + diagram.note, width, INDENT) if diagram.note else [])])


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """A line as lines of at most `width` terminal columns; all but the first begin with `indent`."""
    from rich.console import Console
    from rich.text import Text

    head = text[: len(text) - len(text.lstrip(" "))]
    if width >= len(text) and text.isascii():
        return [text]
    parts = Text(text.strip()).wrap(Console(width=width), max(width - max(len(head), len(indent)), 8))
    return [(indent if number else head) + part.plain.rstrip() for number, part in enumerate(parts)]


def row_text(boxes: Iterable[Box], widths: list[int]) -> str:
    """The labels of a row, each at the column of its box."""
    from rich.cells import cell_len

    from spm_lite.pictures.signs import LEFT_TO_RIGHT, is_right_to_left

    text, used = "", 0
    parts = list(boxes)
    mark = LEFT_TO_RIGHT if any(is_right_to_left(box.label) for box in parts) else ""
    for box in parts:
        place = sum(widths[: box.begin])
        text += " " * (place - used) + box.label + mark
        used = place + cell_len(box.label)
    return text + " " * (sum(widths) - used)


def runs(cells: Iterable[int], starts: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of parts that are drawn together: from one that may start a diagram to the next.

    A run that is too wide ends earlier. cells: terminal columns of each part; starts: whether a diagram starts there.
    """
    begin = end = used = 0
    for end, (size, may_start) in enumerate(zip(cells, starts, strict=True)):
        if end > begin and (may_start or used + size > MOST_CELLS):
            yield begin, end
            begin, used = end, 0
        used += size
    if used:
        yield begin, end + 1


def without_repeats(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Boxes of ids, in which neighbours that are unknown are one: so they are one id of the text."""
    found: list[Box] = []
    for box in boxes:
        if found and box.kind == UNKNOWN == found[-1].kind:
            found[-1] = found[-1]._replace(end=box.end)
        else:
            found.append(box)
    return tuple(found)


def packed(boxes: Iterable[Box]) -> list[Row]:
    """Boxes that overlap, in as few rows as hold them side by side: the earliest first, in the first row with room."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.begin, box.begin - box.end)):
        row = next((row for row in rows if row[-1].end <= box.begin), None)
        if row is None:
            rows.append([box])
        else:
            row.append(box)
    return [Row(tuple(row)) for row in rows]
