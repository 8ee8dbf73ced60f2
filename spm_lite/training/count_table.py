"""CountTable: the distinct chunks of a text with their counts, which is all that training looks at.

Its options decide how text is read, normalized and cut. It goes out and comes in as Arrow, its own file, TSV and
Parquet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias, final

from spm_lite.arguments import as_flag, as_iterable
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import FILES, NO_TEXT, TEXTS, Files, Input, chosen_input, open_source
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import AnyPath
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import as_reading, take_reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.training.counting import Counting, usable_threads
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.table_rules import TableRules, check_same
from spm_lite.training.options.checks import TRAINER_FIELDS, Options, Rules, check_options, checked_int
from spm_lite.training.options.other_names import by_name

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from spm_lite.specs import CountOptions, CutOptions, ModelType
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.counts.count_arrow import TableReader
    from spm_lite.training.counts.table_rules import TableRules


CUT_OPTIONS = (  # of `train`
    "model_type", "max_sentencepiece_length", "split_by_unicode_script", "split_by_whitespace", "split_by_number",
    "split_digits", "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "pretokenization_delimiter",
    "control_symbols", "user_defined_symbols", "byte_fallback", "unk_id", "bos_id", "eos_id", "pad_id",
    "unk_piece", "bos_piece", "eos_piece", "pad_piece", "add_dummy_prefix", "remove_extra_whitespaces",
    "max_sentence_length", "input_sentence_size", "shuffle_input_sentence", "split_by_punctuation", "split_pattern",
    "superwords",
)  # fmt: skip


def counting(
    normalization: Rules | None,
    denormalization: Rules | None,
    lossless: bool | str | None,
    options: CutOptions,
    progress: Callable[[Progress], object] | bool | None = None,
    memory_limit: int | str | None = None,
) -> Counting:
    """A Counting under these options. Raises OptionError for options that counting does not use."""
    checked = check_cut_options(normalization, denormalization, lossless, options)
    return Counting(checked, progress=as_reporter(progress), memory_limit=memory_limit)


def check_cut_options(
    normalization: Rules | None, denormalization: Rules | None, lossless: bool | str | None, options: CutOptions
) -> Options:
    """The specs of these options. Raises OptionError for options that only learning uses."""
    for name in options:
        if name in TRAINER_FIELDS and name not in CUT_OPTIONS:
            raise OptionError(f"{name} has no part in counting: give it to train")
    return check_options(normalization, denormalization, lossless, vocab_size=2**31 - 1, **options)


def read_rows(
    load: Callable[[TableReader], None],
    normalization: Rules | None,
    denormalization: Rules | None,
    lossless: bool | str | None,
    options: CutOptions,
    progress: Callable[[Progress], object] | bool | None = None,
    memory_limit: int | str | None = None,
    name: str = "the Arrow table of counts",
) -> tuple[ChunkTable, TableRules]:
    """A table of rows (text, count), and its rules.

    load: gives the rows to a reader. name: of their source, for messages. Other arguments: as of `counting`.
    """
    from spm_lite.training.counts.count_arrow import TableReader

    check_has_rows(options.get("superwords"))
    run = counting(normalization, denormalization, lossless, options, progress, memory_limit)
    is_given = bool(options) or not (normalization is denormalization is lossless is None)
    rules, spill = run.table_rules(), run.new_spill()
    with closing_bar(run.progress), spill or nullcontext():
        reader = TableReader(rules if is_given else None, rules, run.cut_rules, spill, name)
        load(reader)
        return reader.finish()


def check_has_rows(superwords: object) -> None:
    """Raise OptionError for phrases, whose documents rows (text, count) would lose. superwords: of the options."""
    if superwords:
        raise OptionError(
            "superwords and rows of text and count: they have no documents of phrases. Use save() and load(), or "
            "to_bytes() and from_bytes()",
            remedies=[{"superwords": None}],
        )


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
        check_has_rows(self._rules.superwords)
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

        check_has_rows(self._rules.superwords)
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

        check_has_rows(options.get("superwords"))
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
        from spm_lite.training.counts.count_arrow import save_parquet

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
        from spm_lite.training.counts.count_arrow import load_parquet

        given = (normalization, denormalization, lossless, options)
        name = f"the Parquet file {str(path)!r}"
        return cls._make(
            *read_rows(lambda rows: load_parquet(path, rows), *given, memory_limit=memory_limit, name=name)
        )


ITEMS_AT_ONCE = 1 << 12
MOST_ROWS = 10  # of a table that a notebook shows


@final
class CountTable(SavedTable):
    """The distinct chunks of a text with their counts, in canonical order: count descending, then bytes ascending.

    A chunk is a part of the text whose ends no piece can cross. In a chunk, U+2581 is a space, and U+001F is a
    boundary: a place in the text where a special piece was, or text that no piece can hold.
    A table never changes. It depends on the text and the options, not on the threads. The sum of the tables of the
    parts of a text is the table of the whole text.

    >>> counts = CountTable.count(["ab ab abc"] * 9)
    >>> list(counts)
    [('▁ab', 18), ('▁abc', 9)]
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ()

    def __init__(self) -> None:
        raise ArgumentTypeError(
            "a CountTable is made by CountTable.count, sum, from_bytes, from_arrow, load, load_tsv or load_parquet"
        )

    @classmethod
    @by_name(2, "CountTable.count(source, normalization='nfkc')")
    def count(
        cls,
        source: Input | None = None,
        *,
        model_type: ModelType = "unigram",
        files: Files | None = None,
        texts: Input | None = None,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        seed: int | None = 0,
        num_threads: int | None = None,
        memory_limit: int | str | None = None,
        progress: Callable[[Progress], object] | bool | None = None,
        **options: Unpack[CountOptions],
    ) -> CountTable:
        """Count the chunks of a text and return their table.

        A text without any chunk gives an empty table, which can be added to others but not trained on.

        Args:
            source: the text, as the `input` of `train`, but one only; also a table or stream of Arrow, or an iterable
                of these.
            model_type: as in `train`: how a text is cut depends on it.
            files, texts: the same in place of `source`, where the caller says which it is, as in `train`.
            memory_limit: bytes, or a text such as "512MB" (10^6), for the whole process; None: no limit. Counts beyond
                it go to temporary files in the folder that TMPDIR names. If there are too many chunks, the rarest are
                left out.
            progress: as in `train`; True shows a progress bar.
            all other options: as in `train`, which must be given the same; `CUT_OPTIONS` names the options that matter.
        Returns:
            A CountTable.
        Raises:
            OptionError: a wrong option.
            FileError: a file cannot be read.
            TrainingError: the text cannot be counted.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> list(counts)
        [('▁ab', 3), ('▁c', 1)]
        """
        reading = as_reading(take_reading(options))  # type: ignore[arg-type]
        cut: CutOptions = {"model_type": model_type, **options}  # type: ignore[typeddict-unknown-key]
        run = counting(normalization, denormalization, lossless, cut, progress, memory_limit)
        run.num_threads = usable_threads(num_threads)
        seed = checked_int("seed", seed)
        with closing_bar(run.progress):
            kind, given = chosen_input({"source": source, FILES: files, TEXTS: texts}, NO_TEXT)
            chunks = run.count_text(open_source(given, reading, kind), seed)
        log_notes(run.corpus.notes.texts)
        return cls._make(chunks, run.table_rules())

    @classmethod
    @by_name(1, "CountTable.rules_for(normalization='nfkc')")
    def rules_for(
        cls,
        *,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        **options: Unpack[CutOptions],
    ) -> TableRules:
        """The rules of tables that `count` makes under these options, without counting a text.

        Args:
            normalization, denormalization, lossless: as in `count`.
            options: as in `count`.
        Returns:
            The rules, which tables that can be added have in common.
        Raises:
            OptionError: a wrong option.

        >>> CountTable.rules_for(model_type="bpe") == CountTable.count(["ab"], model_type="bpe").rules
        True
        """
        return counting(normalization, denormalization, lossless, options).table_rules()

    @classmethod
    def sum(cls, tables: Iterable[CountTable]) -> CountTable:
        """The table of all texts together. The tables are read one by one, so a generator of them saves memory.

        The sum of tables without a memory limit is exact, in any order. What a limit left out of one table may be
        counted in another: a warning tells it.

        Args:
            tables: any iterable of CountTables.
        Returns:
            A CountTable.
        Raises:
            OptionError: there is no table, or one was cut by other rules.

        >>> CountTable.sum(CountTable.count([text]) for text in ["ab ab", "ab"]) == CountTable.count(["ab ab", "ab"])
        True
        """
        return add_tables(as_iterable(tables, "tables", "a list of count tables", False))

    def __len__(self) -> int:
        """The number of distinct chunks."""
        return len(self._chunks)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """(text, count) of each chunk, in canonical order; bytes that are not UTF-8 are lone surrogates."""
        for begin in range(0, len(self), ITEMS_AT_ONCE):
            for text, count in self._chunks.items_from(begin, begin + ITEMS_AT_ONCE):
                if self._rules.cut == "bytes":
                    yield text.decode("utf-8", "surrogateescape"), count
                else:
                    yield text.replace(b"\xff", b"\x1f").decode("utf-8", "replace"), count

    @property
    def rules(self) -> TableRules:
        """The rules that decided where text was cut; only tables with equal rules can be added."""
        return self._rules

    @property
    def chunks(self) -> ChunkTable:
        """The table in the form that trainers read."""
        return self._chunks

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return self._chunks.total

    @property
    def chunks_left_out(self) -> int:
        """The number of distinct chunks that a memory limit left out; in a sum of tables some may count twice."""
        return self._chunks.left_out.n_chunks if self._chunks.left_out else 0

    @property
    def bytes_left_out(self) -> int:
        """The bytes of text in all occurrences of the chunks left out."""
        return self._chunks.left_out.n_bytes if self._chunks.left_out else 0

    @property
    def is_exact(self) -> bool:
        """True if every chunk of the text was counted, and no memory limit left one out."""
        return self._chunks.left_out is None

    def __eq__(self, other: object) -> bool:
        """Whether rules, chunks, counts, and the chunks left out are equal."""
        if not isinstance(other, CountTable):
            return NotImplemented
        mine, theirs = self._chunks.left_out, other._chunks.left_out
        return (
            self._rules == other._rules
            and self._chunks.equals(other._chunks)
            and (mine is None) == (theirs is None)
            and (mine is None or theirs is None or mine.equals(theirs))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        left_out = f", {self.chunks_left_out:,} more left out" if self.chunks_left_out else ""
        return f"<CountTable: {len(self):,} chunks of {self.total:,}{left_out}>"

    def _repr_html_(self) -> str:
        from spm_lite.cards import card, left_out, table
        from spm_lite.pictures.signs import with_signs

        has_mark = self._rules.cut != "bytes"
        without = f"{self.chunks_left_out:,}" if self.chunks_left_out else ""
        summary = {"distinct chunks": f"{len(self):,}", "left out": without, "chunks in all": f"{self.total:,}"}
        rows = [(with_signs(text, has_mark), f"{count:,}") for text, count in islice(self, MOST_ROWS)]
        more = left_out(len(self) - MOST_ROWS, "chunk")
        kept = {name: value for name, value in summary.items() if value}
        return card("CountTable", kept, table(("the most frequent", "count"), rows, 1, more) if rows else "")

    def __add__(self, other: CountTable) -> CountTable:
        """The table of both texts together. Raises OptionError, naming the rule, if their cut rules differ."""
        if not isinstance(other, CountTable):
            return NotImplemented
        return add_tables([self, other])

    def __radd__(self, other: int) -> CountTable:
        """The table itself for 0 + table, so that `sum(tables)` is the table of all texts together."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __copy__(self) -> CountTable:
        """The table itself, since it never changes."""
        return self

    def __deepcopy__(self, memo: object) -> CountTable:
        """The table itself, as for `__copy__`."""
        return self

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        """Pickle the table as the bytes of its file."""
        return from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """The content of the file that `save` writes.

        Returns:
            bytes.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> len(counts.to_bytes()) > 0
        True
        """
        from spm_lite.training.counts.count_file import file_blocks

        return b"".join(file_blocks(self._chunks, self._rules))

    @classmethod
    def from_bytes(cls, data: bytes) -> CountTable:
        """The table whose `to_bytes` gave these bytes.

        Args:
            data: bytes of `to_bytes`.
        Returns:
            A CountTable.
        Raises:
            ModelError: the bytes are damaged, or of another kind.

        >>> import spm_lite
        >>> counts = spm_lite.CountTable.count(["ab ab", "ab c"])
        >>> spm_lite.CountTable.from_bytes(counts.to_bytes()) == counts
        True
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ArgumentTypeError(
                f"data is {type(data).__name__}: pass the bytes of a count table; `load` reads a file"
            )
        return from_bytes(bytes(data))


Tables: TypeAlias = CountTable | list[CountTable] | tuple[CountTable, ...]


def from_bytes(data: bytes) -> CountTable:
    """The table that `CountTable.to_bytes` made these bytes of."""
    import io

    from spm_lite.training.counts.count_file import read_table

    return CountTable._make(*read_table(io.BytesIO(data), len(data), "the pickled table"))


def add_tables(tables: Iterable[CountTable]) -> CountTable:
    """The sum of one or more tables. Raises OptionError if there is none, or if they were cut by different rules."""
    items = iter(tables)
    first = next(items, None)
    if first is None:
        raise OptionError("there is no count table to add: give at least one")
    rules = checked_table(first, 0)._rules
    second = next(items, None)
    if second is None:
        return first

    def chunks() -> Iterator[ChunkTable]:
        for number, table in enumerate(chain((first, second), items)):
            check_same(rules, checked_table(table, number)._rules, "the first count table", f"table {number + 1}")
            if not table.is_exact:
                log_notes(
                    [
                        f"the sum of count tables is not exact: a memory limit left {table.chunks_left_out:,} chunks "
                        f"out of table {number + 1}, which others may count. Count the parts without memory_limit, and "
                        "give it to CountTable.from_arrow"
                    ]
                )
            yield table._chunks

    return CountTable._make(ChunkTable.sum(chunks()), rules)


def checked_table(table: Any, number: int) -> CountTable:
    """`table`. Raises ArgumentTypeError if it is not a CountTable."""
    if not isinstance(table, CountTable):
        raise ArgumentTypeError(f"item {number} is {type(table).__name__} in a list of count tables")
    return table


def tables_of(source: object) -> list[CountTable] | None:
    """The count tables of a source; None for a source of any other kind."""
    if isinstance(source, CountTable):
        return [source]
    if not isinstance(source, list | tuple) or not any(isinstance(item, CountTable) for item in source):
        return None
    for number, item in enumerate(source):
        if not isinstance(item, CountTable):
            raise ArgumentTypeError(f"input item {number} is {type(item).__name__} in a list of count tables")
    return list(source)
