"""Reads inputs (files, patterns, standard input) as bytes, in blocks of whole lines.

For the commands `encode` and `decode` it reads the documents of all inputs with a progress bar, and converts them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.console import file_error, show_notes
from spm_lite.cli.outputs import goes_to_terminal, is_special, open_output, refuse_inputs
from spm_lite.errors import FileError, MissingFileError
from spm_lite.files.bad_records import readable
from spm_lite.files.compressed import START_BYTES, Unpacked, kind_by_start, open_unpacked, opener_of
from spm_lite.files.documents import LINE_END, split_documents
from spm_lite.files.plain_text import FormatNotes, with_whole_start
from spm_lite.files.record_files import read_records, records_kind
from spm_lite.files.remote import as_file, is_remote
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO


NO_COPY = "cannot keep a copy of input that can be read only once"
OTHERWISE = "name a file, or set TMPDIR to a folder with more room"
BLOCK = 1 << 22  # bytes per read: enough work for all threads, little memory


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """Open one input; `-` is standard input. Raises a FileError that names the file."""
    if path == "-":
        if sys.stdin is None:
            raise FileError("cannot read standard input: it is closed; name a file")
        yield unpacked_stream(sys.stdin.buffer)
        return
    try:
        stream = open_unpacked(as_file(path))
    except OSError as error:
        raise file_error(error, path, "read") from None
    with stream:
        yield stream


def unpacked_stream(stream: BinaryIO) -> BinaryIO:
    """A stream, or what it holds if it begins as compressed data do."""
    start = getattr(stream, "peek", bytes)(START_BYTES)
    kind = kind_by_start(start)
    if kind is None:
        return stream
    name = as_file("standard input")
    return Unpacked(opener_of(kind, name), stream, name, kind)  # type: ignore[return-value]


def input_name(path: str) -> str:
    """The name of an input in messages."""
    return "standard input" if path == "-" else path


def whole_lines(reads: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream in blocks that end with LF, except perhaps the last.

    A block holds some megabytes, or one line if that is longer. Data of a pipe is passed on without waiting for more.
    """
    pending: list[bytes] = []
    for block in reads:
        cut = block.rfind(b"\n") + 1
        if not cut:
            pending.append(block)
            continue
        pending.append(block[:cut])
        yield b"".join(pending)
        pending = [block[cut:]] if cut < len(block) else []
    if pending:
        yield b"".join(pending)


def read_block(stream: BinaryIO, path: str) -> bytes:
    """Read available data, waiting only if there is none yet; empty at the end."""
    try:
        block: bytes = getattr(stream, "read1", stream.read)(BLOCK)
    except OSError as error:
        raise file_error(error, input_name(path), "read") from None
    return block


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


def read_files(
    paths: list[str], separator: bytes = LINE_END, notes: FormatNotes | None = None, column: str = ""
) -> Iterator[tuple[str, int, list[bytes], bool]]:
    """Yield (file, number of the first document, documents, whether the last one had its separator), input by input.

    separator: as `documents.as_separator` returns it. notes: examines the beginning of each input. column: of files
    of records, each of which is a document; "": such files are plain text.
    Only the last document of the last input counts as without separator: one always ends between two files.
    """
    for position, path in enumerate(paths, 1):
        first = 1
        kind = None if path == "-" else records_kind(as_file(path), column)
        if kind is not None:
            for texts in read_records(as_file(path), kind, column, None if notes is None else notes.bad):
                yield path, first, texts, True
                first += len(texts)
            continue
        with open_input(path) as stream:
            reads = examined(stream, path, notes)
            for documents, complete in (
                split_lines(reads) if separator == LINE_END else split_documents(reads, separator)
            ):
                yield path, first, documents, complete or not separator or position < len(paths)
                first += len(documents)


def examined(stream: BinaryIO, path: str, notes: FormatNotes | None) -> Iterator[bytes]:
    """Yield the available data of a stream, part by part, after its beginning was examined."""
    reads = iter(lambda: read_block(stream, path), b"")
    for data in with_whole_start(reads if notes is None else readable(reads, notes.bad)):
        if notes is not None:
            notes.check(data, input_name(path))
        notes = None
        yield data


def split_lines(reads: Iterable[bytes]) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the lines of a stream, some megabytes or one longer line at once, and whether the last one had its LF."""
    for block in whole_lines(reads):
        lines = block.split(b"\n")
        complete = not lines[-1]
        if complete:
            lines.pop()
        yield lines, complete


def input_size(paths: list[str]) -> int:
    """The total size of all inputs, in bytes; 0 if unknown."""
    if "-" in paths:
        return 0
    from spm_lite.files.paths import is_unlike_its_size, total_size

    files = [as_file(path) for path in paths]
    return 0 if any(map(is_unlike_its_size, files)) else total_size(files)


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
                shown_as = "standard input" if name == "-" else f"input-{len(copies) + 1}"  # in messages
                copies[name] = copied(name, Path(folder, shown_as))
        yield [copies.get(name, name) for name in names]


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
    """Copy an input that can be read only once; return the name of the copy."""
    with open_input(path) as stream:
        try:
            with copy.open("wb") as out:
                while block := read_block(stream, path):
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
        found = expand(path, f"cannot read {path}: there is no such file")
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
    convert: Callable[[list[bytes], str, int], list[bytes]],
    stage: str,
    quiet: bool,
    read_separator: bytes = LINE_END,
    write_separator: bytes = LINE_END,
    notes: FormatNotes | None = None,
    column: str = "",
    ends_each: bool = False,
) -> None:
    """Convert the documents of all inputs and write them, block by block.

    convert: (documents, their file, the number of the first) -> as many documents. stage: the label of the progress
    bar. notes: examines the beginning of each input. column: of files of records, as in `read_files`. ends_each: the
    last document gets a separator even if its text has none.
    """
    bar = ProgressBar(quiet or goes_to_terminal(output))
    inputs = all_inputs(files, output)
    with open_output(output) as out, bar:
        for path, first, documents, complete in read_shown(inputs, bar, stage, read_separator, notes, column):
            out.write(write_separator.join(convert(documents, path, first)))
            if complete or ends_each:
                out.write(write_separator)
            out.flush()
    if notes is not None:
        show_notes(notes.texts, quiet)


def read_shown(
    inputs: list[str], bar: ProgressBar, stage: str, separator: bytes, notes: FormatNotes | None, column: str
) -> Iterator[tuple[str, int, list[bytes], bool]]:
    """Yield what `read_files` yields, and show each part in a bar once the caller is done with it."""
    done, total = 0, input_size(inputs)
    for path, first, documents, complete in read_files(inputs, separator, notes, column):
        yield path, first, documents, complete
        done += sum(map(len, documents)) + len(documents) * len(separator)
        bar(stage, done, total)
