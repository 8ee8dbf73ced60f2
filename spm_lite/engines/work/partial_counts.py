"""Counting in parts: each worker counts what it gets to tables of limited size, whose rows are added up elsewhere.

The parts do not matter: equal texts add up, and what a memory limit leaves out is decided once, from all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from spm_lite.arguments import as_python
from spm_lite.engines.work.columns import Column
from spm_lite.engines.work.kept_tokenizers import arrow
from spm_lite.errors import OptionError
from spm_lite.texts.wrong_texts import RULES
from spm_lite.training.count_table import CountTable, counting
from spm_lite.training.counting import Counting
from spm_lite.training.counts.chunk_counter import ChunkCounter
from spm_lite.training.counts.count_arrow import as_json
from spm_lite.training.options.memory_limit import LEARNING, PROCESS, SORTING

TABLE_BYTES = 128 << 20  # of a worker's table, with what sorting it needs
PACK_BYTES = 1 << 23  # of rows that travel together
HASHES = 1 << 64


class Sample(NamedTuple):
    """Takes a document if the hash of (seed, its bytes) is low: the same documents, however they are divided."""

    share: float
    seed: int

    def taken(self, texts: Iterable[bytes]) -> list[bytes]:
        """The documents of the sample."""
        bound, key = int(self.share * HASHES), self.seed.to_bytes(8, "little")
        return [t for t in texts if int.from_bytes(blake2b(t, digest_size=8, key=key).digest(), "little") < bound]


class Full:
    """Stands where a counter expects a Spill: notes that the table is full."""

    def __init__(self, table_bytes: int) -> None:
        self.table_bytes = table_bytes
        self.n_spills = 0
        self.is_full = False

    def spill(self, tables: object) -> None:
        """Note it."""
        self.is_full = True


class PartialCounter(NamedTuple):
    """Counts record batches to tables. rules_of: normalization, denormalization, lossless, options of `count`."""

    column: Column
    sample: Sample | None
    rules_of: tuple[Any, Any, Any, dict[str, Any]]
    table_bytes: int = TABLE_BYTES

    def counting(self) -> Counting:
        """The options, checked."""
        return counting(*self.rules_of[:3], self.rules_of[3])  # type: ignore[arg-type]

    def tables(self, batches: Iterable[Any], where: str = "the batch") -> Iterator[CountTable]:
        """Yield the tables of all rows; a new one begins where one is full."""
        from spm_lite.texts.arrow_texts import ArrowTexts

        run = self.counting()
        rules, cut = run.table_rules(), run.cut_rules()
        counter: Any = None
        for part in self.column.parts(batches, where):
            if counter is None:
                full: Any = Full(self.table_bytes)
                counter = ChunkCounter(cut, 1, full)
            texts = list(ArrowTexts(part.texts))
            counter.add_texts(texts if self.sample is None else self.sample.taken(texts))
            if full.is_full:
                yield CountTable._make(counter.finish(), rules)
                counter = None
        if counter is not None:
            yield CountTable._make(counter.finish(), rules)

    def rows(self, batches: Iterable[Any], where: str = "the batch") -> Iterator[Any]:
        """Yield record batches of rows (text, count)."""
        pyarrow = arrow()
        names = pyarrow.schema([("text", pyarrow.binary()), ("count", pyarrow.int64())])
        for table in self.tables(batches, where):
            for batch in table.to_arrow():
                yield pyarrow.RecordBatch.from_arrays(
                    [batch.column(i).cast(names.field(i).type) for i in (0, 1)], schema=names
                )

    def merge(self, parts: Iterable[Any], memory_limit: int | str | None) -> CountTable:
        """The table of all rows. parts: batches and streams of rows that workers made, and tables.

        Engines drop the rules from the metadata; with them the texts, which we cut, need no check.
        """
        rules = self.counting().table_rules()
        metadata = {RULES: as_json(rules.to_dict())}
        made = CountTable.from_arrow(with_metadata(parts, metadata), memory_limit=memory_limit)
        return CountTable._make(made.chunks, rules)


def with_metadata(parts: Iterable[Any], metadata: dict[bytes, bytes]) -> Iterator[Any]:
    """Tables as they are, and the batches of the others with this metadata."""
    for part in parts:
        if isinstance(part, CountTable):
            yield part
        elif hasattr(part, "replace_schema_metadata"):
            yield part.replace_schema_metadata(metadata)
        else:
            yield from (batch.replace_schema_metadata(metadata) for batch in part)


def make_counter(
    column: Column, sample: Any, seed: Any, rules_of: tuple[Any, Any, Any, dict[str, Any]]
) -> PartialCounter:
    """A counter. Raises OptionError for an option that is wrong, or that parts of a text cannot obey."""
    made = PartialCounter(column, as_sample(sample, seed), rules_of)
    if made.counting().spec.input_sentence_size:
        raise OptionError(
            "input_sentence_size counts lines of the whole text, which no worker sees: pass sample=, a share of it",
            remedies=[{"input_sentence_size": 0}],
        )
    return made


def as_sample(sample: Any, seed: Any) -> Sample | None:
    """The sample of a share. Raises OptionError."""
    sample, seed = as_python(sample), as_python(seed)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < HASHES:
        raise OptionError(f"seed={seed!r:.40}: must be an int from 0 to 2^64 - 1")
    if sample is None:
        return None
    if isinstance(sample, bool) or not isinstance(sample, (int, float)) or not 0 < sample <= 1:
        raise OptionError(f"sample={sample!r:.40}: must be a share above 0 and at most 1, or None for all")
    return Sample(float(sample), seed)


class Packed(NamedTuple):
    """Rows of a merged table as the bytes of an Arrow stream, and how many they are."""

    chunks: int
    n_bytes: int  # of their texts
    rows: bytes


def packed(batches: Iterable[Any]) -> Iterator[Packed]:
    """Gather small batches of rows (text, count) to some megabytes."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(item.nbytes for item in waiting) >= PACK_BYTES:
            yield pack(waiting)
            waiting = []
    if waiting:
        yield pack(waiting)


def pack(batches: list[Any]) -> Packed:
    """Batches of Arrow written to one buffer, with the bytes that they have in memory."""
    pyarrow = arrow()
    sink = pyarrow.BufferOutputStream()
    n_bytes = 0
    with pyarrow.ipc.new_stream(sink, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
            n_bytes += batch.column(0).nbytes
    return Packed(sum(map(len, batches)), n_bytes, sink.getvalue().to_pybytes())


def unpacked(rows: bytes) -> Any:
    """The stream of rows that `pack` made these bytes of."""
    return arrow().ipc.open_stream(rows)


def needs(chunks: int, n_bytes: int, model_type: str, memory_limit: int | str | None) -> str:
    """What one machine needs for a table of this size, in words.

    >>> needs(1_000_000, 9_000_000, "bpe", None)
    '1,000,000 chunks, 9 MB of text: holding the table takes 138 MB, learning bpe from it 306 MB'
    """
    held, learning = (megabytes(chunks, n_bytes, costs) for costs in (SORTING, LEARNING[model_type]))
    limit = "" if memory_limit is None else f"; memory_limit={memory_limit} leaves out the rarest beyond it"
    size = f"{chunks:,} chunks, {n_bytes // 10**6:,} MB of text"
    return f"{size}: holding the table takes {held} MB, learning {model_type} from it {learning} MB{limit}"


def megabytes(chunks: int, n_bytes: int, costs: tuple[float, float]) -> str:
    """Memory in MB, for people."""
    return f"{(PROCESS + chunks * costs[0] + n_bytes * costs[1]) / 10**6:,.0f}"


def tell(text: str) -> None:
    """Print a line for people, on standard error."""
    import sys

    print(f"spm_lite: {text}", file=sys.stderr, flush=True)
