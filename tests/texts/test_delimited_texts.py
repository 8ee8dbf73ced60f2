"""Documents: bytes.split, whatever the blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.errors import TextError
from spm_lite.texts.delimited_texts import Documents

BYTES = st.lists(st.sampled_from(b"aab\n"), max_size=40).map(bytes)


def texts_of(found):
    return [found.text(i) for i in range(len(found))]


@given(BYTES, st.lists(st.sampled_from(b"ab"), min_size=1, max_size=4).map(bytes))
def test_one_block(data, separator):
    found = Documents(separator, 99)
    *ended, rest = data.split(separator)
    assert found.add(data, 0, False) == len(data) - len(rest)
    assert texts_of(found) == ended
    assert found.n_bytes == sum(map(len, ended))
    found = Documents(separator, 99)
    assert found.add(data, -5, True) == len(data)
    assert texts_of(found) == ended + [rest] * bool(rest)


@given(BYTES)
def test_without_a_separator(data):
    found = Documents(b"", 99)
    assert found.add(data, 0, False) == 0
    assert len(found) == 0
    assert found.add(data, 0, True) == len(data)
    assert texts_of(found) == [data]


def test_what_was_searched_is_not_searched_again():
    found = Documents(b"a", 99)
    assert found.add(b"a-b-a-", 1, False) == 5
    assert texts_of(found) == [b"a-b-"]
    assert found.add(b"a", 7, False) == 0


def test_memory_is_held():
    found = Documents(b"\n", 99)
    block = bytearray(b"hello\nworld")
    assert found.add(block, 0, False) == 6
    with pytest.raises(BufferError):
        block.clear()
    del block
    assert texts_of(found) == [b"hello"]
    found.add(bytearray(b"b\n"), 0, False)
    assert texts_of(found) == [b"hello", b"b"]


def test_texts_before_one_that_is_too_long():
    found = Documents(b"\n", 5)
    with pytest.raises(TextError, match="6 bytes are more than the 5 of one text"):
        found.add(b"hello\nhello!\n", 0, False)
    assert texts_of(found) == [b"hello"]
    with pytest.raises(IndexError):
        found.text(1)
