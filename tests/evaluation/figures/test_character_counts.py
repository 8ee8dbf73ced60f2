"""Scripts of characters and pieces against the generated table."""

import pytest

from spm_lite.base.unicode.ranges.script_ranges import RANGES
from spm_lite.evaluation.figures.character_counts import SCRIPT_NAMES, script_name, script_of_piece


def test_every_listed_character():
    for line in RANGES.replace("\n ", " ").splitlines():
        name, *ranges = line.split()
        for item in ranges:
            first, _, last = item.partition("-")
            for point in (int(first, 16), int(last or first, 16)):
                if not 0xD800 <= point < 0xE000:
                    assert script_name(chr(point)) == name
    assert script_name("\U0010ffff") == "Common"
    assert len(set(SCRIPT_NAMES)) == len(SCRIPT_NAMES) < 256


@pytest.mark.parametrize(
    ("piece", "script"),
    [
        ("", "Common"), (" 12,", "Common"), ("the", "Latin"), (" e\u0301", "Latin"), ("\u0301", "Common"),
        ("食べる", "Japanese"), ("カタかな", "Japanese"), ("漢", "Han"), ("漢ㄅ", "Hanb"), ("漢한", "Korean"),
        ("漢ㄅか", "Mixed"), ("aж", "Mixed"), ("a\u200db", "Latin"), ("\udcff", "Common"),
    ],
)  # fmt: skip
def test_pieces(piece, script):
    assert script_of_piece(piece) == script
