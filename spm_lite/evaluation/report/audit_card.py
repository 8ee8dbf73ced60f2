"""The card of an audit in a notebook: the decision, how each tokenizer stands, languages, faults; no charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spm_lite.cards import card, escaped, left_out, table
from spm_lite.evaluation.report.parity_summary import LANGUAGES, language_sentences
from spm_lite.evaluation.report.standings import Ranking, take_sentence
from spm_lite.evaluation.report.summaries import BROKEN, FirstTable, fault_lines, first_tables

MOST_ROWS = 12  # of a table
MOST_FAULTS = 6
WHOLE = "to_html('report.html') writes the whole page: charts, the texts that cost most, all figures."
SENTENCE = "margin-top:6px;max-width:48em"


def audit_card(data: Mapping[str, Any]) -> str:
    """The card, as HTML."""
    body = "".join((*ranking(data), *languages(data), *faults(data)))
    return card(take_sentence(data), (), f'{body}<div style="{SENTENCE};opacity:.75">{WHOLE}</div>')


def ranking(data: Mapping[str, Any]) -> Iterator[str]:
    """How each tokenizer stands on each text."""
    ranked = Ranking(data)
    rows = [(text, *(one.words for one in row)) for text, row in ranked.rows()]
    if rows:
        more = left_out(len(rows) - MOST_ROWS, "text")
        yield table(("", *ranked.order), rows[:MOST_ROWS], left=1 + len(ranked.order), more=more)
        yield sentence(ranked.legend())


def languages(data: Mapping[str, Any]) -> Iterator[str]:
    """Which language has the most tokens, if that can be said, and how long texts become."""
    tables = first_tables(data)
    if not tables:
        return
    yield heading(LANGUAGES if len(data["texts"]) > 1 else "How long texts become")
    yield from map(sentence, language_sentences(data))
    for one in tables:
        yield sentence(one.title) + table(
            ("", *one.columns), [*rows_of(one)][:MOST_ROWS], more=left_out(len(one.rows) - MOST_ROWS, "text")
        )


def rows_of(found: FirstTable) -> Iterator[list[str]]:
    """The rows of a table, with signs for the best cells and for text that is lost."""
    for text, cells in found.rows.items():
        yield [text, *(f"{cell.text()}{' ★' if cell.is_best else ' ✗' if cell.is_lost else ''}" for cell in cells)]


def faults(data: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong, the worst first."""
    lines = fault_lines(data["faults"])
    yield heading(BROKEN)
    yield from (sentence(f"{one.sign} {one.words}") for one in lines[:MOST_FAULTS])
    yield sentence(left_out(len(lines) - MOST_FAULTS, "fault")) if lines else sentence("✓ none found")


def heading(text: str) -> str:
    return f'<div style="margin-top:12px;font-weight:600">{escaped(text)}</div>'


def sentence(text: str) -> str:
    """A line of text; nothing for ""."""
    return f'<div style="{SENTENCE}">{escaped(text)}</div>' if text else ""
