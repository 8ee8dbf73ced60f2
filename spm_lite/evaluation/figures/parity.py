"""Parity: what the same content costs in several languages, from parallel texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.corpus_figures import unknown_share
from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.training.balance.inequality import gini

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.measure import Measured

REPRESENTED = 0.01  # at most this share of the characters is unknown
REFERENCES = ("eng", "en")


def reference_of(names: Sequence[str], given: str | None) -> str:
    """The language that others are compared with. Raises OptionError if `given` is none of them."""
    if given is None:
        return next((name for name in REFERENCES if name in names), names[0])
    if given not in names:
        raise OptionError(
            f"reference={given!r:.40} is not one of the parallel texts: {', '.join(names)}",
            remedies=[{"reference": reference_of(names, None)}],
        )
    return given


def check_parallel(sources: Mapping[str, Measured]) -> None:
    """Raise OptionError if the texts cannot say the same one by one."""
    items = list(sources.items())
    for name, measured in items[1:]:
        first, n = items[0][0], items[0][1].shape["texts"]
        if measured.shape["texts"] != n:
            raise OptionError(
                f"parallel texts have the same number of lines: {first!r} has {n:,}, and {name!r} has "
                f"{measured.shape['texts']:,}"
            )


def parity_figures(sources: Mapping[str, Measured], tokenizer: str, reference: str) -> dict[str, Any]:
    """Premiums of each language against the reference, and how unequal the costs are, for one tokenizer."""
    languages = {name: language_figures(sources, tokenizer, name, reference) for name in sources}
    represented = [name for name, figures in languages.items() if figures["represented"]]
    costs = {name: figures["cost"] for name, figures in languages.items()}
    spelled = {name: figures["cost_spelled"] for name, figures in languages.items()}
    return {
        "reference": reference,
        "documents": sources[reference].n_documents,
        "lines": sources[reference].shape["texts"],
        "languages": languages,
        "all": spread(costs),
        "all_spelled": spread(spelled),
        "represented": spread({name: costs[name] for name in represented}),
    }


def language_figures(sources: Mapping[str, Measured], tokenizer: str, language: str, reference: str) -> dict[str, Any]:
    """The cost of one language."""
    this, other = sources[language], sources[reference]
    reading, against = this.readings[tokenizer], other.readings[tokenizer]
    texts, tokens, spelled = this.shape["texts"], reading.totals["tokens"], reading.spelled
    share = unknown_share(this.shape, reading)
    figures = {
        "tokens": tokens,
        "tokens_spelled": spelled,
        "texts": texts,
        "cost": ratio(tokens, texts),
        "cost_spelled": None if spelled is None else ratio(spelled, texts),
        "premium": ratio(tokens, against.totals["tokens"]),
        "premium_se": ratio_error(other.document_sums(reading.lengths), other.document_sums(against.lengths)),
        "premium_spelled": None if spelled is None or against.spelled is None else ratio(spelled, against.spelled),
        "byte_premium": ratio(this.shape["bytes"], other.shape["bytes"]),
        "character_premium": ratio(this.shape["characters"], other.shape["characters"]),
        "unknown_character_share": share,
    }
    figures["represented"] = share is not None and share <= REPRESENTED
    return figures


def ratio_error(above: NDArray[np.float64], below: NDArray[np.float64]) -> float | None:
    """The standard error of a ratio of sums over documents, linearised; what both share cancels."""
    n, total = len(above), float(below.sum())
    if n < 2 or total == 0:
        return None
    rest = above - float(above.sum()) / total * below
    return sqrt(n / (n - 1) * float(np.dot(rest, rest))) / total


def spread(costs: Mapping[str, float | None]) -> dict[str, Any]:
    """How unequal costs are: Gini's coefficient, and the most expensive language against the cheapest."""
    known = {name: cost for name, cost in costs.items() if cost}
    figures: dict[str, Any] = dict.fromkeys(("languages", "gini", "tax_median", "tax_max", "best", "worst"))
    figures["languages"] = len(known)
    if known:
        least, most = min(known.values()), max(known.values())
        figures |= {"gini": gini(list(known.values())), "tax_median": median(known.values()) / least}
        figures |= {"tax_max": most / least, "best": first_with(known, least), "worst": first_with(known, most)}
    return figures


def first_with(costs: Mapping[str, float], cost: float) -> str:
    """The language with this cost; of several, the first by name."""
    return min(name for name, its in costs.items() if its == cost)
