"""Writing to the standard streams, any of which may be closed, full, or without a reader.

Standard output carries results: if it cannot be written, an error names it. Standard error carries messages: if it
cannot be written, they are lost and the work goes on.
"""

from __future__ import annotations

import contextlib
import os
import sys

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError, FilePermissionError, MissingFileError
from spm_lite.printable import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, TextIO

STDOUT = "standard output"


def named(error: OSError, path: str, doing: str) -> FileError:
    """Convert an OSError to a FileError that names the file and the attempt. doing: "read", "write" ..."""
    kinds = {FileNotFoundError: MissingFileError, PermissionError: FilePermissionError}
    return kinds.get(type(error), FileError)(f"cannot {doing} {path}: {error.strerror or error}")


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """Convert an OSError raised within to a FileError about this output. BrokenPipeError passes through."""
    try:
        yield
    except (FileError, BrokenPipeError):
        raise
    except OSError as error:
        raise named(error, name, "write") from None


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
