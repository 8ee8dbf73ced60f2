"""Intervals of parity: against the definition, by hand, and how often they hold the true value."""

import numpy as np
import pytest
from oracle.parity_intervals import gini as gini_of_pairs
from oracle.parity_intervals import gini_interval as slow_interval

from spm_lite.evaluation.figures import parity_intervals
from spm_lite.evaluation.figures.parity import spread
from spm_lite.evaluation.figures.parity_intervals import (
    gini_interval,
    gini_of_rows,
    in_groups,
    ratio_error,
    ratio_interval,
)


def documents(seed, n, costs):
    """Tokens of languages (rows) for documents of different length, which vary together and by themselves."""
    generator = np.random.default_rng(seed)
    lengths = generator.gamma(4.0, 8.0, n)
    return generator.poisson(lengths * np.array(costs)[:, None]).astype(np.float64)


def test_ratio_error():
    """By hand: the rests of (1, 3) against twice (1, 1) are -1 and 1, so the error is sqrt(2 · 2) / 2."""
    assert ratio_error(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == pytest.approx(1.0)
    assert ratio_error(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == 0
    assert ratio_error(np.array([2.0]), np.array([1.0])) is None
    assert ratio_interval(np.array([2.0]), np.array([1.0])) is None
    assert ratio_interval(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == pytest.approx([0.04, 3.96], abs=1e-3)


def test_gini_of_rows():
    rows = np.random.default_rng(3).gamma(3.0, 2.0, (20, 7))
    assert gini_of_rows(rows) == pytest.approx([gini_of_pairs(row) for row in rows])
    assert gini_of_rows(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist() == [0.25, 0]


@pytest.mark.parametrize("costs", [(1.0, 1.2, 0.9), (1.0, 1.01, 1.0, 0.99)])
def test_against_the_definition(monkeypatch, costs):
    monkeypatch.setattr(parity_intervals, "DRAWS", 100)
    sums = documents(5, 40, costs)
    step = 0.02
    slow = slow_interval(sums, 7, 100, np.arange(0, 4, step))
    room = step * gini_of_pairs(sums.sum(1))
    for ours, end in zip(gini_interval(sums, 7), slow, strict=True):
        assert end - room <= ours <= end


def test_nothing_to_say():
    assert gini_interval(np.ones((3, 1)), 0) is None
    assert gini_interval(np.ones((1, 9)), 0) is None
    assert gini_interval(np.zeros((2, 9)), 0) is None
    assert gini_interval(np.ones((2, 9)), 0) == [0, 0]  # no noise, no difference
    assert gini_interval(np.array([[1.0] * 9, [3.0] * 9]), 0) == pytest.approx([0.25, 0.25], abs=1e-5)


def test_many_documents_are_drawn_in_groups(monkeypatch):
    monkeypatch.setattr(parity_intervals, "MOST_DRAWN", 4)
    assert in_groups(np.arange(9.0)[None]).tolist() == [[3, 12, 21]]
    assert in_groups(np.arange(4.0)[None]).tolist() == [[0, 1, 2, 3]]


def test_same_seed_same_interval():
    sums = documents(1, 50, (1.0, 1.1, 1.3))
    assert gini_interval(sums, 4) == gini_interval(sums.copy(), 4) != gini_interval(sums, 5)


@pytest.mark.slow
@pytest.mark.parametrize("costs", [np.linspace(0.85, 1.3, 8), 1 + np.linspace(-0.015, 0.02, 8)])
def test_coverage(costs):
    """Of 150 samples, 90 to 99 % of the intervals hold the true value, where languages are nearly equal too."""
    population = documents(11, 4000, costs)
    names = [str(number) for number in range(len(costs))]
    true = spread(dict(zip(names, population, strict=True)))
    held = dict.fromkeys(("gini", "tax_max", "max_mean"), 0)
    generator = np.random.default_rng(12)
    for sample in range(150):
        some = population[:, generator.integers(0, 4000, 150)]
        figures = spread(dict(zip(names, some, strict=True)), sample)
        for name in held:
            low, high = figures[f"{name}_ci95"]
            held[name] += low <= true[name] <= high
    assert all(135 <= n <= 149 for n in held.values()), held
