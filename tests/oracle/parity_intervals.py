"""The interval of Gini's coefficient from its definition: every k of a fine grid is tried, every draw by itself."""

from itertools import product

import numpy as np


def gini(costs):
    """The mean difference of all pairs, each pair in both orders and with itself, relative to twice the mean."""
    n = len(costs)
    return sum(abs(a - b) for a, b in product(costs, costs)) / (2 * n * sum(costs))


def gini_interval(sums, seed, n_draws, grid):
    """The Gini coefficients at the first k of the grid that is possible, and at the first that is too large.

    sums: tokens of each language (rows) and document (columns).
    """
    costs, n = sums.sum(1), sums.shape[1]
    drawn = [sums[:, chosen].sum(1) for chosen in np.random.default_rng(seed).integers(0, n, (n_draws, n))]
    measured, mean = gini(costs), costs.mean()

    def share_above(k):
        return np.mean([gini(mean + k * (costs - mean) + one - costs) >= measured for one in drawn])

    shares = [share_above(k) for k in grid]
    return [measured * next(k for k, share in zip(grid, shares, strict=True) if share >= end) for end in (0.025, 0.975)]
