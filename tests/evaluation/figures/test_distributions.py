"""Percentiles, entropies and Zipf's law, by hand and from their definitions."""

from math import log2

import numpy as np
import pytest

from spm_lite.evaluation.figures.distributions import (
    entropy_figures,
    frequency_figures,
    length_figures,
    line_through,
    nearest_rank,
    zipf_figures,
    zipf_ranks,
)


def test_nearest_rank():
    ordered = np.arange(1, 11)
    assert [nearest_rank(ordered, q) for q in (5, 10, 11, 50, 99)] == [1, 1, 2, 5, 10]


def test_lengths():
    figures = length_figures(np.array([128, 129, 600, 1], np.int32))
    assert (figures["min"], figures["p50"], figures["max"], figures["mean"]) == (1, 128, 600, 214.5)
    assert figures["over"]["128"] == {"texts": 2, "tokens_beyond": 473}
    assert figures["over"]["512"] == {"texts": 1, "tokens_beyond": 88}


def test_entropies():
    counts = np.array([0, 4, 2, 1, 1, 0, 0, 0], np.int64)
    figures = frequency_figures(counts, 8)
    assert figures["shannon"] == {"entropy_bits": 1.75, "efficiency": 1.75 / 3, "efficiency_of_used": 0.875}
    expected = log2(0.5**2.5 + 0.25**2.5 + 2 * 0.125**2.5) / -1.5
    assert figures["renyi"]["entropy_bits"] == pytest.approx(expected, rel=1e-12)
    assert figures["vocabulary"] == {
        "size": 8, "used": 4, "share_used": 0.5, "used_100": 0, "types_for": {"50": 1, "90": 4, "95": 4, "99": 4}
    }  # fmt: skip
    assert figures["once"] == 2


def test_one_type():
    figures = entropy_figures(np.array([7]), 1, 2.5)
    assert figures == {"entropy_bits": 0.0, "efficiency": None, "efficiency_of_used": None}


def test_zipf():
    """Counts that follow the law exactly have its exponent, and no rest."""
    counts = np.array([10**12 // rank**2 for rank in range(1, 101)], np.int64)
    figures = zipf_figures(counts)
    assert figures["exponent"] == pytest.approx(2, abs=1e-6)
    assert figures["rms"] < 1e-6
    assert (figures["types"], figures["points"]) == (100, len(zipf_ranks(100)))
    assert zipf_figures(counts[:49]) is None
    assert zipf_figures(np.array([4] * 100)) is None


def test_line():
    slope, constant = line_through([0, 1, 2, 3], [1, 0, 3, 2])
    assert (slope, constant) == pytest.approx((0.6, 0.6))
