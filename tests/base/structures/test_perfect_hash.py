"""Hashes at places of their own: no two share one; if that is impossible, an error says so."""

import random

import pytest
from oracle import native


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 1000, 20_000])
@pytest.mark.parametrize("load", [0.5, 0.8, 0.95])
def test_places_differ(n, load):
    rng = random.Random(f"{n} {load}")
    hashes = [rng.getrandbits(64) for _ in range(n)]
    n_places = int(n / load) + 1
    places = native.places_of(hashes, 64 - max(1, n.bit_length()), n_places)
    assert len(set(places)) == n
    assert all(0 <= place < n_places for place in places)


def test_hashes_that_cannot_be_told_apart():
    assert native.places_of([7, 7], 63, 100) is None


def test_more_hashes_than_places():
    rng = random.Random(7)
    hashes = [rng.getrandbits(64) for _ in range(12)]
    assert native.places_of(hashes, 61, 11) is None
    assert native.places_of(hashes, 61, 24) is not None


@pytest.mark.parametrize(("n", "fits"), [(32, True), (33, False)])
def test_group_that_is_too_large(n, fits):
    rng = random.Random(n)
    places = native.places_of([rng.getrandbits(63) for _ in range(n)], 63, 1 << 20)
    assert (places is not None) == fits


@pytest.mark.parametrize("shift", [0, 64, 100])
def test_number_of_groups_is_checked(shift):
    with pytest.raises(ValueError, match=f"shift is {shift}"):
        native.places_of([1], shift, 10)


def test_hashes_that_begin_alike():
    """Groups as large as they may be find places far apart."""
    rng = random.Random(5)
    hashes = [group << 56 | rng.getrandbits(56) for group in range(0, 256, 8) for _ in range(20)]
    places = native.places_of(hashes, 56, 4 * len(hashes))
    assert len(set(places)) == len(hashes)
