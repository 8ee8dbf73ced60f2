"""Files of Parquet: opened with errors that name them, and the place of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.errors import FileError, OptionError
from spm_lite.files.open_files import typed
from spm_lite.files.record_files import check_schema
from spm_lite.files.remote import RemoteFile

if TYPE_CHECKING:
    from spm_lite.files.remote import AnyFile


class opened_parquet:
    """A ParquetFile in a `with` statement; errors are FileErrors that name the file."""

    def __init__(self, path: AnyFile) -> None:
        self.path = path

    def __enter__(self) -> Any:
        import pyarrow
        from pyarrow import parquet

        try:
            self.file = parquet.ParquetFile(self.path.open("rb") if isinstance(self.path, RemoteFile) else self.path)
        except pyarrow.ArrowException as error:
            raise damaged(self.path, error) from None
        except OSError as error:
            raise typed(error, self.path, "read") from error
        return self.file

    def __exit__(self, *error: object) -> None:
        self.file.close(force=True)


def damaged(path: AnyFile, error: Exception, where: str = "") -> FileError:
    """The error of a file that pyarrow cannot read."""
    reason = str(error).splitlines()[0][:200]
    return FileError(f"{str(path)!r}{where}: it is damaged, or not a Parquet file ({reason})")


def column_place(file: Any, path: AnyFile, column: str) -> int:
    """The index of a column of texts among the columns of a Parquet file. Raises OptionError if there is none."""
    check_schema(file.schema_arrow, path, column)
    paths = [file.metadata.schema.column(i).path for i in range(file.metadata.num_columns)]
    if column not in paths:
        kind = file.schema_arrow.field(column).type
        raise OptionError(f"{str(path)!r}: the column {column!r:.60} holds {kind}, not texts: name another one")
    return paths.index(column)
