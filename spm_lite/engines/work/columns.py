"""Columns of texts in record batches: to columns of ids, and to figures of `evaluate`. Engines pickle these objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.engines.work.kept_tokenizers import arrow, tokenizer
from spm_lite.errors import FileError, OptionError, TextError, TrainingError
from spm_lite.evaluation.quality import COUNTS, Quality, Sums
from spm_lite.texts.wrong_texts import raise_first

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

NULLS = ("error", "empty")
BLOCK_BYTES = 1 << 24  # of a column, worked on at once
TEXT_TYPES = ("string", "large_string", "binary", "large_binary", "string_view", "binary_view", "null")


class TextPart(NamedTuple):
    """Some rows of a batch, with their texts."""

    batch: Any  # a record batch
    texts: Any  # an Arrow array of strings or binary without nulls
    first: int  # rows before it


def bytes_of(texts: Any) -> int:
    """The bytes that an array takes; pyarrow 18 cannot say how many of them a slice of views takes."""
    try:
        return int(texts.nbytes)
    except arrow().ArrowTypeError:
        return int(texts.get_total_buffer_size())


class Column(NamedTuple):
    """A column of texts, and how its nulls are read."""

    name: str
    nulls: str = "error"

    def parts(self, batches: Iterable[Any], where: str) -> Iterator[TextPart]:
        """Yield the rows of record batches, some megabytes at a time.

        where: names the batches in messages. Raises FileError for a column that is missing, holds no texts, or has a
        null.
        """
        row = 0
        for batch in batches:
            place = batch.schema.get_field_index(self.name)
            if place < 0:
                raise FileError(
                    f"{where}: there is no column {self.name!r:.60}; the columns are {batch.schema.names!r:.200}"
                )
            texts = self.checked(batch.column(place), where, row)
            n_parts = max(-(-bytes_of(texts) // BLOCK_BYTES), 1)
            n_rows = max(-(-len(texts) // n_parts), 1)
            for begin in range(0, len(texts), n_rows):
                yield TextPart(batch.slice(begin, n_rows), texts.slice(begin, n_rows), row + begin)
            row += len(texts)

    def checked(self, texts: Any, where: str, row: int) -> Any:
        """The array, without nulls. row: rows before it."""
        pyarrow = arrow()
        if pyarrow.types.is_dictionary(texts.type):
            texts = texts.dictionary_decode()
        kind = str(texts.type)
        if kind not in TEXT_TYPES:
            raise FileError(f"{where}: the column {self.name!r:.60} holds {kind}, not texts: name another one")
        if not texts.null_count:
            return texts
        if self.nulls != "empty":
            null = texts.is_valid().index(pyarrow.scalar(False)).as_py()
            raise FileError(
                f"{where}, row {row + null + 1}: {self.name!r:.60} is null: leave the row out, or pass nulls='empty'"
            )
        if kind == "null":
            return pyarrow.array([""] * len(texts))
        if kind.endswith("_view"):
            texts = texts.cast(pyarrow.large_binary())
        return texts.fill_null(b"" if "binary" in str(texts.type) else "")


class ColumnEncoder(NamedTuple):
    """Adds a column of ids, list<int32>, to record batches and tables.

    model: its bytes, so that a worker keeps one tokenizer for all its tasks.
    """

    model: bytes
    column: Column
    out: str
    bos: bool
    eos: bool
    num_threads: int | None = 1

    def batches(self, batches: Iterable[Any], where: str = "the batch") -> Iterator[Any]:
        """Yield record batches with the new column at their end."""
        pyarrow = arrow()
        field = pyarrow.field(self.out, pyarrow.list_(pyarrow.int32()))
        tok = tokenizer(self.model)
        for part in self.column.parts(batches, where):
            ids = pyarrow.array(self.encode(tok, part, where), type=field.type)
            names = part.batch.schema.append(field)
            yield pyarrow.RecordBatch.from_arrays([*part.batch.columns, ids], schema=names)

    def table(self, table: Any, where: str = "the table") -> Any:
        """A table with the new column at its end."""
        pyarrow = arrow()
        field = pyarrow.field(self.out, pyarrow.list_(pyarrow.int32()))
        found = list(self.batches(table.to_batches(), where))
        return pyarrow.Table.from_batches(found, schema=table.schema.append(field))

    def encode(self, tok: Tokenizer, part: TextPart, where: str) -> Any:
        """The ids of some rows, as a Batch. Raises TextError naming the row that cannot be encoded."""
        options: Any = {"bos": self.bos, "eos": self.eos}
        try:
            return tok.encode_batch(part.texts, num_threads=self.num_threads, **options)
        except TextError:
            raise_first(
                part.texts.to_pylist(),
                lambda text: tok.encode(text, **options),
                lambda i: f"{where}, row {part.first + i + 1}, {self.column.name!r:.60}",
            )
            raise


class ColumnJudge(NamedTuple):
    """Sums the figures of `evaluate` over record batches."""

    model: bytes
    column: Column

    def quality(self, batches: Iterable[Any], where: str = "the batch") -> Quality:
        """The figures of all rows; all are 0 where there are none."""
        from spm_lite.texts.arrow_texts import ArrowTexts

        sums = Sums(tokenizer(self.model), 1)
        for part in self.column.parts(batches, where):
            try:
                sums.add(ArrowTexts(part.texts))
            except TextError as error:
                raise TextError(f"{where}, after row {part.first}, {self.column.name!r:.60}: {error}") from None
        return sums.figures()


def add_qualities(parts: Iterable[Quality]) -> Quality:
    """The figures of all parts together, in whatever order they come: exact, and likelihoods to 1e-12.

    Raises TrainingError if there was no text.
    """
    found = list(parts)
    sums = {name: sum(getattr(part, name) for part in found) for name in COUNTS}
    if sums["tokens"] == 0:
        raise TrainingError(f"there is no text to evaluate: {sums['texts']} texts were read, and none has a token")
    known = [part.log_likelihood for part in found if part.log_likelihood is not None]
    return Quality(**sums, log_likelihood=fsum(known) if known else None)


def as_nulls(nulls: Any) -> str:
    """One of NULLS, which say what to do about a null. Raises OptionError for anything else."""
    if not isinstance(nulls, str) or nulls not in NULLS:
        raise OptionError(
            f"nulls={nulls!r:.40}: must be 'error' or 'empty'", remedies=[{"nulls": name} for name in NULLS]
        )
    return nulls


def as_column_of(names: Iterable[str], column: Any, nulls: Any) -> Column:
    """A column that a table has. Raises OptionError."""
    known = list(names)
    if not isinstance(column, str) or column not in known:
        raise OptionError(f"column={column!r:.60}: there is no such column; the columns are {known!r:.200}")
    return Column(column, as_nulls(nulls))


def as_new_column(names: Iterable[str], out: Any) -> str:
    """The name of a new column. Raises OptionError."""
    if not isinstance(out, str) or not out:
        raise OptionError(f"out={out!r:.60}: must be the name of a new column")
    if out in set(names):
        raise OptionError(f"out={out!r:.60}: this column exists already; drop it, or give another name")
    return out
