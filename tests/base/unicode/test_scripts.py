"""The script table against the Unicode data it was made from."""

import re

import pytest
from oracle import native

from spm_lite.base.unicode.ranges.script_ranges import RANGES


def test_examples():
    assert [native.script_name(ord(c)) for c in "aжの漢カー"] == ["Latin", "Cyrillic", "Han", "Han", "Han", "Han"]
    assert native.script_name(0x301) == "Inherited"
    assert {native.script_name(ord(c)) for c in "7 .\n\u2581\U0001f600"} == {"Common"}


@pytest.mark.parametrize("code_point", [0x378, 0x1FFFF, 0x10FFFF, 0x110000, 2**32 - 1, 0x10D00])
def test_unlisted_is_common(code_point):
    assert native.script_name(code_point) == "Common"  # U+10D00 was assigned after Unicode 9


def test_ranges_are_ascending():
    for line in RANGES.replace("\n ", " ").splitlines():
        bounds = [int(bound, 16) for item in line.split()[1:] for bound in (item.split("-") * 2)[:2]]
        assert bounds == sorted(bounds)
        assert bounds[-1] < 0x110000


def test_every_code_point(shared_data):
    expected = {}
    for line in (shared_data / "unicode" / "Scripts-9.0.0.txt").read_text(encoding="utf-8").splitlines():
        found = re.match(r"(\w+)(?:\.\.(\w+))?\s*;\s*(\w+)", line)
        if found:
            for code_point in range(int(found[1], 16), int(found[2] or found[1], 16) + 1):
                expected[code_point] = "Han" if found[3] in ("Hiragana", "Katakana") else found[3]
    assert len(expected) == 128_237
    expected[0x30FC] = "Han"
    assert all(native.script_name(point) == expected.get(point, "Common") for point in range(0x110000))
