"""How input is cut into tasks: slices of files in a fixed order, by the files and `shard_size` alone.

A Parquet file is cut at row groups; plain text and JSON lines at the ends of documents, by byte range; any other file
is one slice. Consecutive slices share a task as long as they fit into `shard_size` together.
"""

from __future__ import annotations

import os
import stat
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.corpora.records import check_column, format_by_name
from spm_lite.errors import FileError, OptionError
from spm_lite.io.compressed import SUFFIXES, kind_of
from spm_lite.io.files import typed

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXT, JSONL, PARQUET = "text", "jsonl", "parquet"  # kinds of sources that are cut
ARROW, PACKED_JSONL, WHOLE = "arrow", "packed jsonl", "whole"  # and of those that are not
UNPACKED = 3  # bytes of text that a byte of compressed data counts for


class Source(NamedTuple):
    """One file as it was when the plan was made."""

    path: str
    size: int  # bytes
    time: int  # of its last change, ns
    kind: str
    rows: int  # of a Parquet file; -1: not known


class Slice(NamedTuple):
    """A part of a file."""

    source: int  # index
    begin: int  # a byte, at or after which the first document begins, or a row group; 0 for a file that is not cut
    end: int  # likewise; documents that begin before it belong to the slice
    rows: int  # -1: not known
    size: int  # bytes of text, about


def find_sources(paths: Any) -> list[Path]:
    """The files that paths, folders and patterns name, each once, in the order of their paths."""
    from spm_lite.arguments import as_iterable
    from spm_lite.corpora.paths import check_once, expand, shorten
    from spm_lite.io.remote import is_remote

    is_one = isinstance(paths, (str, os.PathLike))
    found: list[Path] = []
    for item in [paths] if is_one else as_iterable(paths, "paths", "a path, or a list of paths", False):
        if not isinstance(item, (str, os.PathLike)):
            raise OptionError(f"paths holds {type(item).__name__}: pass str or PathLike")
        if is_remote(os.fspath(item)):
            raise OptionError(f"{os.fspath(item)!r:.200} is not on this machine: shards are made of files that are")
        files = expand(item, f"no file {shorten(os.fspath(item))!r} to encode")
        found += [Path(path) for path in files]
    if not found:
        raise OptionError("paths is empty: name at least one file")
    check_once(found)
    return sorted(found, key=lambda path: os.fsencode(path))


def look_at(path: Path) -> tuple[int, int]:
    """Size and time of a file. Raises FileError for what is no regular file."""
    try:
        status = path.stat()
    except OSError as error:
        raise typed(error, path, "read") from error
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{str(path)!r} is no regular file: it cannot be read twice, so write it to one")
    return status.st_size, status.st_mtime_ns


def kind_of_source(path: Path, column: str, separator: bytes) -> str:
    """How a file is read. column: of files of records; "": they are plain text."""
    try:
        with path.open("rb", buffering=0) as file:
            is_packed = kind_of(file) is not None
    except OSError as error:
        raise typed(error, path, "read") from error
    found = format_by_name(path) if column else None
    if found in (PARQUET, ARROW):
        return PARQUET if found == PARQUET else ARROW
    if found == JSONL:
        return PACKED_JSONL if is_packed else JSONL
    if found is not None or is_packed or not can_be_cut(separator):
        return WHOLE
    return TEXT


def can_be_cut(separator: bytes) -> bool:
    """Whether every place where a separator stands ends a document: two of them never overlap.

    >>> can_be_cut(b"\\n"), can_be_cut(b"<|end|>"), can_be_cut(b"\\n\\n"), can_be_cut(b"")
    (True, True, False, False)
    """
    ends = range(1, len(separator))
    return bool(separator) and not any(separator.startswith(separator[-size:]) for size in ends)


def slices_of(number: int, source: Source, column: str, shard_size: int) -> Iterable[Slice]:
    """The slices of one source, none larger than `shard_size` where it can be cut so."""
    path = Path(source.path)
    if source.kind == PARQUET:
        return parquet_slices(number, path, column, shard_size)
    is_packed = path.name.lower().endswith(SUFFIXES)
    if not is_whole(source):
        n_slices = max(-(-source.size // shard_size), 1)
        bounds = [source.size * i // n_slices for i in range(n_slices + 1)]
        return [Slice(number, a, b, -1, b - a) for a, b in pairwise(bounds)]
    return [Slice(number, 0, 0, -1, source.size * UNPACKED if is_packed else source.size)]


def is_whole(source: Source) -> bool:
    """Whether a file is one slice."""
    return source.kind in (WHOLE, ARROW, PACKED_JSONL)


def with_rows(sources: list[Source], slices: Iterable[Slice]) -> list[Source]:
    """The sources with the rows of their slices, where these are known."""
    rows: dict[int, int] = {}
    for part in slices:
        rows[part.source] = -1 if part.rows < 0 else rows.get(part.source, 0) + part.rows
    return [source._replace(rows=rows[i]) for i, source in enumerate(sources)]


def parquet_slices(number: int, path: Path, column: str, shard_size: int) -> list[Slice]:
    """Runs of row groups. Raises OptionError if the file has no such column, FileError if it is damaged."""
    with opened_parquet(path) as file:
        place = column_place(file, path, column)
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        found = [(group.num_rows, group.column(place).total_uncompressed_size) for group in groups]
    slices, begin, rows, size = [], 0, 0, 0
    for i, (n_rows, n_bytes) in enumerate(found):
        if i > begin and size + n_bytes > shard_size:
            slices.append(Slice(number, begin, i, rows, size))
            begin, rows, size = i, 0, 0
        rows, size = rows + n_rows, size + n_bytes
    return [*slices, Slice(number, begin, len(found), rows, size)]


def column_place(file: Any, path: Path, column: str) -> int:
    """The index of a column of texts among those of a Parquet file. Raises OptionError if there is none."""
    check_column(file.schema_arrow.names, path, column)
    paths = [file.metadata.schema.column(i).path for i in range(file.metadata.num_columns)]
    if column not in paths:
        kind = file.schema_arrow.field(column).type
        raise OptionError(f"{str(path)!r}: the column {column!r:.60} holds {kind}, not texts: name another one")
    return paths.index(column)


class opened_parquet:
    """A ParquetFile in a `with` statement; errors are FileErrors that name the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        import pyarrow
        from pyarrow import parquet

        try:
            self.file = parquet.ParquetFile(self.path)
        except pyarrow.ArrowException as error:
            raise damaged(self.path, error) from None
        except OSError as error:
            raise typed(error, self.path, "read") from error
        return self.file

    def __exit__(self, *error: object) -> None:
        self.file.close()


def damaged(path: Path, error: Exception, where: str = "") -> FileError:
    """The error of a file that pyarrow cannot read."""
    reason = str(error).splitlines()[0][:200]
    return FileError(f"{str(path)!r}{where}: it is damaged, or no Parquet file ({reason})")


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
