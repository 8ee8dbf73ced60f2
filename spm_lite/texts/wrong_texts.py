"""Texts that are refused: count tables in place of texts, and the first of many texts that cannot be encoded."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, TextError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

RULES = b"spm_lite.rules"  # key of the metadata of a count table in Arrow and Parquet


def refuse_counts(table: Any) -> None:
    """Raise ArgumentTypeError for a CountTable, and for a table of pyarrow that was made of one.

    Its texts are chunks, and each means as many chunks as its count says.
    """
    if hasattr(table, "save_tsv") or has_counts(getattr(table, "schema", None)):
        raise ArgumentTypeError(
            "the input is a count table, and as texts it would lose its counts: pass it to train, as the first "
            "argument or in a list of CountTables (CountTable.from_arrow reads one of Arrow)"
        )


def has_counts(schema: Any) -> bool:
    """Whether a schema of pyarrow is the schema of a count table."""
    metadata = getattr(schema, "metadata", None)
    return isinstance(metadata, dict) and RULES in metadata


def raise_first(texts: Iterable[Any], encode: Callable[[Any], object], name: Callable[[int], str]) -> None:
    """Raise the TextError of the first text that `encode` refuses, after its name; return if there is none.

    An error of a whole batch does not say which text it is.
    """
    for i, text in enumerate(texts):
        try:
            encode(text)
        except TextError as error:
            raise TextError(f"{name(i)}: {error}") from None
