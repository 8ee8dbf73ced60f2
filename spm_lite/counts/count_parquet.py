"""Count tables as Parquet: the columns `text` (binary: UTF-8, where byte 0xFF is a boundary) and `count` (int64)."""

from __future__ import annotations

import io
from typing import Any

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.counts.cut_rules import CutRules
from spm_lite.errors import ModelError, OptionError
from spm_lite.io.files import AnyPath, read_bytes
from spm_lite.io.new_files import write_atomically

CHUNKS_PER_BLOCK = 1 << 16


def parquet_modules() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet. Raises OptionError if they are not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OptionError("Parquet files need pyarrow: pip install 'spm_lite[parquet]'") from None
    return pyarrow, pyarrow.parquet


def save_parquet(table: ChunkTable, path: AnyPath) -> None:
    """Write a table to a file."""
    pyarrow, parquet = parquet_modules()
    schema = pyarrow.schema([("text", pyarrow.binary()), ("count", pyarrow.int64())])
    target = io.BytesIO()
    with parquet.ParquetWriter(target, schema) as writer:
        for begin in range(0, len(table), CHUNKS_PER_BLOCK):
            items = table.items_from(begin, begin + CHUNKS_PER_BLOCK)
            columns = [[text for text, _ in items], [count for _, count in items]]
            writer.write_batch(pyarrow.record_batch(columns, schema=schema))
    write_atomically(path, target.getvalue())


def load_parquet(path: AnyPath, rules: CutRules) -> ChunkTable:
    """Return the table of a file; equal chunks add up. Raises ModelError, naming the row, for an invalid one."""
    pyarrow, parquet = parquet_modules()
    data = read_bytes(path)
    try:
        rows = parquet.read_table(io.BytesIO(data), columns=["text", "count"])
        texts, counts = (rows.column(name).to_pylist() for name in ("text", "count"))
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise ModelError(f"{path!r} is no Parquet file with the columns text and count: {error}") from None
    items = []
    for row, (text, count) in enumerate(zip(texts, counts, strict=True)):
        chunk = text.encode() if isinstance(text, str) else text
        if not isinstance(chunk, bytes) or not chunk or type(count) is not int or not 1 <= count < 2**63:
            raise ModelError(f"{path!r}, row {row}: {text!r:.60} with the count {count!r:.40}, not 1..2^63 - 1")
        reason = rules.why_no_chunk(chunk)
        if reason is not None:
            raise ModelError(f"{path!r}, row {row}: {chunk[:60]!r} is no chunk under these options, {reason}")
        items.append((chunk, count))
    return ChunkTable.sum([ChunkTable.from_items(items)])
