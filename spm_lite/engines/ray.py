"""Ray: counts, ids and figures of a column of a Dataset, and shards of files; names and options as in `engines.spark`.

Work is done in tasks, not in actors: a worker keeps its tokenizer anyway, and actors that hold all CPUs starve the
tasks that read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spm_lite.engines.engine import Engine
from spm_lite.engines.tasks import Failure, attempt
from spm_lite.engines.work.kept_tokenizers import arrow, partner
from spm_lite.errors import ArgumentTypeError
from spm_lite.evaluation.quality import COUNTS, Quality
from spm_lite.training.count_table import CountTable

if TYPE_CHECKING:
    from spm_lite.engines.shards import Plan
    from spm_lite.engines.work.columns import ColumnEncoder, ColumnJudge
    from spm_lite.engines.work.partial_counts import PartialCounter

__all__ = ["count", "encode", "encode_shards", "evaluate", "run"]

FAN_IN = 8  # tables added up by one task
BATCH: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}  # a block at a time


class Ray(Engine):
    """The cluster that Ray is connected to, or a new one on this machine."""

    def start(self) -> None:
        """Raise OptionError if Ray is missing."""
        partner("ray")

    def columns_of(self, table: Any) -> list[str]:
        """The columns of a Dataset. Raises ArgumentTypeError for anything else."""
        if not hasattr(table, "map_batches") or not hasattr(table, "select_columns"):
            raise ArgumentTypeError(
                f"table is {type(table).__name__}: pass a Dataset of Ray, such as ray.data.read_parquet(...)"
            )
        return list(table.columns() or [])

    def error_class(self) -> type[Exception]:
        """The class of Ray's errors."""
        found: type[Exception] = partner("ray", "ray.exceptions").RayError
        return found

    def count_column(
        self, table: Any, counter: PartialCounter, memory_limit: int | str | None, announce: Callable[..., None]
    ) -> CountTable:
        """Count blocks, and add eight tables at a time, until one is left.

        With a memory_limit the tables of the blocks come to the caller one by one, which adds them up within it.
        """
        ray = partner("ray")
        counted = table.select_columns([counter.column.name]).map_batches(partial(count_block, counter), **BATCH)
        parts = counted.to_arrow_refs()
        if memory_limit is None:
            parts = added_up(ray, parts)
        sizes = ray.get([ray.remote(size_of).remote(part) for part in parts])
        remark = "before equal chunks are added up, " if len(parts) > 1 else ""
        announce(sum(size[0] for size in sizes), sum(size[1] for size in sizes), remark)
        return counter.merge((found for part in parts for found in tables_in(ray.get(part))), memory_limit)

    def encode_column(self, table: Any, encoder: ColumnEncoder) -> Any:
        """A Dataset with a column of ids, list<int32>."""
        return table.map_batches(partial(encode_block, encoder), **BATCH)

    def judge_column(self, table: Any, judge: ColumnJudge) -> Iterator[Quality]:
        """The figures of the blocks."""
        blocks = table.select_columns([judge.column.name]).map_batches(partial(judge_block, judge), **BATCH)
        for row in blocks.take_all():
            likelihood = row["log_likelihood"] if row["has_likelihood"] else None
            yield Quality(**{name: row[name] for name in COUNTS}, log_likelihood=likelihood)

    def run_tasks(self, plan: Plan, numbers: Sequence[int]) -> list[Failure]:
        """Run each number of the plan as a task of Ray, and wait for all."""
        ray = partner("ray")
        task, shared = ray.remote(attempt), ray.put(plan)
        found: list[Failure] = ray.get([task.remote(shared, number) for number in numbers])
        return found


_engine = Ray()
count = _engine.count
encode = _engine.encode
evaluate = _engine.evaluate
encode_shards = _engine.encode_shards
run = _engine.run


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
    """The count tables that a block of Arrow holds as bytes, one a row."""
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
