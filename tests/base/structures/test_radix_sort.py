"""Sorting digit by digit against Python's own sort, at the sizes where one way takes over from the other."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native

KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(0, 2**21).map(lambda unit: unit << 42)


def wanted(keys):
    return sorted(range(len(keys)), key=keys.__getitem__)


@given(st.lists(KEYS, max_size=20), st.integers(1, 40))
@settings(deadline=None)
def test_any_keys(keys, times):
    assert native.sorted_places(keys * times) == wanted(keys * times)


@pytest.mark.parametrize("n", [0, 1, 2, 255, 256, 257, 5000])
@pytest.mark.parametrize("bits", [1, 8, 9, 16, 63, 64])
@pytest.mark.parametrize("shift", [0, 21])
def test_sizes(n, bits, shift):
    rng = random.Random(f"{n} {bits} {shift}")
    keys = [rng.getrandbits(bits) << shift & 2**64 - 1 for _ in range(n)]
    assert native.sorted_places(keys) == wanted(keys)
