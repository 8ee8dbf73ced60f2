"""Parquet with one column, `input_ids`: list<int32>, a row for each document. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError
from spm_lite.files.id_writer import IdWriter, OutputFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMN = "input_ids"
PER_GROUP = 1 << 22  # ids and documents: a row group ends after the document that reaches it, whatever blocks come in


class ParquetWriter(IdWriter):
    """Gathers documents to row groups, whose bounds depend on the documents alone."""

    def __init__(self, files: Sequence[OutputFile], dtype: str, vocabulary: str) -> None:
        super().__init__(files, dtype, vocabulary)
        self.pyarrow, parquet = parquet_modules()
        schema = self.pyarrow.schema([(COLUMN, self.pyarrow.list_(self.pyarrow.int32()))])
        self.rows: list[Any] = []  # arrays of lists: the documents of the group that has not ended
        self.n_waiting = 0  # ids and documents
        self.output = PythonFile(files[0])
        self.parquet = parquet.ParquetWriter(self.output, schema)
        self.schema = schema

    def append(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        import numpy as np

        begin, last = 0, len(bounds) - 1
        places = bounds + np.arange(len(bounds))
        while begin < last:
            room = int(places[begin]) + PER_GROUP - self.n_waiting
            end = min(int(np.searchsorted(places, room, "left")), last)
            self.take(ids[bounds[begin] : bounds[end]], bounds[begin : end + 1] - bounds[begin])
            if self.n_waiting >= PER_GROUP:
                self.end_group()
            begin = end

    def copy(self, paths: Sequence[Path]) -> None:
        with self.pyarrow.parquet.ParquetFile(paths[0]) as file:
            for batch in file.iter_batches():
                lists = batch.column(0)
                self.write(lists.values.to_numpy(), lists.offsets.to_numpy().astype("int64"))

    def take(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        """Keep some documents for the group."""
        offsets = self.pyarrow.array(bounds.astype("int32"))
        self.rows.append(self.pyarrow.ListArray.from_arrays(offsets, self.pyarrow.array(ids.copy())))
        self.n_waiting += len(ids) + len(bounds) - 1

    def end_group(self) -> None:
        """Write the documents that wait as one row group."""
        rows = self.pyarrow.chunked_array(self.rows, self.schema.field(0).type)
        table = self.pyarrow.table([rows], schema=self.schema)
        self.parquet.write_table(table, max(len(rows), 1))
        self.rows, self.n_waiting = [], 0

    def finish(self) -> None:
        if self.rows:
            self.end_group()
        self.parquet.close()

    def forget(self) -> None:
        self.output.is_forgotten = True
        self.parquet.close()


class PythonFile:
    """An OutputFile in the form in which pyarrow writes to one."""

    closed = False

    def __init__(self, file: OutputFile) -> None:
        self.file, self.place, self.is_forgotten = file, 0, False

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.place

    def write(self, data: Any) -> int:
        n_bytes = len(data) if self.is_forgotten else self.file.write(data)
        self.place += n_bytes
        return n_bytes

    def flush(self) -> None:
        """What the file does when it is completed."""

    def close(self) -> None:
        """What the owner of the file does."""


def parquet_modules() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet. Raises OptionError if they are not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OptionError("Parquet files need pyarrow: pip install 'spm_lite[parquet]'") from None
    return pyarrow, pyarrow.parquet
