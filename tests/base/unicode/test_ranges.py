"""The reader of the generated tables of ranges, against their text read number by number."""

import re
from itertools import pairwise

import pytest

from spm_lite.base.unicode.ranges import (
    bert_ranges,
    grapheme_ranges,
    invisible_ranges,
    named_ranges,
    ranges_of,
    script_ranges,
    split_ranges,
)

TABLES = [bert_ranges.PUNCTUATION, bert_ranges.IDEOGRAPHS, invisible_ranges.BLANK, split_ranges.UPPER]


def test_single_code_points_and_ranges():
    assert list(ranges_of("9 2000-200A\nFEFF")) == [(0x9, 0x9), (0x2000, 0x200A), (0xFEFF, 0xFEFF)]
    assert list(ranges_of("")) == []


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_read_whole_and_rise(table):
    found = list(ranges_of(table))
    assert [number for first, last in found for number in ([first] if first == last else [first, last])] == [
        int(number, 16) for number in re.findall(r"[0-9A-F]+", table)
    ]
    assert found == sorted(found)


def test_a_line_that_begins_with_a_space_continues_the_last_one():
    table = "CR D\nControl 0-9 B-C\n E-1F\n7F_Name 7F\n"
    assert [(name, list(ranges)) for name, ranges in named_ranges(table)] == [
        ("CR", [(0xD, 0xD)]),
        ("Control", [(0, 9), (0xB, 0xC), (0xE, 0x1F)]),
        ("7F_Name", [(0x7F, 0x7F)]),
    ]


@pytest.mark.parametrize("table", [grapheme_ranges.RANGES, script_ranges.RANGES])
def test_every_line_has_one_name_and_no_code_point_is_listed_twice(table):
    found = [(name, list(ranges)) for name, ranges in named_ranges(table)]
    assert [name for name, _ in found] == re.findall(r"^\S+", table, re.MULTILINE)
    listed = sorted(item for _, ranges in found for item in ranges)
    assert all(first <= last for first, last in listed)
    assert all(before[1] < after[0] for before, after in pairwise(listed))
