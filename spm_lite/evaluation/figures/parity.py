"""Parity: what the same content costs in several languages, from parallel texts.

The front is the tokenizers of which no other needs fewer tokens and is also fairer to the languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.corpus_figures import unknown_share
from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.figures.parity_intervals import gini_interval, ratio_error, ratio_interval
from spm_lite.training.balance.inequality import gini, most_to_least, most_to_mean

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
                f"parallel texts must have the same number of lines: {first!r} has {n:,}, and {name!r} has "
                f"{measured.shape['texts']:,}"
            )


def parity_figures(sources: Mapping[str, Measured], tokenizer: str, reference: str, seed: int = 0) -> dict[str, Any]:
    """Premiums of each language against the reference, and how unequal the costs are, for one tokenizer.

    Lines that are empty in one language are left out in all. seed: of the draws for the interval of Gini's coefficient.
    """
    kept = np.logical_and.reduce([measured.sizes > 0 for measured in sources.values()])
    costs = {name: Cost.of(measured, tokenizer, kept) for name, measured in sources.items()}
    languages = {name: language_figures(costs[name], costs[reference]) for name in sources}
    tokens = {name: cost.documents for name, cost in costs.items()}
    spelled = {name: cost.spelled_documents for name, cost in costs.items()}
    represented = {name: tokens[name] for name, figures in languages.items() if figures["represented"]}
    every = spread(tokens, seed)
    is_plain = all(spelled[name] is tokens[name] for name in spelled)
    return {
        "reference": reference,
        "documents": sources[reference].n_documents,
        "lines": int(kept.sum()),
        "lines_left_out": int((~kept).sum()),
        "languages": languages,
        "all": every,
        "all_spelled": dict(every) if is_plain else spread(spelled, seed),
        "represented": dict(every) if len(represented) == len(tokens) else spread(represented, seed),
    }


@dataclass
class Cost:
    """What the lines of a language cost, and their size. spelled: None: it is not known."""

    texts: int
    documents: NDArray[np.float64]  # tokens of each
    spelled_documents: NDArray[np.float64] | None  # `documents` itself, if no token is unknown
    bytes: int
    characters: int
    unknown_share: float | None  # of the characters of all lines

    @classmethod
    def of(cls, measured: Measured, tokenizer: str, kept: NDArray[np.bool_]) -> Cost:
        """The cost of the lines that are kept."""
        reading = measured.readings[tokenizer]
        documents = measured.document_sums(reading.lengths * kept)
        spelled: NDArray[np.float64] | None = documents
        if reading.totals["unknown_tokens"]:
            is_known = reading.spelled is not None
            spelled = measured.document_sums(reading.spelled_lengths() * kept) if is_known else None
        return cls(
            int(kept.sum()),
            documents,
            spelled,
            int(measured.sizes[kept].sum(dtype=np.int64)),
            int(measured.characters[kept].sum(dtype=np.int64)),
            unknown_share(measured.shape, reading),
        )

    @property
    def tokens(self) -> int:
        return int(self.documents.sum())

    @property
    def spelled(self) -> int | None:
        return None if self.spelled_documents is None else int(self.spelled_documents.sum())


def language_figures(this: Cost, other: Cost) -> dict[str, Any]:
    """What one language costs, and its premium over the reference."""
    tokens, spelled, share = this.tokens, this.spelled, this.unknown_share
    figures = {
        "tokens": tokens,
        "tokens_spelled": spelled,
        "texts": this.texts,
        "cost": ratio(tokens, this.texts),
        "cost_spelled": None if spelled is None else ratio(spelled, this.texts),
        "premium": ratio(tokens, other.tokens),
        "premium_se": ratio_error(this.documents, other.documents),
        "premium_ci95": ratio_interval(this.documents, other.documents),
        "premium_spelled": None,
        "premium_spelled_ci95": None,
        "byte_premium": ratio(this.bytes, other.bytes),
        "character_premium": ratio(this.characters, other.characters),
        "unknown_character_share": share,
    }
    if this.spelled_documents is not None and other.spelled_documents is not None:
        figures["premium_spelled"] = ratio(this.spelled_documents.sum(), other.spelled_documents.sum())
        figures["premium_spelled_ci95"] = ratio_interval(this.spelled_documents, other.spelled_documents)
    figures["represented"] = share is not None and share <= REPRESENTED
    return figures


def spread(costs: Mapping[str, NDArray[np.float64] | None], seed: int = 0) -> dict[str, Any]:
    """How unequal languages are: Gini's coefficient, the most expensive against the cheapest and against the mean.

    costs: tokens of each document, by language; None, or no tokens: the language is left out. All figures but sums have
    95 % intervals, which are None for fewer than two documents.
    """
    known = {name: tokens for name, tokens in costs.items() if tokens is not None and tokens.any()}
    figures: dict[str, Any] = dict.fromkeys(
        ("tokens", "gini", "gini_ci95", "tax_median", "tax_max", "tax_max_ci95", "max_mean", "max_mean_ci95", "best",
         "worst")
    )  # fmt: skip
    figures["languages"] = len(known)
    if known:
        totals = {name: float(tokens.sum()) for name, tokens in known.items()}
        least, most = min(totals.values()), max(totals.values())
        best, worst = first_with(totals, least), first_with(totals, most)
        rows = np.array([*known.values()])
        figures |= {
            "tokens": int(rows.sum()),
            "gini": gini(totals.values()),
            "gini_ci95": gini_interval(rows, seed),
            "tax_median": median(totals.values()) / least,
            "tax_max": most_to_least(totals.values()),
            "tax_max_ci95": from_one(ratio_interval(known[worst], known[best])),
            "max_mean": most_to_mean(totals.values()),
            "max_mean_ci95": from_one(ratio_interval(known[worst], rows.mean(0))),
            "best": best,
            "worst": worst,
        }
    return figures


def from_one(interval: list[float] | None) -> list[float] | None:
    """An interval of a ratio that cannot be below 1."""
    return None if interval is None else [max(end, 1.0) for end in interval]


def first_with(costs: Mapping[str, float], cost: float) -> str:
    """The language with this cost; of several, the first by name."""
    return min(name for name, its in costs.items() if its == cost)


@dataclass(frozen=True)
class FairPoint:
    """A tokenizer by its price and its fairness.

    Attributes:
        name: of the tokenizer.
        tokens: of the parallel texts of all languages.
        gini: Gini's coefficient of the languages' tokens; 0: all are equal.
        interval: both ends of the 95 % interval of `gini`; None: unknown.
        is_lost: it loses text, so it is never on the front.
    """

    name: str
    tokens: float
    gini: float
    interval: tuple[float, float] | None = None
    is_lost: bool = False

    def beats(self, other: FairPoint) -> bool:
        """Whether it is better in one of both, and not worse in the other."""
        both = (self.tokens <= other.tokens, self.gini <= other.gini)
        return all(both) and (self.tokens, self.gini) != (other.tokens, other.gini)


def front_of(points: Sequence[FairPoint]) -> list[FairPoint]:
    """The points that no other beats, the fewest tokens first.

    >>> plain, fair, poor = FairPoint("plain", 100, 0.05), FairPoint("fair", 102, 0.01), FairPoint("poor", 103, 0.06)
    >>> [point.name for point in front_of([poor, fair, plain])]
    ['plain', 'fair']
    """
    kept = [point for point in points if not point.is_lost]
    return sorted(
        (point for point in kept if not any(other.beats(point) for other in kept)), key=lambda point: point.tokens
    )
