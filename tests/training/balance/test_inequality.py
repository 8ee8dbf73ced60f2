"""Gini's coefficient and its companions against their definitions."""

import random

import pytest

from spm_lite.training.balance.inequality import gini, most_to_least, most_to_mean


@pytest.mark.parametrize("seed", range(20))
def test_gini_is_half_the_mean_difference(seed):
    rng = random.Random(seed)
    costs = [rng.choice((rng.randrange(1, 9), rng.uniform(0.1, 1e6))) for _ in range(rng.randrange(2, 30))]
    differences = sum(abs(one - other) for one in costs for other in costs) / len(costs) ** 2
    assert gini(costs) == pytest.approx(differences / 2 / (sum(costs) / len(costs)), rel=1e-12)
    assert gini([7 * cost for cost in costs]) == pytest.approx(gini(costs))
    assert most_to_least(costs) == max(costs) / min(costs)
    assert most_to_mean(costs) == pytest.approx(max(costs) * len(costs) / sum(costs))


def test_without_a_difference():
    assert gini([5.0]) is None
    assert gini([]) is None
    assert gini([0, 0]) is None
    assert gini([3, 3]) == 0
