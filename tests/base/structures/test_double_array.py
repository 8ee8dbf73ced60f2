"""The double array against a dict."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native

from spm_lite.base.structures.double_array import build_units

KEYS = st.one_of(
    st.binary(min_size=1, max_size=8).filter(lambda key: 0 not in key),
    st.lists(st.sampled_from([b"a", b"b", b"\xff", "あ".encode()]), min_size=1, max_size=6).map(b"".join),
)
MAPS = st.dictionaries(KEYS, st.integers(0, 2**31 - 1), max_size=60)


def naive_matches(keys: dict[bytes, int], text: bytes) -> list[tuple[int, int]]:
    return [(size, keys[text[:size]]) for size in range(1, len(text) + 1) if text[:size] in keys]


def check_format(units: bytes) -> None:
    """What the model format asks of an array."""
    words = [word for (word,) in struct.iter_unpack("<I", units)]
    assert len(words) % 256 == 0
    for i, word in enumerate(words):
        if word >> 31:
            continue
        base = i ^ (word >> 10 << ((word & 0x200) >> 6))
        assert (base | 0xFF) < len(words)
        assert not word & 0x100 or words[base] >> 31
    assert words[0] & 0x1FF == 0


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(keys=MAPS, texts=st.lists(KEYS, max_size=10))
def test_prefix_matches(keys, texts):
    units = build_units(keys)
    check_format(units)
    for text in [*keys, *(key + b"a\xff" for key in keys), *(key + b"\0" + key for key in keys), *texts, b"", b"\0"]:
        assert native.prefix_matches(units, text) == naive_matches(keys, text)


@pytest.mark.slow
@pytest.mark.parametrize("n_keys", [1, 300, 70_000])
def test_many_keys(n_keys):
    rng = random.Random(n_keys)
    keys = {bytes(rng.choices(range(1, 256), k=rng.randrange(1, 9))): rng.randrange(2**31) for _ in range(n_keys)}
    units = build_units(keys)
    check_format(units)
    for key in keys:
        assert native.prefix_matches(units, key) == naive_matches(keys, key)
    for _ in range(1000):
        text = bytes(rng.choices(range(256), k=6))
        assert native.prefix_matches(units, text) == naive_matches(keys, text)


def test_all_bytes_and_long_keys():
    keys = {bytes([byte]): byte for byte in range(1, 256)} | {b"a" * 20_000: 7}
    units = build_units(keys)
    assert native.prefix_matches(units, b"a" * 30_000) == [(1, ord("a")), (20_000, 7)]
    assert native.prefix_matches(units, b"\xff") == [(1, 255)]


@pytest.mark.parametrize("key", [b"", b"\0", b"a\0b"])
def test_keys_that_cannot_be(key):
    with pytest.raises(ValueError, match="none of them NUL"):
        build_units({key: 1})
