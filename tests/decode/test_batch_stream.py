"""Many streams in one call, against as many single ones."""

import pickle
import random

import pytest
from oracle.random_models import TYPES, random_tokenizer

from spm_lite import BatchStream, byte_tokenizer
from spm_lite.errors import ArgumentTypeError, IdError, OptionError


@pytest.mark.parametrize("seed", range(20))
def test_each_place_is_a_stream(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, rng.choice(TYPES))
    for options in (
        {},
        {"stop": ["a", "bc", "\ufffd"]},
        {"as_bytes": True, "stop": [b"ab", b"\xe6"]},
        {"skip_special": True, "errors": "surrogatepass"},
    ):
        n = rng.randrange(1, 6)
        batch, singles = BatchStream(tok.stream(**options), n), [tok.stream(**options) for _ in range(n)]
        empty = b"" if "as_bytes" in options else ""
        for _ in range(60):
            ids = [rng.randrange(-1, tok.vocab_size) for _ in range(n)]
            assert batch.push(ids) == [empty if i < 0 else one.push(i) for one, i in zip(singles, ids, strict=True)]
            if rng.random() < 0.2:
                place = rng.randrange(n)
                assert batch.flush_one(place) == singles[place].flush()
                assert batch.stopped == [one.stopped for one in singles]
                prompt = [rng.randrange(tok.vocab_size) for _ in range(rng.randrange(4))]
                batch.prime(place, prompt)
                singles[place].prime(prompt)
            assert batch.stopped == [one.stopped for one in singles]
        assert batch.flush() == [one.flush() for one in singles]


def test_arrays():
    numpy = pytest.importorskip("numpy")
    tok = byte_tokenizer()
    batch = BatchStream(tok.stream(), 3)
    a, b = tok.encode("ab")
    for ids in (numpy.array([a, -1, b], "int32"), (a, -1, b), [numpy.int64(a), -1, b]):
        assert batch.push(ids) == ["a", "", "b"]


def test_no_places():
    batch = BatchStream(byte_tokenizer().stream(), 0)
    assert (len(batch), batch.push([]), batch.flush(), batch.stopped) == (0, [], [], [])


def test_bad_ids_change_nothing():
    tok = byte_tokenizer()
    batch = BatchStream(tok.stream(), 2)
    first, last = tok.encode("é")
    assert batch.push([first, first]) == ["", ""]
    for number in (-2, 10**6, 2**70, -(2**70)):
        with pytest.raises(IdError, match=f"id {number} at position 1 is outside the vocabulary: .* and -1 for"):
            batch.push([last, number])
    for ids in ([last], [last] * 3, []):
        with pytest.raises(OptionError, match=f"{len(ids)} ids for 2 places: give one for each, and -1"):
            batch.push(ids)
    for ids in ([last, None], [last, True], "ab", 5, [[last, last]]):
        with pytest.raises(ArgumentTypeError):
            batch.push(ids)
    assert batch.push([last, last]) == ["é", "é"]


def test_wrong_places_and_numbers():
    tok = byte_tokenizer()
    batch = BatchStream(tok.stream(stop="ab"), 2)
    for place in (-1, 2, 2**70):
        with pytest.raises(IdError, match=f"place {place} of 2: must be 0 to 1"):
            batch.flush_one(place)
        with pytest.raises(IdError, match="place"):
            batch.prime(place, [])
    with pytest.raises(ArgumentTypeError, match="a place is an integer, not str"):
        batch.flush_one("0")
    for n in (-1, 2**70):
        with pytest.raises(OptionError, match=f"n {n}: the number of texts must be 0 to"):
            BatchStream(tok.stream(), n)
    with pytest.raises(ArgumentTypeError, match="n is an integer, not float"):
        BatchStream(tok.stream(), 1.0)
    batch.push(tok.encode("ax"))
    with pytest.raises(OptionError, match="prime after push"):
        batch.prime(0, [])


def test_a_stream_is_copied_with_its_state():
    """Texts that share a prompt need one call of `prime`."""
    tok = byte_tokenizer()
    stream = tok.stream()
    first, last = tok.encode("é")
    stream.push(first)
    batch = BatchStream(stream, 2)
    stream.push(last)
    assert batch.push([last, -1]) == ["é", ""]
    assert batch.flush() == ["", "\ufffd"]
    with pytest.raises(ArgumentTypeError, match="cannot be pickled"):
        pickle.dumps(batch)
