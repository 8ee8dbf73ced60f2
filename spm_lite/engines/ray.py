"""Ray: counts, ids and figures of a column of a Dataset, and shards of files; names and options as in `engines.spark`.

Work is done in tasks, not in actors: a worker keeps its tokenizer anyway, and actors that hold all CPUs starve the
tasks that read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.engines.columns import ColumnEncoder, ColumnJudge, add_qualities, as_column_of, as_new_column
from spm_lite.engines.partial_counts import PartialCounter, make_counter, needs, tell
from spm_lite.engines.partners import arrow, partner
from spm_lite.engines.tasks import Failure, attempt, raised_in_worker, run_all
from spm_lite.engines.worker import model_bytes, tokenizer
from spm_lite.errors import ArgumentTypeError
from spm_lite.evaluation.quality import COUNTS, Quality
from spm_lite.training.count_table import CountTable

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack

    from spm_lite.engines.finishing import Manifest
    from spm_lite.engines.shards import Plan
    from spm_lite.specs import CutOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.options.checks import Rules

FAN_IN = 8  # tables added up by one task
BATCH: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}  # a block at a time


def count(
    ds: Any,
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

    Tasks count blocks, and other tasks add eight tables at a time, until one is left. With a memory_limit the tables
    of the blocks come to the caller's machine one by one, which adds them up within it.

    Args:
        ds: a Dataset of Ray. column: of its texts, strings or binary.
        sample, seed, nulls, memory_limit, quiet, options, and all other arguments: as in `spark.count`.
    Returns:
        A CountTable, ready for `train`.
    Raises:
        OptionError: a wrong option, or Ray is missing. FileError: a null or a column without texts.
    """
    ray = partner("ray")
    chosen = as_column_of(columns_of(ds), column, nulls)
    counter = make_counter(chosen, sample, seed, (normalization, denormalization, lossless, dict(options)))
    is_quiet = as_flag(quiet, "quiet")
    with worker_errors():
        counted = ds.select_columns([column]).map_batches(partial(count_block, counter), **BATCH)
        parts = counted.to_arrow_refs()
        if memory_limit is None:
            parts = added_up(ray, parts)
        sizes = ray.get([ray.remote(size_of).remote(part) for part in parts])
        if not is_quiet:
            known = [sum(size[i] for size in sizes) for i in (0, 1)]
            before = "before equal chunks are added up, " if len(parts) > 1 else ""
            tell(before + needs(known[0], known[1], counter.counting().spec.model_type, memory_limit))
        rows = (table for part in parts for table in tables_in(ray.get(part)))
        return counter.merge(rows, memory_limit)


def encode(
    ds: Any,
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    column: str = "text",
    out: str = "ids",
    bos: bool = False,
    eos: bool = False,
    nulls: str = "error",
) -> Any:
    """A Dataset with a new column of ids, list<int32>, at its end. It is lazy; the other columns pass.

    Rows keep their other columns, but Ray may change their order, even with `preserve_order`.
    Arguments and errors are those of `spark.encode`, with a Dataset of Ray.
    """
    partner("ray")
    names = columns_of(ds)
    chosen, name = as_column_of(names, column, nulls), as_new_column(names, out)
    encoder = ColumnEncoder(checked_model(tokenizer, bos, eos), chosen, name, bos, eos)
    return ds.map_batches(partial(encode_block, encoder), **BATCH)


def evaluate(
    ds: Any,
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    column: str = "text",
    nulls: str = "error",
) -> Quality:
    """The figures that `evaluate` gives for all texts of a column; sums are exact, the log-likelihood right to 1e-12.

    Arguments and errors are those of `encode` and `count`; TrainingError if there is no text.
    """
    partner("ray")
    judge = ColumnJudge(model_bytes(tokenizer), as_column_of(columns_of(ds), column, nulls))
    with worker_errors():
        rows = ds.select_columns([column]).map_batches(partial(judge_block, judge), **BATCH).take_all()
    return add_qualities(
        Quality(
            **{name: row[name] for name in COUNTS},
            log_likelihood=row["log_likelihood"] if row["has_likelihood"] else None,
        )
        for row in rows
    )


def encode_shards(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    **options: Any,
) -> Manifest:
    """Encode files to shards of ids by tasks of Ray, and finish the job.

    Args:
        paths, out, tokenizer, options: as in `shards.plan`; all workers must see these paths.
    Returns:
        The figures of the job. A job that is finished already starts no task.
    Raises:
        The error of the first task that failed, naming file, row and column. Its shard is not there, the others are;
        another call goes on.
    """
    from spm_lite.engines import shards

    return run(shards.plan(paths, out, tokenizer, **options))


def run(plan: Plan) -> Manifest:
    """Run the missing tasks of a plan, and finish it, as `encode_shards` does."""

    def tasks(numbers: Sequence[int]) -> Iterator[Failure]:
        ray = partner("ray")
        task, shared = ray.remote(attempt), ray.put(plan)
        with worker_errors():
            yield from ray.get([task.remote(shared, number) for number in numbers])

    return run_all(plan, tasks)


def columns_of(ds: Any) -> list[str]:
    """The columns of a Dataset. Raises ArgumentTypeError for anything else."""
    if not hasattr(ds, "map_batches") or not hasattr(ds, "select_columns"):
        raise ArgumentTypeError(f"ds is {type(ds).__name__}: pass a Dataset of Ray, such as ray.data.read_parquet(...)")
    return list(ds.columns() or [])


def checked_model(model: Any, bos: Any, eos: Any) -> bytes:
    """The bytes of a model that has the ids asked for. Raises OptionError."""
    data = model_bytes(model)
    tokenizer(data)._bos_eos(as_flag(bos, "bos"), as_flag(eos, "eos"))
    return data


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise an error of ours that a worker raised as itself, without Ray's text around it."""
    exceptions = partner("ray", "ray.exceptions")
    try:
        yield
    except exceptions.RayError as error:
        found = raised_in_worker(str(error))
        if found is None:
            raise
        raise found from None


def added_up(ray: Any, parts: list[Any]) -> list[Any]:
    """One reference to the sum of many tables, by a tree of tasks."""
    task = ray.remote(add_tables)
    while len(parts) > 1:
        parts = [task.remote(*parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    return parts


def add_tables(*parts: Any) -> Any:
    """In a worker: a block with the sum of the tables in some blocks."""
    return block_of([CountTable.sum(table for part in parts for table in tables_in(part))])


def size_of(part: Any) -> tuple[int, int]:
    """In a worker: the chunks, and bytes of text, of the tables in a block."""
    tables = list(tables_in(part))
    return sum(map(len, tables)), sum(table.chunks.text_bytes for table in tables)


def tables_in(block: Any) -> Iterator[CountTable]:
    """The tables in a block."""
    for data in block.column("table"):
        yield CountTable.from_bytes(data.as_py())


def block_of(tables: Iterable[CountTable]) -> Any:
    """A block that holds tables."""
    pyarrow = arrow()
    return pyarrow.table({"table": pyarrow.array([table.to_bytes() for table in tables], pyarrow.large_binary())})


def count_block(counter: PartialCounter, block: Any) -> Any:
    """In a worker: the tables of a block."""
    return block_of(counter.tables(block.to_batches(), "the block"))


def encode_block(encoder: ColumnEncoder, block: Any) -> Any:
    """In a worker: a block with its ids."""
    return encoder.table(block, "the block")


def judge_block(judge: ColumnJudge, block: Any) -> Any:
    """In a worker: the figures of a block, as one row."""
    found = judge.quality(block.to_batches(), "the block")
    values = {name: [getattr(found, name)] for name in COUNTS}
    has_likelihood = found.log_likelihood is not None
    return arrow().table(
        {**values, "log_likelihood": [found.log_likelihood or 0.0], "has_likelihood": [has_likelihood]}
    )
