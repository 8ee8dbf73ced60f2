"""The count table against a dictionary."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.weighted_counts import Weighted, weighted_sum

from spm_lite.errors import ArgumentTypeError, TrainingError
from spm_lite.training.counts.characters import LeftOut
from spm_lite.training.counts.chunk_budget import Budget
from spm_lite.training.counts.chunk_table import ChunkTable

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


tables = st.dictionaries(texts, st.integers(1, 9), min_size=1, max_size=12)
weighted_tables = st.lists(st.tuples(tables, st.integers(1, 50), st.integers(0, 80)), min_size=1, max_size=6)


def table_of(counts: dict[bytes, int]) -> ChunkTable:
    return ChunkTable.from_items(counts.items())


def sum_of(parts: list[Weighted]) -> ChunkTable:
    return ChunkTable.sum(table_of(counts).weighted(factor, source) for counts, factor, source in parts)


def rows(table: ChunkTable) -> list[tuple[bytes, int, int, int]]:
    """(text, count, occurrences, sources) of each chunk, in the table's order."""
    return [(*item, *origin) for item, origin in zip(table.items(), table.origin_items(), strict=True)]


@given(tables, st.integers(1, 2**40), st.integers(0, 70))
def test_weights_multiply_counts_and_leave_occurrences(counts: dict[bytes, int], factor: int, source: int) -> None:
    plain = table_of(counts)
    weighted = plain.weighted(factor, source)
    assert weighted.items() == [(text, count * factor) for text, count in plain.items()]
    assert weighted.origin_items() == [(count, 1 << min(source, 63)) for _, count in plain.items()]
    assert weighted.has_origins
    assert weighted.divisor == 1
    assert not plain.has_origins
    assert plain.origin_items() == [(count, 0) for _, count in plain.items()]


def test_sources_from_the_64th_on_share_a_bit() -> None:
    table = table_of({b"a": 3})
    assert [table.weighted(1, source).origin_items()[0][1] for source in (0, 62, 63, 64, 1000)] == [
        1, 2**62, 2**63, 2**63, 2**63,
    ]  # fmt: skip
    assert sum_of([({b"a": 1}, 1, 70), ({b"a": 1}, 1, 80), ({b"a": 1}, 1, 2)]).origin_items() == [(3, 2**63 + 4)]


def test_a_factor_of_zero() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        table_of({b"a": 3}).weighted(0, 0)


def test_weighted_counts_have_a_limit() -> None:
    assert table_of({b"a": 2**31}).weighted(2**31, 0).items() == [(b"a", 2**62)]
    with pytest.raises(TrainingError, match=r"above 2\^63 - 1"):
        table_of({b"a": 2**31, b"b": 1}).weighted(2**32, 0)


@given(weighted_tables)
def test_the_sum_of_weighted_tables(parts: list[Weighted]) -> None:
    """Counts, occurrences and sources, in canonical order of the weighted counts."""
    assert rows(sum_of(parts)) == weighted_sum(parts)


@given(weighted_tables, st.randoms(use_true_random=False))
def test_the_order_of_tables_does_not_matter(parts: list[Weighted], draw: random.Random) -> None:
    shuffled = draw.sample(parts, len(parts))
    assert rows(sum_of(parts)) == rows(sum_of(shuffled))


def test_origins_follow_their_chunks_when_many_are_sorted() -> None:
    draw = random.Random(7)
    parts: list[Weighted] = []
    for source in range(3):
        counts = {b"%x" % draw.randrange(20_000): draw.choice([1, 1, 2, 7, 300]) for _ in range(6000)}
        parts.append((counts, draw.choice([1, 3, 10]), source))
    assert rows(sum_of(parts)) == weighted_sum(parts)


def test_a_table_of_several_sources_and_one_of_one_source_do_not_add_up() -> None:
    plain, weighted = table_of({b"a": 2}), table_of({b"a": 2}).weighted(1, 0)
    for pair in ([plain, weighted], [weighted, plain]):
        with pytest.raises(TrainingError, match="a table of several sources can be added to another such table only"):
            ChunkTable.sum(pair)
    assert rows(ChunkTable.sum([table_of({}), weighted])) == [(b"a", 2, 2, 1)]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_source_without_chunks_adds_nothing(place: int) -> None:
    parts: list[Weighted] = [({b"a": 2}, 3, 0), ({b"b": 1}, 1, 1)]
    assert rows(sum_of([*parts[:place], ({}, 5, 2), *parts[place:]])) == weighted_sum(parts)


def left_out_of(counts: dict[bytes, int]) -> LeftOut:
    """The record of a table that a budget of one chunk emptied."""
    left_out = table_of(counts).fitting(Budget(0, 1, 1)).left_out
    assert left_out is not None
    return left_out


@given(tables, st.none() | tables, st.integers(1, 2**30))
def test_common_divisor_of_all_counts(counts: dict[bytes, int], others: dict[bytes, int] | None, k: int) -> None:
    """The characters and bytes of the chunks left out count too, so that all totals can be divided."""
    table = table_of({text: count * k for text, count in counts.items()})
    expected = math.gcd(*counts.values()) * k
    if others is not None:
        left_out = left_out_of({text: count * k for text, count in others.items()})
        table.leave_out(left_out)
        found = [count for _, count in left_out.characters.items()]
        expected = math.gcd(
            expected, left_out.n_occurrences, left_out.n_bytes, left_out.characters.n_boundaries, *found
        )
        assert expected % k == 0
    assert table.common_divisor() == expected


def test_common_divisor_of_no_counts() -> None:
    assert table_of({}).common_divisor() == 1


@given(tables, st.none() | tables, st.integers(1, 2**30))
def test_dividing_takes_back_what_multiplying_did(
    counts: dict[bytes, int], others: dict[bytes, int] | None, k: int
) -> None:
    """Occurrences stay what they were."""
    table, plain = table_of({text: count * k for text, count in counts.items()}), table_of(counts)
    if others is not None:
        table.leave_out(left_out_of({text: count * k for text, count in others.items()}))
        plain.leave_out(left_out_of(others))
    divided = table.divided(k)
    assert divided.items() == plain.items()
    assert divided.divisor == k
    assert divided.origin_items() == table.origin_items() == [(count, 0) for _, count in table.items()]
    assert (divided.left_out is None) == (others is None)
    if divided.left_out is not None:
        assert plain.left_out is not None
        assert divided.left_out.equals(plain.left_out)
        assert divided.left_out.n_chunks == plain.left_out.n_chunks
    assert divided.divided(1).divisor == k


@given(weighted_tables, st.integers(1, 50))
def test_dividing_weighted_counts_leaves_their_origins(parts: list[Weighted], k: int) -> None:
    table = sum_of([(counts, factor * k, source) for counts, factor, source in parts])
    divided = table.divided(k)
    assert divided.items() == sum_of(parts).items()
    assert divided.origin_items() == table.origin_items()
    assert divided.low_means()[1] == table.low_means()[1]


def low(numbers: list[int]) -> float:
    """The power mean with the exponent -2."""
    return math.sqrt(len(numbers) / math.fsum(1 / number**2 for number in numbers))


@given(weighted_tables, st.integers(1, 50))
def test_low_means(parts: list[Weighted], k: int) -> None:
    """Of counts and of occurrences: plain, multiplied and divided, and with weights."""
    plain = table_of(parts[0][0])
    counts = [count for _, count in plain.items()]
    assert plain.low_means() == pytest.approx((low(counts), low(counts)))
    times_k = table_of({text: count * k for text, count in parts[0][0].items()})
    assert times_k.low_means() == pytest.approx((low(counts) * k, low(counts) * k))
    assert times_k.divided(k).low_means() == pytest.approx((low(counts), low(counts) * k))
    weighted = weighted_sum(parts)
    occurrences = [n for _, _, n, _ in weighted]
    expected = low([count for _, count, _, _ in weighted]), low(occurrences)
    assert sum_of(parts).low_means() == pytest.approx(expected)


def test_low_means_of_no_chunks() -> None:
    assert table_of({}).low_means() == (1.0, 1.0)


def test_low_means_with_chunks_left_out_are_those_of_all() -> None:
    """The rarest chunks are left out, and those occur about equally often."""
    counts = {b"%d" % i: 1 + (i < 100) * i for i in range(1000)}
    budget = Budget(200, 1, 0)
    table = table_of(counts).fitting(budget)
    assert len(table) == 200
    low_mean = low([*counts.values()])
    assert table.low_means() == pytest.approx((low_mean, low_mean))
    assert table.weighted(3, 0).low_means() == pytest.approx((3 * low_mean, low_mean))
    times_3 = table_of({text: 3 * count for text, count in counts.items()}).fitting(budget)
    assert times_3.divided(3).low_means() == pytest.approx((low_mean, 3 * low_mean))


lines_of = st.dictionaries(st.text("ab \u0301é漢ไ😀", min_size=1, max_size=9), st.integers(1, 9), min_size=1)


@given(lines_of, st.booleans(), st.booleans())
def test_sizes_as_given(lines: dict[str, int], has_marks: bool, are_left_out: bool) -> None:
    """A space is one byte, whether or not it stands as U+2581 in the chunks. Chunks left out count too."""
    counts = {(line.replace(" ", "\u2581") if has_marks else line).encode(): count for line, count in lines.items()}
    table = table_of(counts)
    if are_left_out:
        table = table.fitting(Budget(8, 1, 1))
    n_bytes = sum(len(line.encode()) * count for line, count in lines.items())
    n_characters = sum(len(line) * count for line, count in lines.items())
    assert table.given_sizes(has_marks) == (n_bytes, n_characters)


@given(weighted_tables, st.integers(0, 60))
def test_a_table_that_fits_keeps_the_origins_of_what_it_keeps(parts: list[Weighted], available: int) -> None:
    whole = sum_of(parts)
    kept = whole.fitting(Budget(available, 1, 1))
    by_text = {row[0]: row for row in rows(whole)}
    assert rows(kept) == [by_text[text] for text, _ in kept.items()]
    assert len(kept) == len(whole) or kept.left_out is not None
