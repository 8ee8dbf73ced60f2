"""Writing to the standard streams, any of which may be closed, full, or without a reader.

Standard output carries results: if it cannot be written, an error names it. Standard error carries messages: if it
cannot be written, they are lost and the work goes on. Notes of the library are such messages. Text of the help is
wrapped to the width of the terminal.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.command_names import PROGRAM
from spm_lite.errors import FileError, FilePermissionError, MissingFileError
from spm_lite.near_names import meant_file
from spm_lite.printable import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, TextIO


def show_notes(notes: Iterable[str], quiet: bool, command: str) -> None:
    """Write each note as one line, with the options of the command as they are typed, unless `quiet`."""
    for note in () if quiet else notes:
        from spm_lite.cli.options.other_flags import as_typed  # here, since few calls have a note

        say(f"{PROGRAM}: note: {' '.join(as_typed(note, [command]).splitlines())}\n")


@contextlib.contextmanager
def shown_notes(quiet: bool, command: str) -> Iterator[None]:
    """Show the notes of the library's calls within, as `show_notes` does; the log gets none of them."""
    from spm_lite.files.plain_text import note_taker  # here, since the help needs none

    before = note_taker.set(lambda note: show_notes([note], quiet, command))
    try:
        yield
    finally:
        note_taker.reset(before)


STDOUT = "standard output"


def file_error(error: OSError, path: str, doing: str) -> FileError:
    """Convert an OSError to a FileError that names the file and the attempt. doing: "read", "write" ..."""
    kinds = {FileNotFoundError: MissingFileError, PermissionError: FilePermissionError}
    kind = kinds.get(type(error), FileError)
    meant = meant_file(path) if kind is MissingFileError and doing == "read" else ""
    return kind(f"cannot {doing} {path}: {error.strerror or error}{meant}")


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """Convert an OSError raised within to a FileError about this output. BrokenPipeError passes through."""
    try:
        yield
    except (FileError, BrokenPipeError):
        raise
    except OSError as error:
        raise file_error(error, name, "write") from None


def standard_output() -> BinaryIO:
    """Return standard output for bytes, flushed first. Raises FileError if it is closed."""
    if sys.stdout is None:
        raise FileError(f"cannot write {STDOUT}: it is closed; open it or send it to a file")
    flush_output()
    return sys.stdout.buffer


def flush_output() -> None:
    """Flush standard output. Raises a FileError that names it."""
    if sys.stdout is not None:
        with writing(STDOUT):
            sys.stdout.flush()


def write_text(text: str) -> None:
    """Write text to standard output, as UTF-8 in any locale."""
    out = standard_output()
    with writing(STDOUT):
        out.write(text.encode("utf-8", "backslashreplace"))
        out.flush()


def say(text: str) -> None:
    """Write a message to standard error; it is lost if that is closed or full.

    What a terminal might obey in the names of files and symbols is escaped; line ends, and CR of the progress, are not.
    """
    text = visible(text, but="\n\r")
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal. None: it was closed at the start."""
    return stream is not None and stream.isatty()


def give_up_unwritten() -> None:
    """Drop output that cannot be written: Python would try again at exit and change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            discard(stream)


def discard(stream: TextIO) -> None:
    """Redirect a stream to the null device, its buffered output included."""
    with contextlib.suppress(OSError, ValueError):  # raised if the stream is not a real file
        number = stream.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)


def terminal_columns() -> int:
    """The columns of the terminal, as shutil.get_terminal_size finds them; shutil imports all compressions."""
    with contextlib.suppress(KeyError, ValueError):
        if (columns := int(os.environ["COLUMNS"])) > 0:
            return columns
    if sys.__stdout__ is not None:
        with contextlib.suppress(ValueError, OSError):  # closed, or no terminal
            return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    return 80


MOST = 100  # columns of a paragraph, however wide the terminal is
ROW = r"( +\S.*?  +)(?=\S)"  # a name and the space up to what it means
PARAGRAPH = "paragraph"


def fitted(text: str, width: int) -> str:
    """The text with lines of `width` columns at most. Only a command may be longer: it is there to be copied.

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
    import re  # here, since the version is shown without it
    import textwrap

    if len(row) <= width or row.lstrip().startswith(PROGRAM) or f"| {PROGRAM}" in row:
        return row
    found = re.match(ROW, row)
    name, indent = (found[1], len(found[1])) if found is not None else ("", 4)
    if indent > width // 2:  # no room beside the name
        name, indent = f"{name.rstrip()}\n", 6
    meaning = textwrap.fill(
        row[len(found[1]) if found is not None else 0 :].strip(), max(width, 20), initial_indent=" " * indent,
        subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return name + (meaning if name.endswith("\n") else meaning[len(name) :])
