"""Count tables where texts are wanted: their texts are chunks, and each stands for as many as its count says."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError

if TYPE_CHECKING:
    from typing import Any

RULES = b"spm_lite.rules"  # key of the metadata of such a table in Arrow and Parquet


def refuse_counts(table: Any) -> None:
    """Raise ArgumentTypeError for a CountTable, and for a table of pyarrow that was made of one."""
    if hasattr(table, "save_tsv") or has_counts(getattr(table, "schema", None)):
        raise ArgumentTypeError(
            "the input is a count table, and as texts it would lose its counts: pass it to train, as the first "
            "argument or in a list of CountTables (CountTable.from_arrow reads one of Arrow)"
        )


def has_counts(schema: Any) -> bool:
    """Whether a schema of pyarrow is that of a count table."""
    metadata = getattr(schema, "metadata", None)
    return isinstance(metadata, dict) and RULES in metadata
