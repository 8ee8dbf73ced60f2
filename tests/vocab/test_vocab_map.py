"""Maps of vocabularies: rows of embeddings by policy, JSON, and maps that contradict themselves."""

import json
import pickle

import numpy as np
import pytest

import spm_lite
from spm_lite.errors import IdError, ModelError, OptionError
from spm_lite.vocab.vocab_map import GrownPiece, VocabMap

GROWN = {4: GrownPiece("\u2581the", (1, 2), (1, 3), "merge"), 5: GrownPiece("é", (0, 0, 3), (1, 1, 1), "character")}
MAP = VocabMap([0, 1, 2, 3], 6, GROWN)
PRUNED = VocabMap([1, -1, 0, -1], 3, {2: GrownPiece("x", (3,), (1,), "merge")})


def matrix(rows, old):
    """The new embeddings, row by row."""
    made = np.zeros((len(rows.indptr) - 1, old.shape[1]))
    for i in range(len(made)):
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            made[i] += rows.weights[k] * old[rows.ids[k]]
    return made


def test_rows() -> None:
    old = np.arange(8.0).reshape(4, 2) ** 2
    mean, first, overlap = (matrix(MAP.rows(policy), old) for policy in ("mean", "first", "overlap"))
    for made in (mean, first, overlap):
        assert (made[:4] == old).all()
    assert np.allclose(mean[4:], [(old[1] + old[2]) / 2, (2 * old[0] + old[3]) / 3])
    assert np.allclose(first[4:], [old[1], old[0]])
    assert np.allclose(overlap[4:], [old[1] / 4 + 3 * old[2] / 4, (2 * old[0] + old[3]) / 3])
    rows = MAP.rows()
    assert [part.dtype for part in rows] == [np.int64, np.float32, np.int64]


def test_padding_has_no_rows() -> None:
    assert len(MAP.rows(pad_to_multiple_of=8).indptr) == 9
    assert len(MAP.rows(pad_to_multiple_of=6).indptr) == 7
    assert not matrix(MAP.rows(pad_to_multiple_of=8), np.ones((4, 2)))[6:].any()


def test_ids_that_go() -> None:
    old = np.arange(4.0).reshape(4, 1)
    assert matrix(PRUNED.rows(), old).ravel().tolist() == [2, 0, 3]
    assert [PRUNED.old_ids(i) for i in range(3)] == [(2,), (0,), (3,)]
    assert repr(PRUNED) == "<VocabMap: 4 old ids, 2 gone, 1 new>"


@pytest.mark.parametrize("one", [MAP, PRUNED])
def test_json_and_pickle(one) -> None:
    assert VocabMap.from_json(one.to_json()) == VocabMap.from_json(one.to_json().encode()) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != 3
    assert MAP != PRUNED


@pytest.mark.parametrize(
    ("new_ids", "n_new", "grown"),
    [
        ([0, 0], 1, {}),
        ([0, 1], 3, {}),
        ([0, 1], 2, {1: GROWN[4]}),
        ([0, 5], 2, {}),
        ([0, 1], 3, {2: GrownPiece("x", (), (), "merge")}),
        ([0, 1], 3, {2: GrownPiece("x", (2,), (1,), "merge")}),
        ([0, 1], 3, {2: GrownPiece("x", (1,), (0,), "merge")}),
        ([0, 1], 3, {2: GrownPiece("x", (1,), (1, 1), "merge")}),
    ],
)
def test_contradictions(new_ids, n_new, grown) -> None:
    with pytest.raises(ModelError, match="the map is damaged"):
        VocabMap(new_ids, n_new, grown)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "its format is 3"),
        ({"version": 9}, "version 9; this program reads 1"),
        ({"version": True}, "version True; this program reads 1"),
        ({"n_new": "6"}, "the map.n_new is '6', not a whole number"),
        ({"n_new": 10**15}, "are not 1000000000000000 different ids"),
        ({"n_new": -1}, "the map.n_new is -1, not a whole number, 0 to"),
        ({"n_new": None}, "the map.n_new is None, not a whole number"),
        ({"grown": []}, r"the map.grown is \[\], not an object"),
        ({"new_ids": [0, 1, 2, 3.5]}, r"the map.new_ids\[3\] is 3.5, not a whole number"),
        ({"new_ids": [0, 1, 2, 10**30]}, "is not a finite number of 64 bits"),
        ({"grown": {"x": {}}}, "the map.grown.x has no 'piece'"),
        ({"grown": {"4": {**GROWN[4]._asdict(), "why": 3}}}, "the map.grown.4.why is 3, not a text"),
        ({"grown": {"04": GROWN[4]._asdict(), "5": GROWN[5]._asdict()}}, "the map.grown has the key '04', not an id"),
    ],
)
def test_damaged_json(change, message) -> None:
    with pytest.raises(ModelError, match=message):
        VocabMap.from_json(json.dumps({**json.loads(MAP.to_json()), **change}))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff", "3", '"x"'])
def test_no_map(text) -> None:
    with pytest.raises(ModelError, match="JSON"):
        VocabMap.from_json(text)


def test_wrong_arguments() -> None:
    with pytest.raises(OptionError, match="policy='median': must be one of mean, first, overlap"):
        MAP.rows("median")
    with pytest.raises(OptionError, match="pad_to_multiple_of=0: must be 1 or more"):
        MAP.rows(pad_to_multiple_of=0)
    with pytest.raises(IdError):
        MAP.old_ids(6)
    assert spm_lite.VocabMap is VocabMap
