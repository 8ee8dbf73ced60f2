"""Digests, the grid that finds an item, and packed ids, against what their definitions say."""

from __future__ import annotations

import random
import zlib
from base64 import b64encode
from hashlib import blake2b
from math import ceil, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.evaluation.locks.lock_digests import (
    SHORT,
    Grid,
    bytes_of,
    digest,
    joined_bytes,
    pack,
    short_digests,
    unpack,
)

MOST = 1 << 20
LISTS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=9), max_size=9)


@given(LISTS)
def test_packed_ids_come_back(lists: list[list[int]]) -> None:
    assert unpack(pack(lists), len(lists), MOST) == lists == unpack(pack(lists), None, MOST)


def packed(data: bytes) -> str:
    return b64encode(zlib.compress(data)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "", "!", "AAAA", packed(b"\x02\x01"), packed(b"\x01\xff\xff\xff\xff\xff\x01"), packed(b"\x01\x80"),
        packed(bytes(MOST + 1)), packed(bytes(MOST))[:-8],
    ],
)  # fmt: skip
def test_damaged_ids_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        unpack(text, 1, MOST)


@given(st.lists(st.binary(max_size=4), max_size=40))
def test_a_grid_is_digests_of_rows_and_columns(items: list[bytes]) -> None:
    side = ceil(sqrt(len(items))) or 1
    grid = Grid.of(items)
    rows = [items[k : k + side] for k in range(0, len(items), side)]
    columns = [items[k::side] for k in range(min(side, len(items)))]
    for found, parts in ((grid.rows, rows), (grid.columns, columns)):
        texts = [b"".join(b"%d:%b" % (len(item), item) for item in part) for part in parts]
        assert found == b"".join(blake2b(text, digest_size=SHORT).digest() for text in texts)
    assert grid.n == len(items) and grid.whole == digest(joined_bytes(items))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 99, 100, 101, 1000])
def test_items_that_differ_are_found(n: int) -> None:
    draw = random.Random(n)
    items = [b"%d" % k for k in range(n)]
    assert Grid.of(items).differing(Grid.of(items)) == []
    for n_changed in (1, 2, 5):
        changed = {*draw.sample(range(n), min(n, n_changed))}
        others = [item + b"x" if k in changed else item for k, item in enumerate(items)]
        found = Grid.of(items).differing(Grid.of(others, n))
        assert changed <= {*found}
        assert n_changed > 1 or {*found} == changed
    shorter, longer = Grid.of(items[:-1], n), Grid.of([*items, b"y"], n)
    assert Grid.of(items).differing(shorter) == [n - 1] and Grid.of(items).differing(longer) == []
    assert len({Grid.of(items).whole, shorter.whole, longer.whole}) == 3


def test_bytes_of_outcomes_are_apart() -> None:
    outcomes = ["", "a", "\0", "0:", [], [0], [1, 0], [256], "\ud800"]
    assert len({bytes_of(one) for one in outcomes}) == len(outcomes)
    assert joined_bytes([b"a", b"bc"]) != joined_bytes([b"ab", b"c"])
    assert len(short_digests([b"a", b"b"])) == 2 * SHORT
