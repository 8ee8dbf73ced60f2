"""The difference between two tokenizers on the same documents, with its error: nothing is compared without one.

On a mixture the texts are strata, each weighted to its share of the bytes (`Strata`; Cochran 1977).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import erfc, fsum, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.figures.mixture import MIXTURE
from spm_lite.evaluation.prediction.bootstrap_draws import Draws
from spm_lite.evaluation.prediction.held_out import Predicted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from spm_lite.evaluation.prediction.held_out import Predicted


DRAWS = 2000
DRAWN_AT_ONCE = 1 << 22  # documents; then Ctrl-C is heard
MOST_DOCUMENTS = 50_000  # for more, the interval comes from the standard error: the draws would give the same
LEVELS = {"ci95": 95.0, "ci99": 99.0}
NORMAL_QUANTILES = {"ci95": 1.959963984540054, "ci99": 2.5758293035489004}


@dataclass
class Pair:
    """Two tokenizers on the held-out documents of a source. figures: those of the JSON."""

    text: str
    first: str
    second: str
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.first} - {self.second}"


def compare(
    text: str, n_bytes: NDArray[np.float64], predicted: Mapping[str, Predicted], orders: Sequence[int], seed: int
) -> list[Pair]:
    """All pairs of tokenizers on one source, without what needs the other sources. n_bytes: of each document."""
    pairs = [Pair(text, first, second) for first, second in combinations(predicted, 2)]
    names = [f"n{order}" for order in orders]
    compared = [(pair, name) for pair in pairs for name in names]
    differences = [predicted[pair.first].bits[name] - predicted[pair.second].bits[name] for pair, name in compared]
    drawn = drawn_ratios(differences, n_bytes, seed)
    for number, (pair, name) in enumerate(compared):
        column = None if drawn is None else drawn[:, number]
        pair.figures[name] = difference_figures(differences[number], n_bytes, column)
    for pair in pairs:
        if "n2" in names:
            add_less_text(pair, predicted, n_bytes)
        pair.figures["tokens"] = token_figures(predicted[pair.first].tokens, predicted[pair.second].tokens)
    return pairs


def drawn_ratios(
    differences: list[NDArray[np.float64]], n_bytes: NDArray[np.float64], seed: int
) -> NDArray[np.float64] | None:
    """For each draw of documents the differences in bits per byte; None: there are too many documents, or too few.

    The documents are those of numpy's `Generator(PCG64(seed)).integers(0, n, (DRAWS, n))`, the same for all pairs.
    """
    n = len(n_bytes)
    if not differences or not 2 <= n <= MOST_DOCUMENTS:
        return None
    rows = np.ascontiguousarray([*differences, n_bytes], dtype=np.float64)
    draws, sums = Draws(np.random.PCG64(seed), n), np.empty((DRAWS, len(rows)))
    step = max(1, DRAWN_AT_ONCE // n)
    for first in range(0, DRAWS, step):
        draws.fill_sums(rows, sums[first : first + step])
    return np.asarray(sums[:, :-1] / sums[:, -1:])


def difference_figures(
    difference: NDArray[np.float64], n_bytes: NDArray[np.float64], drawn: NDArray[np.float64] | None
) -> dict[str, Any]:
    """A difference in bits per byte with its error. drawn: the same in each draw of documents."""
    n, total = len(difference), float(n_bytes.sum())
    if n < 2 or total == 0:
        return with_error(0.0, None, None)
    d = float(difference.sum()) / total
    rest = difference - d * n_bytes
    return with_error(d, sqrt(n / (n - 1) * float(np.dot(rest, rest))) / total, drawn)


def with_error(d: float, se: float | None, drawn: NDArray[np.float64] | None) -> dict[str, Any]:
    """The figures of a difference. se: its standard error; None: it cannot be computed, and nothing is said."""
    if se is None:
        return dict.fromkeys(("difference", "se", "p", "ci95", "ci99"))
    figures: dict[str, Any] = {"difference": d, "se": se, "p": p_value(d, se)}
    for name, level in LEVELS.items():
        if drawn is None:
            figures[name] = [d - NORMAL_QUANTILES[name] * se, d + NORMAL_QUANTILES[name] * se]
        else:
            figures[name] = np.percentile(drawn, [50 - level / 2, 50 + level / 2]).tolist()
    return figures


def p_value(difference: float, se: float) -> float:
    """How likely so large a difference is by chance, two-sided.

    >>> round(p_value(1.96, 1.0), 3), p_value(0.0, 0.0)
    (0.05, 1.0)
    """
    if se == 0:
        return 1.0 if difference == 0 else 0.0
    return erfc(abs(difference) / se / sqrt(2))


def add_less_text(pair: Pair, predicted: Mapping[str, Predicted], n_bytes: NDArray[np.float64]) -> None:
    """Add the difference relative to the mean, and what it is with less training text."""
    first, second = predicted[pair.first].bits, predicted[pair.second].bits
    figures, total = pair.figures["n2"], float(n_bytes.sum())
    for part in ("half", "quarter"):
        figures[part] = float((first[part] - second[part]).sum()) / total if total else None
    mean = float(first["n2"].sum() + second["n2"].sum()) / 2
    figures["relative"] = float((first["n2"] - second["n2"]).sum()) / mean if mean else None


def token_figures(first: NDArray[np.float64], second: NDArray[np.float64]) -> dict[str, Any]:
    """How many more tokens one tokenizer has, as the logarithm of the ratio, with its error."""
    n, a, b = len(first), float(first.sum()), float(second.sum())
    if n < 2 or not a or not b:
        return log_ratio_figures(a, b, None)
    rest = first / a - second / b
    return log_ratio_figures(a, b, sqrt(n / (n - 1) * float(np.dot(rest, rest))))


def log_ratio_figures(first: float, second: float, se: float | None) -> dict[str, Any]:
    """The figures of a ratio of tokens. se: of its logarithm; None: it cannot be computed, and nothing is said."""
    if se is None:
        return dict.fromkeys(("log_ratio", "se", "p"))
    ratio = log(first / second)
    return {"log_ratio": ratio, "se": se, "p": p_value(ratio, se)}


def add_holm(pairs: Sequence[Pair]) -> None:
    """Add `p_holm`: p by Holm's step-down over all pairs of all sources, for each figure apart."""
    for name in sorted({name for pair in pairs for name in pair.figures}):
        figures = [pair.figures[name] for pair in pairs if name in pair.figures]
        known = [figure for figure in figures if figure["p"] is not None]
        for figure, p in zip(known, holm([figure["p"] for figure in known]), strict=True):
            figure["p_holm"] = p
        for figure in figures:
            figure.setdefault("p_holm", None)


def holm(values: Sequence[float]) -> list[float]:
    """The p values after Holm's correction for as many tests.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    result = [0.0] * len(values)
    largest = 0.0
    for place, i in enumerate(sorted(range(len(values)), key=lambda i: (values[i], i))):
        largest = max(largest, min(1.0, (len(values) - place) * values[i]))
        result[i] = largest
    return result


@dataclass
class Stratum:
    """The held-out documents of one text."""

    predicted: Mapping[str, Predicted]
    documents: NDArray[np.int64]  # the number of each; parallel documents have one number
    n_bytes: NDArray[np.float64]  # of each
    n_characters: int
    is_parallel: bool


class Strata:
    """The held-out documents of the texts of a mixture, one text after the other.

    Each is multiplied by the scale of its text, share / bytes. So a sum over all is for a byte of the mixture.
    """

    def __init__(self, strata: Sequence[Stratum], shares: Sequence[float]) -> None:
        """Each stratum has held-out bytes. shares: of each."""
        self.strata = strata
        self.scales = [share / float(one.n_bytes.sum()) for one, share in zip(strata, shares, strict=True)]
        self.numbers = np.repeat(np.arange(len(strata)), [len(one.documents) for one in strata])
        self.n_bytes = self._joined([one.n_bytes for one in strata])
        # The units that vary: a document, or all parallel documents of one number.
        groups = np.array([0 if one.is_parallel else 1 + i for i, one in enumerate(strata)])[self.numbers]
        documents = np.concatenate([one.documents for one in strata])
        n = 1 + int(documents.max())
        units, self.units = np.unique(groups * n + documents, return_inverse=True)
        self.groups = units // n

    def _joined(self, values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Values of all documents, each times the scale of its text."""
        return np.concatenate([scale * row for scale, row in zip(self.scales, values, strict=True)])

    def _sum(self, values: Sequence[float]) -> float:
        """The sum of values of the texts, each times its scale."""
        return fsum(scale * value for scale, value in zip(self.scales, values, strict=True))

    @property
    def n_documents(self) -> int:
        """The held-out documents of the text that has the fewest: an error is as good as that of the worst text."""
        return min(len(one.documents) for one in self.strata)

    def predicted(self, name: str) -> Predicted:
        """What `predict` gives for a text, for the mixture. `fill` is that of the text that has the least."""
        every = [one.predicted[name] for one in self.strata]
        least = min(every, key=lambda one: one.fill)
        bits = {order: self._joined([one.bits[order] for one in every]) for order in every[0].bits}
        lengths = [one.n_characters for one in self.strata]
        known = [one.unknown_share * n for one, n in zip(every, lengths, strict=True) if one.unknown_share is not None]
        share = ratio(self._sum(known), self._sum(lengths)) if len(known) == len(every) else None
        return Predicted(
            {"unknown_character_share": share, **self._mean_bits([one.report for one in every])},
            bits,
            self._joined([one.tokens for one in every]),
            share,
            self._sum([one.unknown_tokens for one in every]),
            least.fill,
            least.size,
            least.training_tokens,
        )

    def _mean_bits(self, reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The bits per byte under each model, from the figures of the texts."""
        n_bytes = [float(one.n_bytes.sum()) for one in self.strata]
        return {
            model: {
                name: self._sum([one[model][name] * n for one, n in zip(reports, n_bytes, strict=True)])
                for name in ("bits_per_byte", "bits_per_byte_spelled")
            }
            for model in reports[0]
            if model != "unknown_character_share"
        }

    def compare(self, predicted: Mapping[str, Predicted], orders: Sequence[int]) -> list[Pair]:
        """All pairs of tokenizers on the mixture. predicted: what `predicted` gives for each."""
        pairs = [Pair(MIXTURE, first, second) for first, second in combinations(predicted, 2)]
        for pair in pairs:
            first, second = predicted[pair.first], predicted[pair.second]
            for name in (f"n{order}" for order in orders):
                values = first.bits[name] - second.bits[name]
                # With one seed, texts of equally many documents are drawn alike: so the interval is of the error.
                pair.figures[name] = with_error(float(values.sum()), self.error_of(values), None)
            if 2 in orders:
                add_less_text(pair, predicted, self.n_bytes)
            a, b = float(first.tokens.sum()), float(second.tokens.sum())
            se = self.error_of(first.tokens / a - second.tokens / b) if a and b else None
            pair.figures["tokens"] = log_ratio_figures(a, b, se)
        return pairs

    def error_of(self, values: NDArray[np.float64]) -> float | None:
        """The standard error of the sum of values of the documents, scaled before; None: a text has too few."""
        if self.n_documents < 2:
            return None
        rates = np.bincount(self.numbers, values) / np.bincount(self.numbers, self.n_bytes)
        rest = np.bincount(self.units, values - rates[self.numbers] * self.n_bytes)
        n = np.bincount(self.groups)[self.groups]
        return sqrt(float(np.dot(n / (n - 1) * rest, rest)))
