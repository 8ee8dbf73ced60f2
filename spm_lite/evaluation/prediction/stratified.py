"""Two tokenizers on a mixture: the held-out documents of all texts, each text weighted to its share of the bytes.

The texts are strata, and a difference is their separate ratio estimate (Cochran 1977): the sum over the texts of share
times difference. Documents of different texts are independent, so their variances add. Parallel documents are
translations of each other and vary together. So their errors add before they are squared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.figures.mixture import MIXTURE
from spm_lite.evaluation.prediction.held_out import Predicted
from spm_lite.evaluation.prediction.paired import Pair, add_less_text, log_ratio_figures, with_error

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
