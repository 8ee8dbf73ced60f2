"""Spark: counts, ids and figures of a column, and shards of files. The same names and options as in `engines.ray`.

Only DataFrames are used, so all of it works in Spark Connect too. Workers need spm_lite, pandas and pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spm_lite.engines.engine import Engine
from spm_lite.engines.tasks import Failure, attempt
from spm_lite.engines.work.kept_tokenizers import arrow, partner
from spm_lite.engines.work.partial_counts import packed, unpacked
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.evaluation.quality import COUNTS, Quality

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack

    from spm_lite.engines.shards import Manifest, Plan, ShardOptions
    from spm_lite.engines.work.columns import ColumnEncoder, ColumnJudge
    from spm_lite.engines.work.partial_counts import PartialCounter
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import CountTable

__all__ = ["count", "encode", "encode_shards", "evaluate", "run"]

QUALITY_ROW = ", ".join(f"{name} bigint" for name in COUNTS) + ", log_likelihood double"
ENDED = "number bigint, kind string, message string"  # how a task ended


class Spark(Engine):
    """A session; None: the active one, or a new one, where no DataFrame brings it."""

    def __init__(self, session: Any = None) -> None:
        self._session = session

    def start(self) -> None:
        """Raise OptionError if PySpark is missing, or what its `mapInArrow` needs."""
        for name in ("pyspark.sql", "pandas", "pyarrow"):
            partner("spark", name)

    def columns_of(self, table: Any) -> list[str]:
        """The columns of a DataFrame. Raises ArgumentTypeError for anything else, OptionError for some names."""
        if not hasattr(table, "mapInArrow"):
            raise ArgumentTypeError(f"table is {type(table).__name__}: pass a DataFrame of Spark")
        names = list(table.columns)
        for name in names:
            if "." in name or "`" in name:
                raise OptionError(
                    f"the column {name!r:.60} has a dot or backtick, which Spark's mapInArrow cannot take: rename it"
                )
        return names

    def error_class(self) -> type[Exception]:
        """The class of Spark's errors."""
        found: type[Exception] = partner("spark", "pyspark.errors").PySparkException
        return found

    def count_column(
        self, table: Any, counter: PartialCounter, memory_limit: int | str | None, announce: Callable[..., None]
    ) -> CountTable:
        """Count partitions, let Spark add equal chunks up, which spills what does not fit, and merge the stream."""
        functions = partner("spark", "pyspark.sql.functions")
        rows = only(table, counter.column.name).mapInArrow(partial(count_rows, counter), "text binary, count bigint")
        merged = rows.groupBy("text").agg(functions.sum("count").alias("count"))
        level = partner("spark", "pyspark").StorageLevel.DISK_ONLY
        blobs = merged.mapInArrow(pack_rows, "chunks bigint, bytes bigint, rows binary").persist(level)
        try:
            size = blobs.agg(functions.sum("chunks"), functions.sum("bytes")).first()
            announce(size[0] or 0, size[1] or 0)
            found = blobs.select("rows").toLocalIterator()
            return counter.merge((unpacked(bytes(row[0])) for row in found), memory_limit)
        finally:
            blobs.unpersist()

    def encode_column(self, table: Any, encoder: ColumnEncoder) -> Any:
        """A DataFrame with a column of ids, array<int>."""
        types = partner("spark", "pyspark.sql.types")
        ids = types.StructField(encoder.out, types.ArrayType(types.IntegerType()))
        return table.mapInArrow(partial(encode_rows, encoder), types.StructType([*table.schema.fields, ids]))

    def judge_column(self, table: Any, judge: ColumnJudge) -> Iterator[Quality]:
        """The figures of the partitions."""
        rows = only(table, judge.column.name).mapInArrow(partial(judge_rows, judge), QUALITY_ROW).collect()
        yield from (Quality(**row.asDict()) for row in rows)

    def run_tasks(self, plan: Plan, numbers: Sequence[int]) -> list[Failure]:
        """Run each number of the plan as a task of Spark, and wait for all."""
        session = self._session
        if session is None:
            session = partner("spark").SparkSession.builder.getOrCreate()
        work = session.range(0, len(numbers), 1, len(numbers))
        done = work.mapInArrow(partial(run_tasks, plan, list(numbers)), ENDED)
        return [Failure(*row) for row in done.collect()]


_engine = Spark()
count = _engine.count
encode = _engine.encode
evaluate = _engine.evaluate


def encode_shards(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    session: Any = None,
    **options: Unpack[ShardOptions],
) -> Manifest:
    """Encode files to shards of ids by tasks of Spark, and finish the job.

    Args:
        paths, out, tokenizer, options: as in `shards.plan`; all workers must see these paths.
        session: a SparkSession; None: the active one, or a new one.
    Returns:
        The figures of the job. A job that is finished already starts no task.
    Raises:
        SpmLiteError: a task failed; the message names file, row and column. Its shard is missing, and the others are
            there. Another call goes on.
    """
    return Spark(session).encode_shards(paths, out, tokenizer, **options)


def run(plan: Plan, session: Any = None) -> Manifest:
    """Run the missing tasks of a plan, and finish it, as `encode_shards` does.

    Args:
        plan: a plan of `shards.plan` or `shards.load`.
        session: as in `encode_shards`.
    Returns:
        The figures of the job.
    Raises:
        SpmLiteError: as in `encode_shards`.
    """
    return Spark(session).run(plan)


def only(df: Any, column: str) -> Any:
    """A DataFrame of one column, whatever signs are in its name."""
    return df.select(f"`{column}`")


def here() -> str:
    """Names the partition of the running task."""
    context = partner("spark", "pyspark").TaskContext.get()
    return "the partition" if context is None else f"partition {context.partitionId()}"


def count_rows(counter: PartialCounter, batches: Iterable[Any]) -> Iterator[Any]:
    """In a worker: rows (text, count) of a partition."""
    return counter.rows(batches, here())


def encode_rows(encoder: ColumnEncoder, batches: Iterable[Any]) -> Iterator[Any]:
    """In a worker: a partition with its ids."""
    return encoder.batches(batches, here())


def judge_rows(judge: ColumnJudge, batches: Iterable[Any]) -> Iterator[Any]:
    """In a worker: the figures of a partition, as one row."""
    found = judge.quality(batches, here())
    values = [*(getattr(found, name) for name in COUNTS), found.log_likelihood]
    yield as_batch([values], [*COUNTS, "log_likelihood"])


def pack_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """In a worker: rows (text, count) as blocks of some megabytes."""
    for pack in packed(batches):
        yield as_batch([list(pack)], ["chunks", "bytes", "rows"])


def run_tasks(plan: Plan, numbers: Sequence[int], batches: Iterable[Any]) -> Iterator[Any]:
    """In a worker: run the tasks whose places in `numbers` the batches hold."""
    for batch in batches:
        for place in batch.column(0).to_pylist():
            yield as_batch([list(attempt(plan, numbers[place]))], ["number", "kind", "message"])


def as_batch(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> Any:
    """A record batch of Python objects."""
    pyarrow = arrow()
    columns = [pyarrow.array(list(values)) for values in zip(*rows, strict=True)]
    if names[-1] == "log_likelihood":
        columns[-1] = columns[-1].cast(pyarrow.float64())
    return pyarrow.RecordBatch.from_arrays(columns, names=list(names))
