"""Tables for people: columns that fit the terminal, by rich, which is imported when one is shown."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.console import is_terminal, terminal_columns
from spm_lite.cli.width import wrapped_lines
from spm_lite.printable import visible

if TYPE_CHECKING:
    from typing import TextIO

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
