"""Batch: flat arrays that behave like a list of lists."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite import ArgumentTypeError, Batch, OptionError

LISTS = st.lists(st.lists(st.integers(0, 99), max_size=6), max_size=6)


@given(LISTS)
def test_lists_there_and_back(lists):
    batch = Batch.from_lists(lists)
    assert batch.to_lists() == lists == [ids.tolist() for ids in batch]
    assert len(batch) == len(lists)
    assert batch.ids.dtype == np.int32
    assert batch.offsets.dtype == np.int64


@given(LISTS, st.sampled_from(["right", "left"]), st.integers(0, 7))
def test_padding(lists, side, length):
    rows = Batch.from_lists(lists).to_padded(length, pad_id=-7, side=side, truncate=True)
    assert rows.shape == (len(lists), length)
    for row, ids in zip(rows.tolist(), lists, strict=True):
        kept, fill = ids[:length], [-7] * (length - len(ids))
        assert row == (kept + fill if side == "right" else fill + kept)


@given(LISTS, st.slices(6))
def test_slices(lists, key):
    batch = Batch.from_lists(lists)
    assert batch[key].to_lists() == lists[key]
    assert batch[key] == Batch.from_lists(lists[key])
    assert batch[key].to_padded(pad_id=0).shape[0] == len(lists[key])


def test_default_padding():
    batch = Batch.from_lists([[1, 2], [3]], pad_id=9)
    assert batch.to_padded().tolist() == [[1, 2], [3, 9]]
    assert batch.to_padded(4, side="left").tolist() == [[9, 9, 1, 2], [9, 9, 9, 3]]


def test_items():
    batch = Batch.from_lists([[1, 2], [3]])
    assert batch[-1].tolist() == [3]
    assert batch[np.int64(0)].tolist() == [1, 2]
    batch[0][1] = 7
    assert batch.to_lists() == [[1, 7], [3]]
    with pytest.raises(IndexError, match="text 2 of a batch of 2"):
        batch[2]
    with pytest.raises(ArgumentTypeError, match="not by str"):
        batch["a"]


def test_equality():
    batch = Batch.from_lists([[1, 2], [3]])
    assert batch == Batch.from_lists([[1, 2], [3]])
    assert batch != Batch.from_lists([[1], [2, 3]])
    assert batch != [[1, 2], [3]]
    with pytest.raises(TypeError, match="unhashable"):
        hash(batch)
    assert pickle.loads(pickle.dumps(batch)) == batch
    assert repr(batch) == "Batch(2 texts, 3 ids)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no padding id"),
        ({"length": 1, "pad_id": 0}, "text 0 has 2 ids, more than length 1"),
        ({"length": -1, "pad_id": 0}, "-1 is negative"),
        ({"side": "top", "pad_id": 0}, "'top' is neither"),
    ],
)
def test_padding_that_cannot_be(arguments, message):
    with pytest.raises(OptionError, match=message):
        Batch.from_lists([[1, 2], [3]]).to_padded(**arguments)


@pytest.mark.parametrize("offsets", [[], [0, 4], [-1, 2], [2, 1], [[0, 1]]])
def test_offsets_that_cannot_be(offsets):
    with pytest.raises(OptionError, match="offset"):
        Batch([1, 2, 3], offsets)
