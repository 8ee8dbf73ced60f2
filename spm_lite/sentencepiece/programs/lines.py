"""Lines in and out: a line ends with LF and nothing else, and each gives its own line or lines of output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from spm_lite.cli.console import file_error
from spm_lite.cli.outputs import is_special, open_output
from spm_lite.cli.streams import StandardInput
from spm_lite.errors import FileError, IdError, SpmLiteError, TextError
from spm_lite.files.documents import CorpusFigures, Source, read_documents, split_block
from spm_lite.files.read_options import RAW
from spm_lite.sentencepiece.processing.processor import SentencePieceProcessor
from spm_lite.sentencepiece.programs.flags import Arguments

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
    names = [given] if given else arguments.files or ["-"]
    paths = tuple(StandardInput() if name == "-" and not Path(name).exists() else Path(name) for name in names)
    source = Source(paths, None, RAW._replace(keeps_bytes=True))  # type: ignore[arg-type]
    try:
        for part in read_documents(source, CorpusFigures()):
            yield str(part.path), part.first, split_block(part.documents)
    except FileError as error:
        if error.errno and error.filename:
            raise unreadable(OSError(error.errno, os.strerror(error.errno)), str(error.filename)) from None
        raise
    except ValueError as error:  # of a NUL in a name
        raise unreadable(error, names[0]) from None


def unreadable(error: OSError | ValueError, path: str) -> FileError:
    """The error for a file that cannot be opened; a ValueError is about a NUL in its name."""
    return file_error(error if isinstance(error, OSError) else OSError(str(error)), path, "read")


def load_model(path: str) -> SentencePieceProcessor:
    """The processor with the model of a file. Raises a FileError that names the file, or ModelError."""
    try:
        if not is_special(path):  # a named pipe can be opened only once
            Path(path).open("rb").close()
    except (OSError, ValueError) as error:
        raise unreadable(error, path) from None
    return SentencePieceProcessor(model_file=path)
