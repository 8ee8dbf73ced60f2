"""The report for terminals, made with rich: verdicts, faults, one table and parity first, then all sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.report.parity_summary import front_sentence, parity_table, points_of
from spm_lite.evaluation.report.sections import Table, tables_of
from spm_lite.evaluation.report.summaries import (
    FirstTable,
    fault_lines,
    first_tables,
    headlines,
    verdict_lines,
)
from spm_lite.printable import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_VERDICTS = 30  # lines
MOST_FAULTS = 15
NAME_WIDTH = 12  # of a tokenizer in the heading of a column
STYLES = {"good": "green", "bad": "red", "warn": "yellow", "soft": "dim"}  # by tone


def text_report(data: Mapping[str, Any], width: int | None = None, has_colours: bool = False) -> str:
    """The report as text. width: columns; None: of the terminal, or 80."""
    from rich.console import Console

    out = StringIO()
    show(
        data,
        Console(
            file=out,
            width=width,
            color_system="standard" if has_colours else None,
            force_terminal=has_colours,
            legacy_windows=False,
        ),
    )
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def show(data: Mapping[str, Any], console: Console) -> None:
    """Write the report."""
    for part in (*first_screen(data, console.width), *sections(data, console.width)):
        console.print(part)


def first_screen(data: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """What a person sees first."""
    from rich.text import Text

    yield from verdicts(data)
    yield Text("Faults", "bold")
    yield from faults(data)
    for table in first_tables(data):
        yield from first_table(table, width)
    parity = parity_table(data)
    if parity.rows:
        yield from section(parity, width)
        if sentence := front_sentence(points_of(data)):
            yield Text(visible(sentence))


def verdicts(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    lines = [*verdict_lines(data)]
    if not lines:
        return
    for sentence in headlines(data):
        yield Text(visible(sentence), "bold")
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for one in lines[:MOST_VERDICTS]:
        of_whom = f"{one.of_whom}: " if one.of_whom else ""
        grid.add_row(Text(visible(one.text)), Text(visible(of_whom + one.words), STYLES[one.tone]))
    yield grid
    if len(lines) > MOST_VERDICTS:
        yield Text(f"... and {len(lines) - MOST_VERDICTS} more in to_dict() and to_html()", "dim")
    yield Padding("", 0)


def faults(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    from rich.table import Table as Grid
    from rich.text import Text

    lines = fault_lines(data["faults"])
    if not lines:
        yield Text("none found", "green")
        return
    grid = Grid.grid(padding=(0, 1))
    for one in lines[:MOST_FAULTS]:
        grid.add_row(Text(one.sign, STYLES[one.tone]), Text(visible(str(one))))
    yield grid
    if len(lines) > MOST_FAULTS:
        yield Text(f"... and {len(lines) - MOST_FAULTS} more in to_dict() and to_html()", "dim")


def first_table(table: FirstTable, width: int) -> Iterator[RenderableType]:
    """The table, in parts if not all tokenizers fit side by side."""
    from rich.table import Table as Grid
    from rich.text import Text

    name_width = max(map(len, table.rows), default=0)
    fitting = max(1, (width - name_width) // (NAME_WIDTH + 2))
    yield Text(f"\n{table.what[0].upper()}{table.what[1:]}", "bold")
    for first in range(0, len(table.tokenizers), fitting):
        grid = Grid(box=None, padding=(0, 1), pad_edge=False)
        grid.add_column("", no_wrap=True)
        for name in table.tokenizers[first : first + fitting]:
            grid.add_column(Text(visible(name)), justify="right", max_width=NAME_WIDTH, overflow="fold")
        for text, cells in table.rows.items():
            row = []
            for cell in cells[first : first + fitting]:
                style = "bold green" if cell.is_best else "strike dim" if cell.is_lost else ""
                mark = "*" if cell.is_best else "✗" if cell.is_lost else " "
                row.append(Text.assemble((cell.text(), style), mark))
            grid.add_row(Text(visible(text)), *row)
        yield grid
    if note := table.note("*", "✗"):
        yield Text(note, "dim")


def sections(data: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """All tables."""
    for table in tables_of(data):
        yield from section(table, width)


def section(table: Table, width: int) -> Iterator[RenderableType]:
    from rich.table import Table as Grid
    from rich.text import Text

    yield Text(f"\n{visible(table.title)}", "bold")
    yield Text(table.explained, "dim")
    least = min(max((len(name) for name, _ in table.rows), default=0), width // 2)
    fitting = max(1, (width - least) // (NAME_WIDTH + 2))
    for first in range(0, len(table.columns), fitting):
        grid = Grid(box=None, padding=(0, 1), pad_edge=False)
        grid.add_column("", overflow="fold", max_width=max(least, 10))
        for name in table.columns[first : first + fitting]:
            grid.add_column(Text(visible(name)), justify="right", overflow="fold")
        for name, cells in table.rows:
            grid.add_row(Text(visible(name)), *(Text(visible(cell)) for cell in cells[first : first + fitting]))
        yield grid
