"""The standard streams, any of which may be closed, full, or read by nobody.

Standard output carries results: where it cannot, that is an error that names it. Standard error carries messages: where
it cannot, the work goes on without them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, TextIO

from spm_lite.errors import FileError, FilePermissionError, MissingFileError

STDOUT = "standard output"


def named(error: OSError, path: str, doing: str) -> FileError:
    """The error of the operating system as one of ours, with the file's name and what was tried."""
    kinds = {FileNotFoundError: MissingFileError, PermissionError: FilePermissionError}
    return kinds.get(type(error), FileError)(f"cannot {doing} {path}: {error.strerror or error}")


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """What the operating system refuses within is an error about this output. A reader who left is none."""
    try:
        yield
    except (FileError, BrokenPipeError):
        raise
    except OSError as error:
        raise named(error, name, "write") from None


def standard_output() -> BinaryIO:
    """Standard output for bytes, after what was printed before. Raises FileError if it is closed."""
    if sys.stdout is None:
        raise FileError(f"cannot write {STDOUT}: it is closed; open it or send it to a file")
    flush_output()
    return sys.stdout.buffer


def flush_output() -> None:
    """Send on what Python still holds of standard output. Raises FileError naming it."""
    if sys.stdout is not None:
        with writing(STDOUT):
            sys.stdout.flush()


def write_text(text: str) -> None:
    """A result for people on standard output, as UTF-8 whatever the locale says."""
    out = standard_output()
    with writing(STDOUT):
        out.write(text.encode("utf-8", "backslashreplace"))
        out.flush()


def say(text: str) -> None:
    """A message on standard error, or nowhere if that is closed or takes no more."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sees a standard stream, which is None where it was closed at the start."""
    return stream is not None and stream.isatty()


def give_up_unwritten() -> None:
    """Drop what a standard stream does not take: Python would try again at its end and change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            discard(stream)


def discard(stream: TextIO) -> None:
    """Let all that follows, and all that waits, on a stream go nowhere."""
    with contextlib.suppress(OSError, ValueError):  # where the stream is not a real file
        number = stream.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
