"""A set of hashes that never misses what is in it, and seldom takes others for it."""

import random

import pytest

from spm_lite.base.structures.bloom_filter import BloomFilter


def random_hashes(rng, n):
    return [rng.getrandbits(64) for _ in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2000, 2100, 70_000, 130_000, 400_000])
def test_random_hashes(n):
    rng = random.Random(n)
    hashes, others = random_hashes(rng, n), random_hashes(rng, 5000)
    found = BloomFilter()
    n_new = found.enter(hashes)
    assert all(value in found for value in hashes)
    assert 0.99 * min(n, 100_000) <= n_new <= n
    if n <= 131_072:  # four in each word of the largest table
        assert sum(value in found for value in others) < 0.04 * len(others)


def test_what_comes_again_is_not_new():
    found = BloomFilter()
    assert found.enter([5 << 40, 1 << 60, 5 << 40, 0, 1 << 60]) == 3
    assert [value in found for value in (5 << 40, 1 << 60, 0, (1 << 64) - 1)] == [True, True, True, False]
