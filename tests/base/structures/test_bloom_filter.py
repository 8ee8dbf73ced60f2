"""A set of hashes that never misses what is in it, and seldom takes others for it."""

import random

import pytest
from oracle import native
from oracle.slow import slow_after

from spm_lite.base.structures.bloom_filter import BloomFilter


def random_hashes(rng, n):
    return [rng.getrandbits(64) for _ in range(n)]


@pytest.mark.parametrize("n", slow_after(5, [0, 1, 2000, 2100, 70_000, 130_000, 400_000]))
def test_random_hashes(n):
    rng = random.Random(n)
    hashes, others = random_hashes(rng, n), random_hashes(rng, 5000)
    found = BloomFilter()
    n_new = native.enter(found, hashes)
    assert all(native.holds(found, value) for value in hashes)
    assert 0.99 * min(n, 100_000) <= n_new <= n
    if n <= 131_072:  # four in each word of the largest table
        assert sum(native.holds(found, value) for value in others) < 0.04 * len(others)


def test_what_comes_again_is_not_new():
    found = BloomFilter()
    assert native.enter(found, [5 << 40, 1 << 60, 5 << 40, 0, 1 << 60]) == 3
    assert [native.holds(found, value) for value in (5 << 40, 1 << 60, 0, (1 << 64) - 1)] == [True, True, True, False]
