"""Spark: counts, ids and figures of a column, and shards of files. The same names and options as in `engines.ray`.

Only DataFrames are used, so all of it works in Spark Connect too. Workers need spm_lite, pandas and pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.engines.columns import ColumnEncoder, ColumnJudge, add_qualities, as_column_of, as_new_column
from spm_lite.engines.partial_counts import PartialCounter, make_counter, needs, packed, tell, unpacked
from spm_lite.engines.partners import arrow, partner
from spm_lite.engines.tasks import Failure, attempt, raised_in_worker, run_all
from spm_lite.engines.worker import model_bytes, tokenizer
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.evaluation.quality import COUNTS, Quality

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack

    from spm_lite.engines.finishing import Manifest
    from spm_lite.engines.shards import Plan
    from spm_lite.specs import CutOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import CountTable
    from spm_lite.training.options.checks import Rules

QUALITY_ROW = ", ".join(f"{name} bigint" for name in COUNTS) + ", log_likelihood double"


def count(
    df: Any,
    *,
    column: str = "text",
    sample: float | None = None,
    seed: int = 0,
    nulls: str = "error",
    memory_limit: int | str | None = None,
    quiet: bool = False,
    normalization: Rules | None = None,
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    **options: Unpack[CutOptions],
) -> CountTable:
    """Count the chunks of a column: the table that `CountTable.count` makes of all its texts.

    Workers count their partitions, Spark adds equal chunks up and spills where they do not fit, and the merged rows
    come to the caller's machine as a stream. Before they come, a line on standard error says what that machine needs
    to hold the table and to learn from it.

    Args:
        df: a DataFrame. column: of its texts, strings or binary.
        sample: the share of documents to count, above 0 and at most 1; None: all. seed: of the choice, which depends
            on the bytes of a document alone.
        nulls: what a null is: "error", or "empty", a document without text.
        memory_limit: of the caller's process, as in `CountTable.count`. The rarest chunks of the whole text are left
            out, once, so that the table does not depend on partitions.
        quiet: True leaves out the line on standard error.
        options, and all other arguments: as in `CountTable.count`.
    Returns:
        A CountTable, ready for `train`.
    Raises:
        OptionError: a wrong option, or PySpark is missing. FileError: a null or a column without texts; it names
        partition and row.
    """
    functions = partner("spark", "pyspark.sql.functions")
    chosen = as_column_of(columns_of(df), column, nulls)
    counter = make_counter(chosen, sample, seed, (normalization, denormalization, lossless, dict(options)))
    is_quiet = as_flag(quiet, "quiet")
    rows = only(df, column).mapInArrow(partial(count_rows, counter), "text binary, count bigint")
    merged = rows.groupBy("text").agg(functions.sum("count").alias("count"))
    level = partner("spark", "pyspark").StorageLevel.DISK_ONLY
    blobs = merged.mapInArrow(pack_rows, "chunks bigint, bytes bigint, rows binary").persist(level)
    try:
        with worker_errors():
            size = blobs.agg(functions.sum("chunks"), functions.sum("bytes")).first()
            if not is_quiet:
                tell(needs(size[0] or 0, size[1] or 0, counter.counting().spec.model_type, memory_limit))
            found = blobs.select("rows").toLocalIterator()
            return counter.merge((unpacked(bytes(row[0])) for row in found), memory_limit)
    finally:
        blobs.unpersist()


def encode(
    df: Any,
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    column: str = "text",
    out: str = "ids",
    bos: bool = False,
    eos: bool = False,
    nulls: str = "error",
) -> Any:
    """A DataFrame with a new column of ids, array<int>, at its end. It is lazy; the other columns pass.

    Args:
        df, column, nulls: as in `count`. out: the name of the new column.
        tokenizer: a Tokenizer, the path of a model, or its bytes.
        bos, eos: as in `Tokenizer.encode`.
    Raises:
        OptionError: a wrong option, a column that is missing or there already, or PySpark is missing. What a worker
        finds wrong is in the error of the action that runs it.
    """
    types = partner("spark", "pyspark.sql.types")
    names = columns_of(df)
    chosen, name = as_column_of(names, column, nulls), as_new_column(names, out)
    encoder = ColumnEncoder(checked_model(tokenizer, bos, eos), chosen, name, bos, eos)
    schema = types.StructType([*df.schema.fields, types.StructField(name, types.ArrayType(types.IntegerType()))])
    return df.mapInArrow(partial(encode_rows, encoder), schema)


def evaluate(
    df: Any,
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    column: str = "text",
    nulls: str = "error",
) -> Quality:
    """The figures that `evaluate` gives for all texts of a column; sums are exact, the log-likelihood right to 1e-12.

    Arguments and errors are those of `encode` and `count`; TrainingError if there is no text.
    """
    partner("spark")
    judge = ColumnJudge(model_bytes(tokenizer), as_column_of(columns_of(df), column, nulls))
    with worker_errors():
        rows = only(df, column).mapInArrow(partial(judge_rows, judge), QUALITY_ROW).collect()
    return add_qualities(Quality(*row) for row in rows)


def encode_shards(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    session: Any = None,
    **options: Any,
) -> Manifest:
    """Encode files to shards of ids by tasks of Spark, and finish the job.

    Args:
        paths, out, tokenizer, options: as in `shards.plan`; all workers must see these paths.
        session: a SparkSession; None: the active one, or a new one.
    Returns:
        The figures of the job. A job that is finished already starts no task.
    Raises:
        The error of the first task that failed, naming file, row and column. Its shard is not there, the others are;
        another call goes on.
    """
    from spm_lite.engines import shards

    return run(shards.plan(paths, out, tokenizer, **options), session)


def run(plan: Plan, session: Any = None) -> Manifest:
    """Run the missing tasks of a plan, and finish it, as `encode_shards` does."""

    def tasks(numbers: Sequence[int]) -> Iterator[Failure]:
        found = session if session is not None else partner("spark").SparkSession.builder.getOrCreate()
        work = found.range(0, len(numbers), 1, len(numbers))
        done = work.mapInArrow(partial(run_tasks, plan, list(numbers)), "number bigint, kind string, message string")
        with worker_errors():
            rows = done.collect()
        yield from (Failure(*row) for row in rows)

    return run_all(plan, tasks)


def columns_of(df: Any) -> list[str]:
    """The columns of a DataFrame. Raises ArgumentTypeError for anything else, OptionError for some names."""
    if not hasattr(df, "mapInArrow"):
        raise ArgumentTypeError(f"df is {type(df).__name__}: pass a DataFrame of Spark")
    names = list(df.columns)
    for name in names:
        if "." in name or "`" in name:
            raise OptionError(
                f"the column {name!r:.60} has a dot or backtick, which Spark's mapInArrow cannot take: rename it"
            )
    return names


def only(df: Any, column: str) -> Any:
    """A DataFrame of one column, whatever signs are in its name."""
    return df.select(f"`{column}`")


def checked_model(model: Any, bos: Any, eos: Any) -> bytes:
    """The bytes of a model that has the ids asked for. Raises OptionError."""
    data = model_bytes(model)
    tokenizer(data)._bos_eos(as_flag(bos, "bos"), as_flag(eos, "eos"))
    return data


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise an error of ours that a worker raised as itself, without Spark's text around it."""
    errors = partner("spark", "pyspark.errors")
    try:
        yield
    except errors.PySparkException as error:
        found = raised_in_worker(str(error))
        if found is None:
            raise
        raise found from None


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
