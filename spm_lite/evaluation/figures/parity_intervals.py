"""95 % intervals of parity figures, over the documents that a sample might have had instead.

Ratios of two languages are linearised (Cochran 1977). That fails for Gini's coefficient where languages are nearly
equal: noise alone makes costs unequal, so the coefficient of a sample is too high. So its interval inverts a test.
Documents are drawn with replacement, which gives the noise of the costs. Costs that lie k times as far from their mean
as measured are possible if, with this noise, their coefficient is neither nearly always above nor nearly always below
the measured one. `tools/audit_intervals.py` counts how often the intervals hold the true value.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from spm_lite.evaluation.prediction.bootstrap_draws import Draws
from spm_lite.evaluation.prediction.paired import DRAWS
from spm_lite.evaluation.prediction.verdicts import QUANTILE_95

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_DRAWN = 4000  # documents that are drawn one by one; of more, neighbours are drawn together
TAIL = 0.025
STEPS = 20  # of a bisection: k is then known to a millionth
MOST_SPREAD = 64.0  # times that the true costs may lie farther apart than measured


def ratio_error(above: NDArray[np.float64], below: NDArray[np.float64]) -> float | None:
    """The standard error of a ratio of sums over documents, linearised; what both share cancels."""
    n, total = len(above), float(below.sum())
    if n < 2 or total == 0:
        return None
    rest = above - float(above.sum()) / total * below
    return sqrt(n / (n - 1) * float(np.dot(rest, rest))) / total


def ratio_interval(above: NDArray[np.float64], below: NDArray[np.float64]) -> list[float] | None:
    """The interval of a ratio of sums over documents; None: there are fewer than two documents."""
    error = ratio_error(above, below)
    if error is None:
        return None
    ratio = float(above.sum()) / float(below.sum())
    return [ratio - QUANTILE_95 * error, ratio + QUANTILE_95 * error]


def gini_of_rows(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gini's coefficient of each row: half the mean difference of two languages, relative to the mean."""
    n = costs.shape[1]
    return np.sort(costs, axis=1) @ (2 * np.arange(1, n + 1) - n - 1.0) / (n * costs.sum(1))


def gini_interval(sums: NDArray[np.float64], seed: int) -> list[float] | None:
    """The interval of Gini's coefficient; None: there are fewer than two documents or languages.

    sums: tokens, a row for each language, a column for each document.
    """
    rows = in_groups(sums[:, sums.any(0)])  # documents without tokens say nothing
    costs = rows.sum(1)
    if min(rows.shape) < 2 or not costs.all():
        return None
    drawn = np.empty((DRAWS, len(rows)))
    Draws(np.random.PCG64(seed), rows.shape[1]).fill_sums(rows, drawn)
    noise, mean = drawn - costs, costs.mean()
    measured = gini_of_rows(costs[None])[0]

    def share_above(k: float) -> float:
        return float((gini_of_rows(mean + k * (costs - mean) + noise) >= measured).mean())

    ends = (first_k(share_above, TAIL), first_k(share_above, 1 - TAIL))
    return [float(measured * k) for k in ends]


def first_k(share_above: Callable[[float], float], wanted: float) -> float:
    """The least k from 0 to MOST_SPREAD at which a share, which rises with k, is at least `wanted`."""
    high = 1.0
    while share_above(high) < wanted and high < MOST_SPREAD:
        high *= 2
    low = 0.0 if high == 1 else high / 2
    if low == 0 and share_above(0) >= wanted:
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if share_above(middle) >= wanted else (middle, high)
    return high


def in_groups(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns of at most MOST_DRAWN documents; of more, sums of neighbours."""
    size = -(-sums.shape[1] // MOST_DRAWN)
    if size <= 1:
        return np.ascontiguousarray(sums)
    return np.add.reduceat(sums, np.arange(0, sums.shape[1], size), axis=1)
