"""Count tables as Arrow streams or Parquet: rows of `text` (binary; byte 0xFF is a boundary) and `count` (int64).

The rules by which text was cut stand in the metadata of the schema, and so does what a memory limit left out. Programs
that drop metadata lose only these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spm_lite.errors import ArgumentTypeError, ModelError, SpmLiteError
from spm_lite.files.new_files import new_file
from spm_lite.files.open_files import AnyPath, checked_path, typed
from spm_lite.files.parquet_ids import parquet_modules
from spm_lite.files.remote import as_file
from spm_lite.texts.inputs import is_column
from spm_lite.texts.wrong_texts import RULES
from spm_lite.training.counts.arrow_rows import RowCounter
from spm_lite.training.counts.characters import LeftOut
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.count_file import left_out_values, read_left_out
from spm_lite.training.counts.cut_rules import CutRules
from spm_lite.training.counts.spill import Spill
from spm_lite.training.counts.table_rules import TableRules, check_same


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
    name = checked_path(path, "read", allows_address=True)
    interrupts: list[BaseException] = []

    def selected(batches: Iterable[Any], names: list[str]) -> Iterator[Any]:
        """The wanted columns. An interrupt is kept, which Arrow would make an error of its own."""
        try:
            for batch in batches:
                yield batch.select(names)
        except (KeyboardInterrupt, SystemExit) as error:
            interrupts.append(error)
            raise

    try:
        with as_file(name).open("rb") as source, parquet.ParquetFile(source) as file:
            missing = [column for column in ("text", "count") if column not in file.schema_arrow.names]
            if missing:
                raise ModelError(
                    f"{name!r} is not a Parquet file with the columns text and count: it has no {missing[0]}"
                )
            batches, schema = file.iter_batches(columns=["text", "count"]), file.schema_arrow
            columns = pyarrow.schema([schema.field("text"), schema.field("count")], schema.metadata)
            reader.add(pyarrow.RecordBatchReader.from_batches(columns, selected(batches, columns.names)))
    except SpmLiteError:
        if interrupts:
            raise interrupts[0] from None
        raise
    except OSError as error:
        raise typed(error, path, "read") from error
    except (pyarrow.ArrowException, ValueError, KeyError) as error:
        raise ModelError(f"{name!r} is not a Parquet file with the columns text and count: {error}") from None


LEFT_OUT = b"spm_lite.left_out"  # key of the metadata, as RULES


def metadata_of(table: ChunkTable, rules: TableRules) -> bytes:
    """The metadata of the schema of a table, as Arrow encodes it: numbers of 4 bytes and texts."""
    values = {RULES: rules.to_dict(), LEFT_OUT: left_out_values(table.left_out)}
    texts = [text for key, value in values.items() if value is not None for text in (key, as_json(value))]
    sized = (len(text).to_bytes(4, "little") + text for text in texts)
    return (len(texts) // 2).to_bytes(4, "little") + b"".join(sized)


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class TableReader:
    """Adds up the rows of Arrow tables whose rules agree.

    rules: that all tables must have; None: those in the metadata of the first, else `default_rules`.
    cut_rules: makes the rules by which texts are checked. Texts of tables with metadata need no check if `rules` are
    None, since spm_lite wrote them.
    """

    def __init__(
        self,
        rules: TableRules | None,
        default_rules: TableRules,
        cut_rules: Callable[[], CutRules],
        spill: Spill | None = None,
        name: str = "the Arrow table of counts",
    ) -> None:
        self.rules, self.default_rules, self.cut_rules = rules, default_rules, cut_rules
        self.must_check = rules is not None
        self.name = name
        self.rows = RowCounter(self.begin, spill, name)
        self.left_out: dict[bytes, LeftOut] = {}  # batches of one stream all have the metadata of their table

    def begin(self, metadata: dict[bytes, bytes]) -> CutRules | None:
        """Check the metadata of a table; return the rules for its texts, or None if they need no check."""
        found = self.read(metadata, RULES, TableRules.from_dict)
        if self.rules is None:
            self.rules = self.default_rules if found is None else found
        if found is not None:
            check_same(self.rules, found, "this count", self.name)
        left_out = self.read(metadata, LEFT_OUT, read_left_out)
        if left_out is not None:
            self.left_out[metadata[LEFT_OUT]] = left_out
        return self.cut_rules() if found is None or self.must_check else None

    def read(self, metadata: dict[bytes, bytes], key: bytes, convert: Callable[[Any], Any]) -> Any:
        """A value of the metadata; None: there is none. Raises ModelError if it is damaged."""
        if key not in metadata:
            return None
        try:
            value = convert(json.loads(metadata[key]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            value = None
        if value is None:
            raise ModelError(
                f"{self.name} has other {key.decode()} in its metadata than this version of spm_lite knows: count again"
            )
        return value

    def add(self, source: Any) -> None:
        """Add the rows of a table, a stream, or an iterable of these."""
        for number, part in enumerate([source] if is_column(source) else parts_of(source)):
            if not is_column(part):
                raise ArgumentTypeError(f"item {number} is {type(part).__name__} in a series of Arrow tables")
            self.rows.add(part)

    def finish(self) -> tuple[ChunkTable, TableRules]:
        """The table of all rows, and its rules."""
        table = self.rows.finish()
        for left_out in self.left_out.values():
            table.leave_out(left_out)
        return table, self.default_rules if self.rules is None else self.rules


def parts_of(source: Any) -> Iterable[Any]:
    """An iterable of tables. Raises ArgumentTypeError for anything else."""
    if isinstance(source, (str, bytes, dict)) or not hasattr(source, "__iter__"):
        raise ArgumentTypeError(
            f"the source is {type(source).__name__}: pass an Arrow table, a stream, or an iterable of them"
        )
    parts: Iterable[Any] = source
    return parts
