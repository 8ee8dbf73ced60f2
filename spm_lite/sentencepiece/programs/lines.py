"""Lines in and out: a line ends with LF and nothing else, and each gives its own line or lines of output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from spm_lite.cli.console import file_error
from spm_lite.cli.outputs import is_special, open_output
from spm_lite.errors import FileError, IdError, SpmLiteError, TextError
from spm_lite.files.plain_text import check_plain, with_whole_start
from spm_lite.sentencepiece.processing.processor import SentencePieceProcessor
from spm_lite.sentencepiece.programs.flags import Arguments

BLOCK = 1 << 22  # bytes per read: enough work for all threads, little memory
Convert = Callable[[list[bytes]], list[bytes]]


def convert_lines(arguments: Arguments, convert: Convert) -> None:
    """Write what `convert` makes of the lines of all inputs, to --output or standard output.

    convert: lines -> the lines that are written for them. The lines before one that raises an error are written.
    """
    with open_output(arguments.values["output"] or None) as out:
        for name, first, lines in read_lines(arguments):
            try:
                write_lines(out, convert(lines))
            except SpmLiteError:
                convert_one_by_one(out, name, first, lines, convert)
                raise


def convert_one_by_one(out: BinaryIO, name: str, first: int, lines: list[bytes], convert: Convert) -> None:
    """Write what `convert` makes of each line, up to the one with the error, which is raised with its place."""
    for number, line in enumerate(lines, first):
        try:
            write_lines(out, convert([line]))
        except (IdError, TextError) as error:
            raise type(error)(f"{name}, line {number}: {error}") from error


def write_lines(out: BinaryIO, lines: list[bytes]) -> None:
    """Write lines, each with its LF."""
    if lines:
        out.write(b"\n".join(lines))
        out.write(b"\n")
        out.flush()


def read_lines(arguments: Arguments) -> Iterator[tuple[str, int, list[bytes]]]:
    """Yield (name of the input, number of the first line, lines) of --input, else of all files, else of standard input.

    Lines are without their LF. They come as soon as they are there, some megabytes at once.
    """
    given = arguments.values["input"]
    for path in [given] if given else arguments.files or ["-"]:
        with open_input(path) as (stream, name):
            first = 1
            for lines in split_lines(stream, name):
                yield name, first, lines
                first += len(lines)


@contextmanager
def open_input(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """Open an input; also its name in messages. Raises a FileError that names it."""
    if path == "-" and not Path(path).exists():
        if sys.stdin is None:
            raise FileError("cannot read standard input: it is closed; name a file")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - closed below; only opening may fail here
    except (OSError, ValueError) as error:
        raise unreadable(error, path) from None
    with stream:
        yield stream, path


def unreadable(error: OSError | ValueError, path: str) -> FileError:
    """The error for a file that cannot be opened; a ValueError is about a NUL in its name."""
    return file_error(error if isinstance(error, OSError) else OSError(str(error)), path, "read")


def split_lines(stream: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """Yield the lines of a stream, block by block. Raises FileError if it surely is not plain text."""
    pending: list[bytes] = []  # the beginning of a line whose end is not read yet
    is_first = True
    for block in with_whole_start(iter(lambda: read_block(stream, name), b"")):
        if is_first:
            check_plain(block, name)
        is_first = False
        begin, lf, end = block.rpartition(b"\n")
        if lf:
            yield b"".join([*pending, begin]).split(b"\n")
            pending = []
        if end:
            pending.append(end)
    if pending:
        yield [b"".join(pending)]


def read_block(stream: BinaryIO, name: str) -> bytes:
    """Read available data, waiting only if there is none yet; empty at the end."""
    try:
        block: bytes = getattr(stream, "read1", stream.read)(BLOCK)
    except OSError as error:
        raise file_error(error, name, "read") from None
    return block


def load_model(path: str) -> SentencePieceProcessor:
    """The processor with the model of a file. Raises a FileError that names the file, or ModelError."""
    try:
        if not is_special(path):  # a named pipe can be opened only once
            Path(path).open("rb").close()
    except (OSError, ValueError) as error:
        raise unreadable(error, path) from None
    return SentencePieceProcessor(model_file=path)
