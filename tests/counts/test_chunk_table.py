"""The count table against a dictionary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.errors import ArgumentTypeError, TrainingError

texts = st.binary(min_size=1, max_size=20) | st.text("ab\u2581", min_size=1).map(str.encode)


@given(st.lists(st.tuples(texts, st.integers(1, 5))))
def test_adds_up_in_canonical_order(items: list[tuple[bytes, int]]) -> None:
    expected: dict[bytes, int] = {}
    for text, count in items:
        expected[text] = expected.get(text, 0) + count
    table = ChunkTable.from_items(items)
    assert table.items() == sorted(expected.items(), key=lambda item: (-item[1], item[0]))
    assert len(table) == len(expected)
    assert table.text_bytes == sum(map(len, expected))


def test_many_distinct_texts() -> None:
    items = [(str(i).encode(), 1) for i in range(100_000)]
    assert ChunkTable.from_items(items).items() == sorted(items)


def test_counts_are_64_bit() -> None:
    assert ChunkTable.from_items([(b"a", 2**63), (b"a", 2**63 - 1)]).items() == [(b"a", 2**64 - 1)]
    with pytest.raises(TrainingError, match=r"2\^64 - 1"):
        ChunkTable.from_items([(b"a", 2**63), (b"a", 2**63)])


@pytest.mark.parametrize("item", [(b"", 1), (b"a", 0), (b"a", 2**64)])
def test_out_of_range(item: tuple[bytes, int]) -> None:
    with pytest.raises(TrainingError, match="a count must be"):
        ChunkTable.from_items([item])


def test_wrong_types() -> None:
    with pytest.raises(ArgumentTypeError, match="bytes, int"):
        ChunkTable.from_items([("a", 1)])  # type: ignore[list-item]
