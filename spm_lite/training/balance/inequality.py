"""How unequal the costs of languages are: Gini's coefficient, and the largest cost beside the others.

`evaluation` uses the same formulas, so that a training and an audit give the same figures. A cost is any number above
0, such as the tokens of the same lines in each language.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


def gini(costs: Iterable[float | Fraction]) -> float | None:
    """Gini's coefficient: 0 if all costs are equal, near 1 if one is all; None for fewer than two costs.

    It is half of the mean difference of two costs, as a share of their mean. The sums are exact.

    >>> gini([3, 3]), gini([1, 3]), gini([5])
    (0.0, 0.25, None)
    """
    ordered = sorted(Fraction(cost) for cost in costs)
    n, total = len(ordered), sum(ordered)
    if n < 2 or total == 0:
        return None
    return float(sum((2 * i - n + 1) * cost for i, cost in enumerate(ordered)) / (n * total))


def most_to_least(costs: Iterable[float]) -> float:
    """The largest cost as a multiple of the smallest.

    >>> most_to_least([1, 3])
    3.0
    """
    known = [*costs]
    return max(known) / min(known)


def most_to_mean(costs: Iterable[float]) -> float:
    """The largest cost as a multiple of their mean.

    >>> most_to_mean([1, 3])
    1.5
    """
    known = [*map(Fraction, costs)]
    return float(max(known) * len(known) / sum(known))
