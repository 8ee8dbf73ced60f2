"""How input is cut into tasks: slices of files in a fixed order, by the files and `shard_size` alone.

A Parquet file is cut at row groups; plain text and JSON lines at the ends of documents, by byte range; any other file
is one slice. Consecutive slices share a task as long as they fit into `shard_size` together. A `FilePart` is a slice
as readers of files take it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.engines.shards.sources import PARQUET, TEXT, Source, check_column, is_whole, opened_parquet
from spm_lite.errors import FileError
from spm_lite.files.compressed import SUFFIXES
from spm_lite.files.open_files import typed
from spm_lite.files.read_options import LINE_END, SKIP, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from spm_lite.files.remote import AnyFile

READ_SIZE = 1 << 22
SEARCH_SIZE = 1 << 16
UNPACKED = 3  # bytes of text that a byte of compressed data counts for


class Slice(NamedTuple):
    """A part of a file."""

    source: int  # index
    begin: int  # a byte, at or after which the first document begins, or a row group; 0 for a file that is not cut
    end: int  # a byte or a row group, as `begin`; documents that begin before it belong to the slice
    rows: int  # -1: not known
    size: int  # bytes of text, about


def slices_of(number: int, source: Source, reading: Reading, shard_size: int) -> Iterable[Slice]:
    """The slices of one source, none larger than `shard_size` where it can be cut so."""
    path = source.file()
    if source.kind == PARQUET:
        return parquet_slices(number, path, reading, shard_size)
    is_packed = path.name.lower().endswith(SUFFIXES)
    if not is_whole(source):
        n_slices = max(-(-source.size // shard_size), 1)
        bounds = [source.size * i // n_slices for i in range(n_slices + 1)]
        return [Slice(number, a, b, -1, b - a) for a, b in pairwise(bounds)]
    return [Slice(number, 0, 0, -1, source.size * UNPACKED if is_packed else source.size)]


def with_rows(sources: list[Source], slices: Iterable[Slice]) -> list[Source]:
    """The sources with the rows of their slices, where these are known."""
    rows: dict[int, int] = {}
    for part in slices:
        rows[part.source] = -1 if part.rows < 0 else rows.get(part.source, 0) + part.rows
    return [source._replace(rows=rows[i]) for i, source in enumerate(sources)]


def parquet_slices(number: int, path: AnyFile, reading: Reading, shard_size: int) -> list[Slice]:
    """Runs of row groups. Raises OptionError if the file has no such column, FileError if it is damaged.

    A row group counts with all its columns: pyarrow ends the process when it is asked for a damaged one.
    """
    with opened_parquet(path) as file:
        is_flat = check_column(file, path, reading.column)
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        found = [(max(group.num_rows, 0), max(group.total_byte_size, 0)) for group in groups]
    slices, begin, rows, size = [], 0, 0, 0
    for i, (n_rows, n_bytes) in enumerate(found):
        if i > begin and size + n_bytes > shard_size:
            slices.append(Slice(number, begin, i, rows, size))
            begin, rows, size = i, 0, 0
        rows, size = rows + n_rows, size + n_bytes
    slices.append(Slice(number, begin, len(found), rows, size))
    is_known = is_flat and reading.on_error != SKIP
    return slices if is_known else [part._replace(rows=-1) for part in slices]


def tasks_of(slices: Iterable[Slice], shard_size: int) -> list[list[Slice]]:
    """Consecutive slices, as many for each task as fit into `shard_size`, at least one."""
    tasks: list[list[Slice]] = []
    size = 0
    for found in slices:
        if not tasks or size + found.size > shard_size:
            tasks.append([])
            size = 0
        tasks[-1].append(found)
        size += found.size
    return tasks


class FilePart:
    """A slice of a file, as `read_documents` takes a file: bytes of text, or row groups of Parquet."""

    def __init__(self, path: AnyFile, source: Source, part: Slice, separator: bytes) -> None:
        self._path = path
        self._separator = separator
        self.name = path.name
        self.groups = range(part.begin, part.end) if source.kind == PARQUET else None
        self.is_middle = part.begin > 0 and self.groups is None
        self.begin, self.end = (0, 0) if self.groups is not None else bounds_of(path, part, separator)

    def __str__(self) -> str:
        return str(self._path)

    __fspath__ = __str__

    def stat(self) -> os.stat_result:
        """That of the whole file."""
        return self._path.stat()

    def open(self, mode: str = "rb", buffering: int = -1) -> Any:
        """The part as a stream, or the whole file, of which `groups` are read."""
        return self._path.open(mode) if self.groups is not None else Bounded(self._path, self.begin, self.end)

    def n_before(self, unit: str) -> int:
        """How many lines, rows or texts come before the part; for messages alone."""
        if self.groups is not None:
            with opened_parquet(self._path) as file:
                return sum(file.metadata.row_group(i).num_rows for i in range(self.groups.start))
        found, left = 0, self.begin
        with opened(self._path) as file:
            while left > 0 and (data := file.read(min(left, READ_SIZE))):
                found += data.count(self._separator)
                left -= len(data)
        return found


class Bounded:
    """A part of a file, as a stream."""

    def __init__(self, path: AnyFile, begin: int, end: int) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(begin)
        self._left = end - begin

    def seekable(self) -> bool:
        """Whether its beginning can be looked at: no, since a part is not compressed."""
        return False

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; b"" at the end."""
        data: bytes = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def file_of(source: Source, part: Slice, reading: Reading) -> AnyFile | FilePart:
    """What `read_documents` reads of a slice: the whole file, or a part of it."""
    path = source.file()
    if is_whole(source):
        return path
    return FilePart(path, source, part, reading.separator if source.kind == TEXT else LINE_END)


@contextmanager
def opened(path: AnyFile) -> Iterator[Any]:
    """A file as a stream in a `with` statement; errors are FileErrors that name the file."""
    try:
        with path.open("rb", buffering=0) as file:
            yield file
    except FileError:
        raise
    except OSError as error:
        raise typed(error, path, "read") from error


def bounds_of(path: AnyFile, part: Slice, separator: bytes) -> tuple[int, int]:
    """The bytes [begin, end) of the documents that begin in the slice."""
    with opened(path) as file:
        size = file.seek(0, 2)
        return first_document(file, part.begin, separator, size), first_document(file, part.end, separator, size)


def first_document(file: BinaryIO, place: int, separator: bytes, size: int) -> int:
    """Where the first document begins at or after a place; the size of the file if none does."""
    if place == 0 or place >= size:
        return min(place, size)
    begin = max(place - len(separator), 0)
    file.seek(begin)
    rest = b""
    while data := file.read(SEARCH_SIZE):
        rest += data
        found = rest.find(separator)
        if found >= 0:
            return begin + found + len(separator)
        used = max(len(rest) - len(separator) + 1, 0)  # no separator begins there
        begin, rest = begin + used, rest[used:]
    return size
