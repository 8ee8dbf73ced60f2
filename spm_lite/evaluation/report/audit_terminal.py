"""The report for terminals, made with rich: first answers, then all tables.

The answers are which tokenizer to take, which language suffers, and what is broken. The verdicts on pairs follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.report.parity_summary import LANGUAGES, language_sentences, parity_table
from spm_lite.evaluation.report.sections import Table, tables_of
from spm_lite.evaluation.report.standings import TAKE, Ranking, take_sentence
from spm_lite.evaluation.report.summaries import BROKEN, FirstTable, fault_lines, first_tables, verdict_lines
from spm_lite.printable import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_VERDICTS = 30  # lines
MOST_FAULTS = 15
NAME_WIDTH = 12  # of a tokenizer in the heading of a column
STANDING_WIDTH = 15  # of its words
STANDINGS = {"best": "bold green", "worse": "", "open": "dim", "not judged": "dim", "lost": "red"}  # by kind
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

    yield Text(TAKE, "bold")
    yield Text(visible(take_sentence(data)))
    yield from ranking(data, width)
    tables = first_tables(data)
    if tables:
        yield Text(f"\n{LANGUAGES if len(data['texts']) > 1 else 'How long texts become'}", "bold")
    for sentence in language_sentences(data):
        yield Text(visible(sentence))
    for table in tables:
        yield from first_table(table, width)
    parity = parity_table(data)
    if parity.rows:
        yield from section(parity, width)
    yield Text(f"\n{BROKEN}", "bold")
    yield from faults(data)


def ranking(data: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """How each tokenizer stands on each text; the tokenizers in order, in parts if not all fit side by side."""
    from rich.table import Table as Grid
    from rich.text import Text

    ranked = Ranking(data)
    rows = [*ranked.rows()]
    if not rows:
        return
    fitting = max(1, (width - min(max(len(text) for text, _ in rows), width // 2)) // (STANDING_WIDTH + 2))
    for first in range(0, len(ranked.order), fitting):
        grid = Grid(box=None, padding=(0, 1), pad_edge=False)
        grid.add_column("", overflow="fold", max_width=width // 2)
        for name in ranked.order[first : first + fitting]:
            grid.add_column(Text(visible(name)), max_width=STANDING_WIDTH, overflow="fold")
        for text, standings in rows[:MOST_VERDICTS]:
            shown = (Text(one.words, STANDINGS[one.kind]) for one in standings[first : first + fitting])
            grid.add_row(Text(visible(text)), *shown)
        yield grid
    if len(rows) > MOST_VERDICTS:
        yield Text(f"... and {len(rows) - MOST_VERDICTS} more texts in to_html()", "dim")
    yield Text(ranked.legend(), "dim")


def verdicts(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The verdicts on pairs, in words."""
    from rich.table import Table as Grid
    from rich.text import Text

    lines = [*verdict_lines(data)]
    if not lines:
        return
    yield Text("\nVerdicts on pairs", "bold")
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for one in lines[:MOST_VERDICTS]:
        of_whom = f"{one.of_whom}: " if one.of_whom else ""
        grid.add_row(Text(visible(one.text)), Text(visible(of_whom + one.words), STYLES[one.tone]))
    yield grid
    if len(lines) > MOST_VERDICTS:
        yield Text(f"... and {len(lines) - MOST_VERDICTS} more in to_dict() and to_html()", "dim")


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
    yield Text(f"\n{visible(table.title)}", "bold")
    for first in range(0, len(table.columns), fitting):
        grid = Grid(box=None, padding=(0, 1), pad_edge=False)
        grid.add_column("", no_wrap=True)
        for name in table.columns[first : first + fitting]:
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
        yield Text(visible(note), "dim")


def sections(data: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """The verdicts on pairs, and all tables."""
    yield from verdicts(data)
    for table in tables_of(data):
        yield from section(table, width)


def section(table: Table, width: int) -> Iterator[RenderableType]:
    from rich.table import Table as Grid
    from rich.text import Text

    yield Text(f"\n{visible(table.title)}", "bold")
    yield Text(visible(table.explained), "dim")
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
