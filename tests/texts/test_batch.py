"""Batch: flat arrays that behave like a list of lists."""

import gc
import pickle
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.arrow_c import Lists

from spm_lite import ArgumentTypeError, Batch, IdError, OptionError

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


@given(LISTS, st.sampled_from(["right", "left"]), st.none() | st.integers(0, 7), st.none() | st.integers(1, 5))
def test_the_mask_tells_ids_from_padding(lists, side, length, multiple_of):
    batch = Batch.from_lists(lists)
    rows = batch.to_padded(length, -1, side, True, multiple_of)
    mask = batch.attention_mask(length, side, True, multiple_of)
    assert mask.shape == rows.shape
    assert mask.dtype == np.int32
    assert ((rows >= 0) == mask).all()
    cut = [ids if length is None else ids[:length] for ids in lists]
    assert [row[kept.astype(bool)].tolist() for row, kept in zip(rows, mask, strict=True)] == cut
    columns = max(map(len, lists), default=0) if length is None else length
    assert columns <= rows.shape[1] < columns + (multiple_of or 1)
    assert rows.shape[1] % (multiple_of or 1) == 0


def test_rows_of_a_part_of_the_arrays():
    batch = Batch([9, 1, 2, 3, 9], [1, 3, 4])
    assert batch.to_padded(pad_id=0).tolist() == [[1, 2], [3, 0]]
    assert batch.to_padded(1, 0, truncate=True).tolist() == [[1], [3]]
    assert batch.to_padded(pad_id=0, truncate=1).tolist() == [[1], [3]]
    assert batch.to_padded(pad_id=0, truncate=9).tolist() == [[1, 2], [3, 0]]
    assert batch.to_padded(3, 0, truncate=1).tolist() == [[1, 0, 0], [3, 0, 0]]
    assert batch.attention_mask(truncate=1, pad_to_multiple_of=2).tolist() == [[1, 0], [1, 0]]
    with pytest.raises(OptionError, match="truncate -1 is negative"):
        batch.to_padded(pad_id=0, truncate=-1)


class FakeTorch:
    """As much of PyTorch as `to_torch` uses: an array for a tensor."""

    @staticmethod
    def from_numpy(array):
        assert array.flags.writeable
        return array


def test_tensors_for_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", FakeTorch)
    tensors = Batch.from_lists([[1, 2, 3], [4]]).to_torch(pad_id=0, side="left", pad_to_multiple_of=4)
    assert tensors["input_ids"].tolist() == [[0, 1, 2, 3], [0, 0, 0, 4]]
    assert tensors["attention_mask"].tolist() == [[0, 1, 1, 1], [0, 0, 0, 1]]
    assert {tensor.dtype for tensor in tensors.values()} == {np.dtype("int64")}
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="pip install torch"):
        Batch.from_lists([[1]]).to_torch(pad_id=0)


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    tensors = Batch.from_lists([[1, 2], [3]]).to_torch(pad_id=7)
    assert torch.equal(tensors["input_ids"], torch.tensor([[1, 2], [3, 7]]))
    assert torch.equal(tensors["attention_mask"], torch.tensor([[1, 1], [1, 0]]))


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
    for place in (2, -3):
        with pytest.raises(IdError, match=f"text {place} is outside the batch: it has 2 texts") as caught:
            batch[place]
        assert isinstance(caught.value, IndexError)
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
        ({"side": 1, "pad_id": 0}, "1 is neither"),
        ({"pad_id": 2**40}, "pad_id 1099511627776 has more than 32 bits"),
        ({"pad_to_multiple_of": 0, "pad_id": 0}, "pad_to_multiple_of 0 must be"),
        ({"pad_id": None}, "no padding id: pass pad_id"),
        ({"length": 10**12, "pad_id": 0}, "length 1000000000000 is above 2147483647"),
    ],
)
def test_padding_that_cannot_be(arguments, message):
    with pytest.raises(OptionError, match=message):
        Batch.from_lists([[1, 2], [3]]).to_padded(**arguments)


def test_padding_beyond_memory(monkeypatch):
    def full(*_args, **_others):
        raise MemoryError

    monkeypatch.setattr(np, "full", full)
    with pytest.raises(OptionError, match="2 texts of length 100 do not fit into memory: 800 bytes"):
        Batch.from_lists([[1, 2], [3]]).to_padded(100, 0)


STEPS = [0, 2**62, 2**63 - 1, -(2**63), -1, 0]  # each is as far behind the last one as 64 bits tell, or further


@pytest.mark.parametrize("offsets", [[], [0, 4], [-1, 2], [2, 1], [0, 2**70], np.array([[0, 1]]), STEPS])
def test_offsets_that_cannot_be(offsets):
    with pytest.raises(OptionError, match="offset"):
        Batch([1, 2, 3], offsets)


@pytest.mark.parametrize(
    "arguments",
    [{"pad_id": "x"}, {"pad_id": 1.5}, {"pad_id": True}, {"length": 1.5}, {"length": True}, {"truncate": "no"}],
)
def test_padding_of_wrong_types(arguments):
    name, value = next(iter(arguments.items()))
    with pytest.raises(ArgumentTypeError, match=f"{name}.*{type(value).__name__}"):
        Batch.from_lists([[1, 2], [3]]).to_padded(**{"pad_id": 0, **arguments})


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (None, ArgumentTypeError, "ids is NoneType"),
        ("12", ArgumentTypeError, "ids is str"),
        ({1: 2}, ArgumentTypeError, "ids is dict"),
        ([300.9, 5.5], ArgumentTypeError, "item 0 of ids is an integer, not float 300.9"),
        ([5, "5"], ArgumentTypeError, "item 1 of ids is an integer, not str"),
        ([5, True], ArgumentTypeError, "item 1 of ids is an integer, not bool"),
        ([[1, 2]], ArgumentTypeError, "item 0 of ids is an integer, not list"),
        (np.array([1.0, 2.0]), ArgumentTypeError, "array of float64"),
        (np.array([True, False]), ArgumentTypeError, "array of bool"),
        (np.array([[1, 2]]), OptionError, "ids has 2 dimensions"),
        (np.array([1, 2**32 + 300]), IdError, "ids holds 4294967596: must be -2147483648..2147483647"),
        (np.array([1, 2**32 - 1], dtype=np.uint32), IdError, "ids holds 4294967295"),
        ([1, 2**70], IdError, "ids holds 1180591620717411303424"),
    ],
)
def test_ids_that_are_none(ids, error, message):
    with pytest.raises(error, match=message):
        Batch(ids, [0, 2])


def test_pad_id_and_offsets_are_numbers():
    with pytest.raises(ArgumentTypeError, match="offsets is NoneType"):
        Batch([1], None)
    with pytest.raises(ArgumentTypeError, match="pad_id is an integer"):
        Batch([1], [0, 1], None)
    with pytest.raises(ArgumentTypeError, match="element 1 of the batch"):
        Batch.from_lists([[1], 2])


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, lambda ids: np.array(ids, dtype=np.uint64)])
def test_integers_of_other_types(kind):
    assert Batch(kind([1, 2, 3]), kind([0, 1, 3])).to_lists() == [[1], [2, 3]]
    assert Batch([np.int64(7), np.uint8(1)], range(3)).to_lists() == [[7], [1]]


def test_arrays_are_not_copied():
    ids = np.array([1, 2], dtype=np.int32)
    assert np.shares_memory(Batch(ids, [0, 2]).ids, ids)


def test_spoilt_offsets():
    batch = Batch.from_lists([[1, 2], [3]])
    batch.offsets[1] = 10**9
    with pytest.raises(OptionError, match="offsets must rise"):
        batch.to_padded(pad_id=0)


def test_no_subclasses():
    with pytest.raises(ArgumentTypeError, match="Mine cannot be a subclass of Batch"):
        type("Mine", (Batch,), {})


# -- Arrow's C data interface -------------------------------------------------------------------------------------


@given(LISTS, st.slices(6))
def test_as_a_column(lists, key):
    batch = Batch.from_lists(lists)[key]
    column = Lists(batch)
    assert column.formats == [b"+L", b"i"]
    assert column.child_name == b"item"
    assert column.to_lists() == lists[key]
    column.release()


def test_a_column_is_no_copy_and_lives_on():
    batch = Batch.from_lists([[1, 2], [3]])
    column = Lists(batch)
    assert column.addresses == (batch.ids.ctypes.data, batch.offsets.ctypes.data)
    batch.ids[0] = 9
    assert column.to_lists() == [[9, 2], [3]]
    kept = weakref.ref(batch.ids)
    del batch
    gc.collect()
    assert column.to_lists() == [[9, 2], [3]]
    assert kept() is not None
    column.release()
    gc.collect()
    assert kept() is None


def test_a_column_that_nobody_takes():
    batch = Batch.from_lists([[1, 2], [3]])
    kept = weakref.ref(batch.ids)
    capsules = batch.__arrow_c_array__()
    del batch
    gc.collect()
    assert kept() is not None
    del capsules
    gc.collect()
    assert kept() is None


def test_values_of_a_column_moved_away():
    """A consumer that takes the ids alone may keep them longer than the lists."""
    batch = Batch.from_lists([[1, 2], [3]])
    kept = weakref.ref(batch.ids)
    column = Lists(batch)
    del batch
    values = column.take_values()
    column.release()
    gc.collect()
    assert kept() is not None
    assert values.to_list() == [1, 2, 3]
    values.release()
    gc.collect()
    assert kept() is None


def test_a_column_of_an_edited_batch():
    batch = Batch.from_lists([[1, 2], [3]])
    batch.offsets[1] = 7
    with pytest.raises(OptionError, match="offsets must rise"):
        batch.__arrow_c_array__()


def test_a_column_of_a_read_only_batch():
    batch = Batch.from_lists([[1, 2], [3]])
    batch.ids.flags.writeable = False
    column = Lists(batch)
    assert column.to_lists() == [[1, 2], [3]]
    column.release()


def test_pyarrow():
    pa = pytest.importorskip("pyarrow", minversion="16")
    batch = Batch.from_lists([[1, 2], [], [3]])
    column = pa.array(batch)
    assert column.type == pa.large_list(pa.int32())
    assert column.to_pylist() == [[1, 2], [], [3]]
    column.validate(full=True)
    assert column.values.buffers()[1].address == batch.ids.ctypes.data
    assert pa.array(batch[1:]).to_pylist() == [[], [3]]
    assert pa.array(Batch.from_lists([])).to_pylist() == []
    assert column.cast(pa.list_(pa.int64())).to_pylist() == [[1, 2], [], [3]]
    values = column.values
    del column, batch
    gc.collect()
    assert values.to_pylist() == [1, 2, 3]


def test_polars():
    polars = pytest.importorskip("polars")
    assert polars.Series(Batch.from_lists([[1, 2], [], [3]])).to_list() == [[1, 2], [], [3]]


LISTS = [[1, 2], [], [70000], [5]]


@pytest.mark.parametrize("part", [slice(None), slice(1, None), slice(1, 3), slice(1, 1)])
@pytest.mark.parametrize("item", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("kind", ["list_", "large_list"])
def test_the_requested_type_is_obeyed(kind, item, part):
    pa = pytest.importorskip("pyarrow", minversion="16")
    wanted = getattr(pa, kind)(pa.field("element", getattr(pa, item)(), nullable=True))
    batch = Batch.from_lists(LISTS)[part]
    column = pa.array(batch, type=wanted)
    assert column.type == wanted
    assert column.type.value_field.name == "element"
    column.validate(full=True)
    assert column.to_pylist() == LISTS[part]
    if item == "int32":
        assert column.values.buffers()[1].address == batch.ids.ctypes.data  # shared


def test_types_that_do_not_hold_the_ids():
    pa = pytest.importorskip("pyarrow", minversion="16")
    batch = Batch.from_lists(LISTS)
    assert pa.array(batch[:2], type=pa.list_(pa.uint16())).to_pylist() == [[1, 2], []]
    with pytest.raises(IdError, match="id 70000 does not fit into uint16"):
        pa.array(batch, type=pa.list_(pa.uint16()))
    with pytest.raises(IdError, match="id -1 does not fit into uint32"):
        pa.array(Batch.from_lists([[-1]]), type=pa.list_(pa.uint32()))
    for wanted in (pa.string(), pa.list_(pa.float32()), pa.list_(pa.int32(), 2), pa.list_view(pa.int32())):
        with pytest.raises(ArgumentTypeError, match="ask for list or large_list of integers"):
            pa.array(batch, type=wanted)
    with pytest.raises(ArgumentTypeError, match="not a capsule of an Arrow type"):
        batch.__arrow_c_array__(3)


def test_offsets_beyond_a_list(monkeypatch):
    """Offsets of 2^31 and more: the part that the batch stands for decides."""
    pa = pytest.importorskip("pyarrow", minversion="16")
    few = np.zeros(3, dtype=np.int32)
    ids = np.lib.stride_tricks.as_strided(few, shape=(2**31 + 9,), strides=(0,))
    monkeypatch.setattr(Batch, "checked", lambda self: self)
    batch = Batch._from_vectors(ids, np.array([2**31, 2**31 + 2, 2**31 + 5]), -1)
    assert pa.array(batch, type=pa.list_(pa.int64())).to_pylist() == [[0, 0], [0, 0, 0]]
    batch = Batch._from_vectors(ids, np.array([0, 2**31 + 2]), -1)
    with pytest.raises(OptionError, match="2147483650 ids do not fit into an Arrow list"):
        pa.array(batch, type=pa.list_(pa.int32()))


def test_a_limit_and_a_length_that_contradict():
    batch = Batch.from_lists([[1] * 9, [3]])
    with pytest.raises(OptionError, match="truncate=2 keeps 2 ids of a text, more than length 1"):
        batch.to_padded(1, 0, truncate=2)
    assert batch.to_padded(2, 0, truncate=np.True_).tolist() == [[1, 1], [3, 0]]
