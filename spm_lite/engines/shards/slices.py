"""How input is cut into tasks: slices of files in a fixed order, by the files and `shard_size` alone.

A Parquet file is cut at row groups; plain text and JSON lines at the ends of documents, by byte range; any other file
is one slice. Consecutive slices share a task as long as they fit into `shard_size` together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.engines.shards.sources import PARQUET, Source, column_place, is_whole, opened_parquet
from spm_lite.files.compressed import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.files.remote import AnyFile

UNPACKED = 3  # bytes of text that a byte of compressed data counts for


class Slice(NamedTuple):
    """A part of a file."""

    source: int  # index
    begin: int  # a byte, at or after which the first document begins, or a row group; 0 for a file that is not cut
    end: int  # a byte or a row group, as `begin`; documents that begin before it belong to the slice
    rows: int  # -1: not known
    size: int  # bytes of text, about


def slices_of(number: int, source: Source, column: str, shard_size: int) -> Iterable[Slice]:
    """The slices of one source, none larger than `shard_size` where it can be cut so."""
    path = source.file()
    if source.kind == PARQUET:
        return parquet_slices(number, path, column, shard_size)
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


def parquet_slices(number: int, path: AnyFile, column: str, shard_size: int) -> list[Slice]:
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
