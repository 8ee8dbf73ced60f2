"""The figures of an audit as flat rows, for Arrow and pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spm_lite.evaluation.figures.mixture import flat, with_mixture
from spm_lite.evaluation.report.faults import loses

Row = dict[str, Any]


def corpus_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each text, or the mixture, and tokenizer: all figures that are one number, and `loses_text`."""
    for text, tokenizers in with_mixture(data, "corpus").items():
        for name, figures in tokenizers.items():
            yield {"text": text, "tokenizer": name, "loses_text": loses(figures), **flat(figures)}


def parity_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each language and tokenizer."""
    for name, figures in data["parity"].items():
        for language, row in figures["languages"].items():
            is_lost = loses(data["corpus"][language][name])
            yield {"language": language, "tokenizer": name, "loses_text": is_lost, **row}


def verdict_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    for verdict in data["verdicts"]:
        low, high = verdict["ci95"] or (None, None)
        yield {**verdict, "who": ", ".join(verdict["who"]), "ci95": None, "ci95_low": low, "ci95_high": high}


def fault_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    for fault in data["faults"]:
        yield {name: value for name, value in fault.items() if name != "examples"}


def unreachable_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each piece that no text can give."""
    for name, figures in data["vocabulary"].items():
        for piece in figures["reach"].get("unreachable", []):
            yield {"tokenizer": name, **piece, "instead": str(piece["instead"]) if "instead" in piece else None}


TABLES: dict[str, Callable[[Mapping[str, Any]], Iterator[Row]]] = {
    "corpus": corpus_rows,
    "parity": parity_rows,
    "verdicts": verdict_rows,
    "faults": fault_rows,
    "unreachable": unreachable_rows,
}


def columns_of(rows: list[Row]) -> dict[str, list[Any]]:
    """Rows as columns; a value that a row lacks is None."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}
