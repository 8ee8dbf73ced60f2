"""Text of the help, fitted to the terminal: paragraphs and rows of two columns are wrapped, examples stay whole."""

from __future__ import annotations

import re
from itertools import groupby

from spm_lite.cli.command_names import PROGRAM
from spm_lite.cli.console import terminal_columns

MOST = 100  # columns of a paragraph, however wide the terminal is
ROW = re.compile(r"( +\S.*?  +)(?=\S)")  # a name and the space up to what it means
PARAGRAPH = "paragraph"


def fitted(text: str, width: int) -> str:
    """The text with no line longer than `width` columns but for commands, which are there to be copied.

    A paragraph whose lines fit keeps its line breaks.
    """
    width = min(width, MOST)
    lines: list[str] = []
    for kind, group in groupby(text.split("\n"), kind_of_line):
        some = [*group]
        lines += wrapped_paragraph(some, width) if kind == PARAGRAPH else [wrapped_row(row, width) for row in some]
    return "\n".join(lines)


def width_of_help() -> int:
    """The columns that help may take, as argparse counts them."""
    return terminal_columns() - 2


def kind_of_line(line: str) -> str:
    """What a line belongs to: a paragraph, or nothing but itself."""
    return PARAGRAPH if line and line[0] != " " else ""


def wrapped_paragraph(lines: list[str], width: int) -> list[str]:
    """The lines as they are if they fit, else broken anew."""
    import textwrap

    if all(len(line) <= width for line in lines):
        return lines
    return textwrap.wrap(" ".join(lines), max(width, 20), break_long_words=False, break_on_hyphens=False)


def wrapped_row(row: str, width: int) -> str:
    """An indented line; what stands in its second column stays there."""
    import textwrap

    if len(row) <= width or row.lstrip().startswith(PROGRAM) or f"| {PROGRAM}" in row:
        return row
    found = ROW.match(row)
    name, indent = (found[1], len(found[1])) if found is not None else ("", 4)
    if indent > width // 2:  # no room beside the name
        name, indent = f"{name.rstrip()}\n", 6
    meaning = textwrap.fill(
        row[len(found[1]) if found is not None else 0 :].strip(), max(width, 20), initial_indent=" " * indent,
        subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return name + (meaning if name.endswith("\n") else meaning[len(name) :])
