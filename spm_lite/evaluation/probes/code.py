"""What code becomes: operators, indentation, and the parts of identifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.probes.touching import spans_in_texts, touching

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

OPERATORS = (  # noqa: SIM905  (easier to read)
    "== != <= >= -> => :: := += -= *= /= && || // ** << >> ++ -- /* */ ... ?. ?? <!-- --> </ ${ #{ ;; |> <-"
).split()
DEPTHS = (*range(1, 17), 20, 24, 32)  # spaces
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
PART_ENDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=\w)_+(?=\w)", re.ASCII)
MOST_IDENTIFIERS = 1000
LEAST_IDENTIFIERS = 20  # of a source of code


def operator_figures(subject: Subject) -> dict[str, Any]:
    """Which operators are one token between spaces; `unknown`: those touched by an unknown token, which loses them."""
    single, unknown = [], []
    texts = [f"x {operator} y" for operator in OPERATORS]
    for operator, (ids, spans) in zip(OPERATORS, spans_in_texts(subject, texts), strict=True):
        touched = [ids[i] for i in touching(spans, 2, 2 + len(operator))]
        if len(touched) == 1:
            single.append(operator)
        if any(i in (-1, subject.unknown_id) for i in touched):
            unknown.append(operator)
    return {"tested": len(OPERATORS), "single": len(single), "which": single, "unknown": unknown}


def indentation_figures(subject: Subject) -> dict[str, Any]:
    """For each depth: the tokens that the spaces add, and whether decoding gives them back."""
    texts = ["x\ny", *(f"x\n{' ' * depth}y" for depth in DEPTHS)]
    plain, *rows = subject.ids(texts)
    return {
        str(depth): {
            "extra_tokens": len(ids) - len(plain),
            "kept": subject.decode(ids) == text if subject.has_decoding else None,
        }
        for depth, ids, text in zip(DEPTHS, rows, texts[1:], strict=True)
    }


def identifiers_in(texts: Sequence[str]) -> list[str]:
    """The most frequent identifiers that have parts.

    Parts end at `_`, between a small and a capital letter, and between letters and digits.
    """
    counts = Counter(name for text in texts for name in IDENTIFIER.findall(text) if PART_ENDS.search(name))
    return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_IDENTIFIERS]


def identifier_figures(subject: Subject, names: Sequence[str]) -> dict[str, Any] | None:
    """How many of the places where identifiers have parts are places between tokens; None: there are too few."""
    if len(names) < LEAST_IDENTIFIERS:
        return None
    n_places = n_cut = 0
    for name, (_, spans) in zip(names, spans_in_texts(subject, [f"x {name}" for name in names]), strict=True):
        begins = {span[0] - 2 for span in spans if span is not None}
        for found in PART_ENDS.finditer(name):
            n_places += 1
            n_cut += bool({found.start(), found.end()} & begins)
    return {"identifiers": len(names), "places": n_places, "cut": n_cut, "rate": ratio(n_cut, n_places)}
