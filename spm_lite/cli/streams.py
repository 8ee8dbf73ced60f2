"""The inputs of a command: files, patterns and standard input, read with a progress bar, and converted."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.console import file_error, show_notes
from spm_lite.cli.outputs import goes_to_terminal, is_special, open_output, refuse_inputs
from spm_lite.errors import FileError, MissingFileError
from spm_lite.files.compressed import open_unpacked
from spm_lite.files.documents import CorpusFigures, Part, Source, read_documents, split_block
from spm_lite.files.read_options import LINE_END, Reading
from spm_lite.files.remote import as_file, is_remote
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO

    from spm_lite.files.remote import AnyFile


NO_COPY = "cannot keep a copy of input that can be read only once"
OTHERWISE = "name a file, or set TMPDIR to a folder with more room"
BLOCK = 1 << 22  # bytes copied at once


class StandardInput:
    """Standard input, as `files` takes a file. It is not closed."""

    name = ""  # which tells no format

    def __str__(self) -> str:
        return "standard input"

    __fspath__ = __str__

    def open(self, mode: str = "rb", buffering: int = -1) -> Any:
        """The stream. Raises FileError if it is closed."""
        if sys.stdin is None:
            raise FileError("cannot read standard input: it is closed; name a file")
        return OpenStream(sys.stdin.buffer)

    def stat(self) -> os.stat_result:
        """Raises OSError: nobody knows how much will come."""
        raise OSError("standard input has no size")


class OpenStream:
    """A stream of which nothing is known, and that stays open."""

    def __init__(self, stream: Any) -> None:
        self.read = getattr(stream, "read1", stream.read)
        self.peek = getattr(stream, "peek", bytes)
        self.seek = getattr(stream, "seek", None)

    def seekable(self) -> bool:
        """Whether its beginning can be looked at: no."""
        return False

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> OpenStream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def file_of(path: str) -> AnyFile:
    """The file of a path or an address; `-` is standard input."""
    return StandardInput() if path == "-" else as_file(path)  # type: ignore[return-value]


@contextlib.contextmanager
def open_input(path: str, is_raw: bool = False) -> Iterator[BinaryIO]:
    """Open one input; `-` is standard input. Raises a FileError that names the file.

    is_raw: compressed data stay so.
    """
    try:
        stream = file_of(path).open("rb", buffering=0) if is_raw else open_unpacked(file_of(path))
    except OSError as error:
        raise file_error(error, str(file_of(path)), "read") from None
    with stream:
        yield stream


def all_inputs(paths: list[str], output: str | None = None) -> list[str]:
    """The inputs with patterns expanded; standard input if there are none.

    Raises FileError if one cannot be opened, UsageError if a pattern matches the output. An output may replace an input
    given by name, but one found by a pattern was likely left by the last run.
    """
    inputs = []
    for path in paths or ["-"]:
        names = openable(path)
        if output is not None and is_pattern(path):
            refuse_inputs([output], names)
        inputs += names
    return inputs


def read_files(paths: list[str], reading: Reading, figures: CorpusFigures) -> Iterator[Part]:
    """Yield the documents of all inputs, part by part. figures: grow meanwhile."""
    return read_documents(Source(tuple(map(file_of, paths)), None, reading), figures)


@contextlib.contextmanager
def real_files(paths: list[str]) -> Iterator[list[str]]:
    """The inputs as files that can be read twice: patterns expanded, standard input and pipes copied.

    Raises FileError if one cannot be read, or copied.
    """
    from pathlib import Path

    names = all_inputs(paths)
    copies: dict[str, str] = {}
    with contextlib.ExitStack() as stack:
        folder = ""
        for name in filter(is_read_once, names):
            folder = folder or stack.enter_context(temporary_folder())
            if name not in copies:
                shown_as = "standard input" if name == "-" else f"input-{len(copies) + 1}{ending_of(name)}"
                copies[name] = copied(name, Path(folder, shown_as))
        yield [copies.get(name, name) for name in names]


def ending_of(name: str) -> str:
    """The ending of a name that tells the format of records, for a copy. Its bytes tell whether it is compressed."""
    from spm_lite.files.record_files import ENDINGS, unpacked_name

    plain = unpacked_name(as_file(name))
    return next((ending for ending in ENDINGS if plain.endswith(ending)), "")


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a folder in TMPDIR and remove it at the end."""
    import tempfile  # here, since it takes as long as a small model

    try:
        folder = tempfile.TemporaryDirectory(prefix="spm-lite-")
    except OSError as error:
        raise FileError(f"{NO_COPY}: {error.strerror}; {OTHERWISE}") from None
    with folder as name:
        yield name


def copied(path: str, copy: Path) -> str:
    """Copy an input that can be read only once; return the name of the copy.

    Compressed data stay so: who reads the copy knows how much it may unpack to, and what to do about damage.
    """
    with open_input(path, is_raw=True) as stream:
        try:
            with copy.open("wb") as out:
                while block := stream.read(BLOCK):
                    out.write(block)
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"{NO_COPY} in {copy.parent}: {error.strerror}; {OTHERWISE}") from None
    return str(copy)


def is_read_once(path: str) -> bool:
    """Whether an input can be read only once: standard input, a pipe, a device."""
    return path == "-" or is_special(path)


def openable(path: str) -> list[str]:
    """The file, or the files that a pattern matches. Raises FileError if one cannot be opened."""
    if path == "-":
        return [path]
    from spm_lite.files.paths import expand  # here, since `pathlib` takes as long as a small model

    try:
        is_name = is_pattern(path) or "." in path or os.sep in path
        hint = "" if is_name else "; texts come from files or standard input, and 'spm-lite show' takes them as words"
        found = expand(path, f"cannot read {path}: there is no such file{hint}")
    except MissingFileError:
        if not is_pattern(path):
            check_readable(path)  # raises a more exact error: no permission, too many links
        raise
    names = [f".{os.sep}-" if str(name) == "-" else str(name) for name in found]
    for name in names:
        if not is_read_once(name):
            check_readable(name)
    return names


def is_pattern(path: str) -> bool:
    """Whether a path is a folder, or a pattern that may match files, and no existing file."""
    import glob
    from pathlib import Path

    return path != "-" and (
        is_remote(path) or Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())
    )


def check_readable(path: str) -> None:
    """Raise FileError if a file cannot be opened, before long work begins."""
    with open_input(path):
        pass


def convert_lines(
    files: list[str],
    output: str | None,
    convert: Callable[[list[bytes], Part], list[bytes]],
    stage: str,
    quiet: bool,
    reading: Reading,
    write_separator: bytes = LINE_END,
    ends_each: bool = False,
    shows_notes: bool = True,
) -> None:
    """Convert the documents of all inputs and write them, block by block.

    convert: (documents, where they are) -> as many documents. stage: the command, the label of the progress bar.
    ends_each: the last document gets a separator even if its text has none; between two files there always is one.
    """
    bar, figures = ProgressBar(quiet or goes_to_terminal(output)), CorpusFigures()
    inputs = all_inputs(files, output)
    with open_output(output) as out, bar:
        for part in read_shown(inputs, bar, stage, reading, figures):
            out.write(write_separator.join(convert(split_block(part.documents), part)))
            if part.is_complete or ends_each or len(figures.files) < len(inputs):
                out.write(write_separator)
            out.flush()
    show_notes(figures.notes.texts if shows_notes else (), quiet, stage)


def read_shown(
    inputs: list[str], bar: ProgressBar, stage: str, reading: Reading, figures: CorpusFigures
) -> Iterator[Part]:
    """Yield what `read_files` yields, and show each part in a bar once the caller is done with it."""
    for part in read_files(inputs, reading, figures):
        yield part
        bar(stage, figures.bytes_read, figures.bytes_known)
