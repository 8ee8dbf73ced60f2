"""The part of a CountTable that goes out and comes in: Arrow, its own file, TSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.errors import OptionError
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import AnyPath
from spm_lite.progress.meter import Progress
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.table_rules import TableRules
from spm_lite.training.cut_options import counting, read_rows
from spm_lite.training.options.checks import Rules

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from spm_lite.specs import CutOptions


class SavedTable:
    """Chunks with their counts, and the rules by which they were cut."""

    __slots__ = ("_chunks", "_rules")
    _chunks: ChunkTable
    _rules: TableRules

    @classmethod
    def _make(cls, chunks: ChunkTable, rules: TableRules) -> Self:
        """A CountTable of these chunks, cut under these rules."""
        table = object.__new__(cls)
        table._chunks = chunks
        table._rules = rules
        return table

    def __arrow_c_schema__(self) -> Any:
        """Arrow's C data interface: the type of the rows, struct<text: binary, count: int64>."""
        from spm_lite.training.counts.arrow_table import table_schema
        from spm_lite.training.counts.count_arrow import metadata_of

        return table_schema(metadata_of(self._chunks, self._rules))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's C data interface: the rows (text, count) in canonical order, some thousands at a time.

        The texts are not copied: they are UTF-8, with U+2581 for a space and the byte 0xFF for a boundary. The rules
        stand in the metadata. requested_schema: ignored.
        """
        from spm_lite.training.counts.arrow_table import table_stream
        from spm_lite.training.counts.count_arrow import metadata_of

        return table_stream(self._chunks, metadata_of(self._chunks, self._rules))

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.RecordBatchReader, which reads the table in place. Needs the extra `parquet`.

        Returns:
            A pyarrow.RecordBatchReader.
        Raises:
            OptionError: pyarrow is not installed.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.to_arrow().read_all().num_rows
        2
        """
        from spm_lite.files.parquet_ids import parquet_modules

        return parquet_modules()[0].RecordBatchReader.from_stream(self)

    @classmethod
    def from_arrow(
        cls,
        source: Any,
        *,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        memory_limit: int | str | None = None,
        progress: Callable[[Progress], object] | bool | None = None,
        **options: Unpack[CutOptions],
    ) -> Self:
        """Read a table from rows (text, count) in any order; equal texts add up.

        Args:
            source: a table or stream with Arrow's C data interface (pyarrow, polars, duckdb ...), or an iterable of
                these, which is read part by part.
            memory_limit: as in `count`. Chunks that do not fit are left out once, at the end. So the result does not
                depend on the parts.
            all other options: as in `count`; they say how the texts were cut. Without any, the rules in the metadata
                apply, where `to_arrow` put them.
        Returns:
            A CountTable.
        Raises:
            ModelError: a text is not a chunk under the options, or a count is below 1; the message names the row.
            OptionError: the options or two parts disagree.

        >>> counts = CountTable.count(["ab ab", "ab"])
        >>> CountTable.from_arrow(counts) == counts
        True
        """
        given = (normalization, denormalization, lossless, options)
        return cls._make(
            *read_rows(lambda rows: rows.add(source), *given, progress=progress, memory_limit=memory_limit)
        )

    def save(self, path: AnyPath) -> None:
        """Write the table to a file, whole or not at all.

        Args:
            path: the file to write.
        Raises:
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.save("ab.counts")
        """
        from spm_lite.training.counts.count_file import file_blocks

        write_atomically(path, file_blocks(self._chunks, self._rules))

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Read a file that `save` wrote.

        Args:
            path: the file.
        Returns:
            A CountTable.
        Raises:
            ModelError: the file is damaged.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.save("ab.counts")
        >>> spm_lite.CountTable.load("ab.counts") == counts
        True
        """
        from spm_lite.training.counts.count_file import load_file

        return cls._make(*load_file(path))

    def save_tsv(self, path: AnyPath, *, leave_out: bool = False, escapes: bool = False) -> int:
        """Write lines `chunk TAB count`, which SentencePiece reads too; `count_tsv` names the options for that.

        Args:
            path: the file to write.
            leave_out: True leaves out the chunks that no line can hold: those with a TAB, a line end or U+001F.
            escapes: True writes bytes that end a line or a column as `\\xHH`, such as `\\x0a` for a line end. Then no
                chunk is left out, and every chunk has its own line. `load_tsv(..., escapes=True)` reads the file;
                SentencePiece would take the escapes for text.
        Returns:
            The number of chunks left out.
        Raises:
            TrainingError: there is such a chunk, and both options are False.
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.save_tsv("ab.tsv")
        0
        """
        from spm_lite.training.counts.count_tsv import save_lines

        if self._rules.cut == "bytes" and not escapes:
            raise OptionError(
                "a table for byte-level models holds spaces and any bytes: use escapes=True, or save()",
                remedies=[{"escapes": True}],
            )
        flags = as_flag(leave_out, "leave_out"), as_flag(escapes, "escapes")
        return save_lines(self._chunks, path, *flags, in_bytes=self._rules.cut == "bytes")

    @classmethod
    def load_tsv(
        cls,
        path: AnyPath,
        *,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        escapes: bool = False,
        **options: Unpack[CutOptions],
    ) -> Self:
        """Read a table from lines `chunk TAB count`. A BOM, and CR at the ends of lines, are dropped.

        Args:
            path: the file.
            escapes: True reads what `save_tsv(..., escapes=True)` wrote.
            all other options: as in `count`; they say how the text of the chunks was cut.
        Returns:
            A CountTable.
        Raises:
            TrainingError: a line has no count, or its text is not a chunk under the options; the message names it.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> _ = counts.save_tsv("ab.tsv")
        >>> spm_lite.CountTable.load_tsv("ab.tsv") == counts
        True
        """
        from spm_lite.training.counts.count_tsv import load_lines

        run = counting(normalization, denormalization, lossless, options)
        table = load_lines(path, run.cut_rules(), as_flag(escapes, "escapes"))
        return cls._make(table, run.table_rules())

    def save_parquet(self, path: AnyPath) -> None:
        """Write a Parquet file with the columns `text` and `count`, and the rules in its metadata.

        Needs spm_lite's extra `parquet`.

        Args:
            path: the file to write.
        Raises:
            OptionError: pyarrow is not installed.
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.save_parquet("ab.parquet")
        """
        from spm_lite.training.counts.count_parquet import save_parquet

        save_parquet(self, path)

    @classmethod
    def load_parquet(
        cls,
        path: AnyPath,
        *,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        memory_limit: int | str | None = None,
        **options: Unpack[CutOptions],
    ) -> Self:
        """Read a file that `save_parquet` wrote. Needs spm_lite's extra `parquet`.

        Args:
            path: the file.
            normalization, denormalization, lossless, memory_limit, options: as in `from_arrow`.
        Returns:
            A CountTable.
        Raises:
            OptionError: pyarrow is not installed, or the options disagree with the rules in the file.
            ModelError: the file is not a Parquet file of chunks and counts; the message names the row.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> counts.save_parquet("ab.parquet")
        >>> spm_lite.CountTable.load_parquet("ab.parquet") == counts
        True
        """
        from spm_lite.training.counts.count_parquet import load_parquet

        given = (normalization, denormalization, lossless, options)
        name = f"the Parquet file {str(path)!r}"
        return cls._make(
            *read_rows(lambda rows: load_parquet(path, rows), *given, memory_limit=memory_limit, name=name)
        )
