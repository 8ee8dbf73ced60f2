"""The files of a job: which they are, how each is cut, and whether it is still the one that was planned.

A file is here, or elsewhere: then fsspec opens its address. Parquet is opened with errors that name the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import FileError
from spm_lite.files.column_files import check_schema, path_to_texts, told_damage
from spm_lite.files.compressed import kind_of
from spm_lite.files.documents import encoding_of
from spm_lite.files.open_files import typed
from spm_lite.files.read_options import COLUMN, PARAGRAPHS, Reading
from spm_lite.files.record_files import format_of_file
from spm_lite.files.remote import RemoteFile, as_file

if TYPE_CHECKING:
    from spm_lite.files.remote import AnyFile


TEXT, JSONL, PARQUET = "text", "jsonl", "parquet"  # kinds of sources that are cut
START = 4  # bytes that tell an encoding
WHOLE = "whole"  # and of those that are not
VERSIONS = (
    "ETag",
    "etag",
    "md5",
    "mtime",
    "LastModified",
    "last_modified",
    "updated",
    "created",
)  # of a file elsewhere


class Source(NamedTuple):
    """One file as it was when the plan was made."""

    path: str  # or an address
    size: int  # bytes
    version: int | str  # the time of its last change, ns; elsewhere what the store has, such as an etag
    kind: str
    rows: int  # of a Parquet file; -1: not known

    def file(self) -> AnyFile:
        """What opens `path`: a file of this machine, or one of an object store."""
        return as_file(self.path)


def find_sources(paths: Any) -> list[AnyFile]:
    """The files that paths, addresses, folders and patterns name, each once, in the order of their names."""
    from spm_lite.files.corpus import find_named
    from spm_lite.files.paths import check_once

    found = find_named(paths, "paths", in_order=False)
    check_once(found)
    return sorted(found, key=lambda path: os.fsencode(path))


def look_at(path: AnyFile) -> tuple[int, int | str]:
    """Size and version of a file. Raises FileError for anything but a regular file."""
    if isinstance(path, RemoteFile):
        found = path.info()
        return int(found.get("size") or 0), next((str(found[name]) for name in VERSIONS if found.get(name)), "")
    try:
        status = path.stat()
    except OSError as error:
        raise typed(error, path, "read") from error
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{str(path)!r} is not a regular file and cannot be read twice: write it to one")
    return status.st_size, status.st_mtime_ns


def check_unchanged(source: Source) -> None:
    """Raise FileError if a file is not as it was when the plan was made."""
    path = source.file()
    if isinstance(path, RemoteFile):
        path.forget_info()
    if look_at(path) != (source.size, source.version):
        raise FileError(f"{source.path!r} has changed since the plan was made: make a new plan")


def kind_of_source(path: AnyFile, reading: Reading) -> str:
    """How a file is cut."""
    try:
        with path.open("rb", buffering=0) as file:
            is_packed = kind_of(file, path.name) is not None
            start = file.read(START)
    except OSError as error:
        raise typed(error, path, "read") from error
    found = format_of_file(path, reading)
    if found == PARQUET and not reading.columns[1:]:
        return PARQUET
    if is_packed or encoding_of(start, found, reading) or (found == TEXT and not can_be_cut(reading.separator)):
        return WHOLE
    return found if found in (TEXT, JSONL) else WHOLE


def can_be_cut(separator: bytes) -> bool:
    """Whether every place where a separator stands ends a document: two of them never overlap.

    >>> can_be_cut(b"\\n"), can_be_cut(b"<|end|>"), can_be_cut(b"\\n\\n"), can_be_cut(b"")
    (True, True, False, False)
    """
    ends = range(1, len(separator))
    return (
        bool(separator)
        and separator != PARAGRAPHS
        and not any(separator.startswith(separator[-size:]) for size in ends)
    )


def is_whole(source: Source) -> bool:
    """Whether a file is one slice."""
    return source.kind not in (TEXT, JSONL, PARQUET)  # older plans have other words for some


@contextmanager
def opened_parquet(path: AnyFile) -> Iterator[Any]:
    """A ParquetFile in a `with` statement; errors are FileErrors that name the file."""
    from pyarrow import parquet

    try:
        with told_damage(path, PARQUET), path.open("rb") as stream, parquet.ParquetFile(stream) as file:
            yield file
    except FileError:
        raise
    except OSError as error:
        raise typed(error, path, "read") from error


def check_column(file: Any, path: AnyFile, column: str) -> bool:
    """Whether each row of a Parquet file has one text in a column. Raises OptionError for a column without texts."""
    paths = [file.metadata.schema.column(i).path for i in range(file.metadata.num_columns)]
    if check_schema(file.schema_arrow, path, column) == [column] and column in paths:
        return True  # of whichever type: who reads it looks at that
    path_to_texts(file.schema_arrow, path, column)
    return False


def usual_reading(options: dict[str, Any]) -> Reading:
    """The Reading of a plan that says no more of it than column, separator and nulls."""
    return Reading(
        columns=(options["column"] or COLUMN,),
        input_format="auto" if options["column"] else "text",
        newline="lf",
        separator=options["separator"].encode("latin-1"),
        keeps_bytes=True,
        nulls_are_empty=options["nulls"] == "empty",
    )


def reading_of(options: dict[str, Any]) -> Reading:
    """How the documents of a plan are read. options: as `checked_options` made them."""
    found = usual_reading(options)._replace(**options.get("reading", {}))
    return found._replace(columns=tuple(found.columns))
