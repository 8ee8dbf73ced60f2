"""Count tables as Parquet: the columns `text` (binary: UTF-8, where byte 0xFF is a boundary) and `count` (int64)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError, SpmLiteError
from spm_lite.files.new_files import new_file
from spm_lite.files.open_files import AnyPath, checked_path, typed
from spm_lite.files.parquet_ids import parquet_modules
from spm_lite.training.counts.count_arrow import TableReader


def save_parquet(table: Any, path: AnyPath) -> None:
    """Write the rows of a CountTable to a file, whole or not at all; its rules stand in the metadata."""
    pyarrow, parquet = parquet_modules()
    rows = pyarrow.RecordBatchReader.from_stream(table)
    try:
        with new_file(path) as new:
            with parquet.ParquetWriter(new.stream, rows.schema) as writer:
                for batch in rows:
                    writer.write_batch(batch)
            new.finish()
    except OSError as error:
        raise typed(error, path, "written") from error


def load_parquet(path: AnyPath, reader: TableReader) -> None:
    """Add the rows of a file. Raises ModelError, naming the row, for an invalid one, FileError and its kinds."""
    pyarrow, parquet = parquet_modules()
    name = checked_path(path, "read")
    try:
        with Path(name).open("rb") as source, parquet.ParquetFile(source) as file:
            missing = [column for column in ("text", "count") if column not in file.schema_arrow.names]
            if missing:
                raise ModelError(
                    f"{name!r} is not a Parquet file with the columns text and count: it has no {missing[0]}"
                )
            batches, schema = file.iter_batches(columns=["text", "count"]), file.schema_arrow
            columns = pyarrow.schema([schema.field("text"), schema.field("count")], schema.metadata)
            reader.add(
                pyarrow.RecordBatchReader.from_batches(columns, (batch.select(columns.names) for batch in batches))
            )
    except SpmLiteError:
        raise
    except OSError as error:
        raise typed(error, path, "read") from error
    except (pyarrow.ArrowException, ValueError, KeyError) as error:
        raise ModelError(f"{name!r} is not a Parquet file with the columns text and count: {error}") from None
