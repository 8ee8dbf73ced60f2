"""The table of invisible characters against the properties that Python and the package regex know."""

import unicodedata
from importlib.metadata import metadata

import pytest
from oracle import extras, native

from spm_lite.base.unicode.ranges.invisible_ranges import BLANK, IGNORABLE, VERSION

RANGES = {"blank": BLANK, "ignorable": IGNORABLE}


def listed(ranges):
    bounds = [(item.split("-") * 2)[:2] for item in ranges.split()]
    return [point for begin, last in bounds for point in range(int(begin, 16), int(last, 16) + 1)]


def test_examples():
    assert [native.invisible_name(ord(c)) for c in "\t\u00a0\u3000\u2003"] == ["blank"] * 4
    assert [native.invisible_name(ord(c)) for c in "\u00ad\u200b\u200d\u200f\u2060\ufeff\ufe0f"] == ["ignorable"] * 7
    assert {native.invisible_name(ord(c)) for c in "a \n\r\x85\u1680\u0600\u2581\u2800"} == {"visible"}
    for point in (0x110000, 2**31, 2**32 - 1):
        assert native.invisible_name(point) == "visible"


def test_every_code_point():
    kinds = {point: kind for kind, ranges in RANGES.items() for point in listed(ranges)}
    assert all(native.invisible_name(point) == kinds.get(point, "visible") for point in range(0x110000))


def test_ranges_are_ascending_and_apart():
    for ranges in RANGES.values():
        assert listed(ranges) == sorted(set(listed(ranges)))
    assert not set(listed(BLANK)) & set(listed(IGNORABLE))


def test_categories():
    """What Python knows of the properties."""
    ink = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    for point in range(0x110000):
        category = unicodedata.category(chr(point))
        if point == 0x09 or (category in ("Zs", "Zl", "Zp") and point not in (0x20, 0x1680)):
            assert native.invisible_name(point) == "blank"
        elif category == "Cf" and point not in ink:
            assert native.invisible_name(point) == "ignorable"
        else:
            assert native.invisible_name(point) == "visible" or category in ("Mn", "Lo", "Cn")


@pytest.mark.dev
def test_table_is_what_the_generator_makes():
    regex = extras.need("regex")
    if VERSION not in str(metadata("regex").get_payload()):
        pytest.skip(f"this regex has another Unicode than {VERSION}")
    text = "".join(map(chr, range(0x110000)))
    blank = r"[\t[\p{White_Space}&&\p{Script=Common}--\p{Cc}--\x20]]"
    ignorable = r"[[\p{Default_Ignorable_Code_Point}\p{Cf}]--\p{Prepended_Concatenation_Mark}]"
    for ranges, pattern in ((BLANK, blank), (IGNORABLE, ignorable)):
        assert [ord(c) for c in regex.findall(pattern, text, regex.VERSION1)] == listed(ranges)
