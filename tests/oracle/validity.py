"""Piece validity, straight from the rules: one regular question after the other, no state."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache

from spm_lite.base.unicode.ranges.invisible_ranges import BLANK, IGNORABLE
from spm_lite.base.unicode.ranges.script_ranges import RANGES
from spm_lite.specs import TrainerSpec

WS = "\u2581"
DIGITS = "0123456789０１２３４５６７８９"  # of the original


def is_valid(text: str, spec: TrainerSpec, reference_rules: bool = False) -> bool:
    """Whether `text` may become a piece."""
    if not 1 <= len(text) <= spec.max_sentencepiece_length:
        return False
    if any(c in "\0 " or 0xD800 <= ord(c) <= 0xDFFF for c in text):
        return False
    if reference_rules and any(c in "\x1f\u2585" for c in text):
        return False
    if not (spec.allow_whitespace_only_pieces and set(text) == {WS}):
        if spec.split_by_whitespace:
            rest = text[:-1] if spec.treat_whitespace_as_suffix else text[1:]
            if WS in rest:
                return False
        elif len(text) > 1 and text[0 if spec.treat_whitespace_as_suffix else -1] == WS:
            return False
    if not has_few_digits(text, spec, reference_rules):
        return False
    if not spec.split_by_unicode_script:
        return True
    joins = spec.lossless and not reference_rules
    if joins and spec.split_by_whitespace and text[-1 if spec.treat_whitespace_as_suffix else 0] in blanks():
        text = text[:-1] if spec.treat_whitespace_as_suffix else text[1:]
    return has_one_script(text.replace(WS, ""), spec, joins)


def has_few_digits(text: str, spec: TrainerSpec, reference_rules: bool = False) -> bool:
    """Whether the digits of a piece are as few as split_digits says: none beside others, or at most so many."""
    digits = re.findall(f"[{DIGITS}]" if reference_rules else r"\d", text)
    if spec.split_digits is True:
        return not digits or len(text) == 1
    return spec.split_digits is False or len(digits) <= spec.split_digits


def has_one_script(text: str, spec: TrainerSpec, joins: bool) -> bool:
    before = None
    for c in text:
        script = script_name(ord(c))
        if script == "Inherited":
            script = before
        if joins and (c in ignorables() or (c in blanks() and not spec.split_by_whitespace)):
            script = before
        if c in DIGITS and not spec.split_by_number:
            script = None
        if script is not None and before is not None and script != before:
            return False
        before = script
    return True


@cache
def blanks() -> frozenset[str]:
    return listed_characters(BLANK)


@cache
def ignorables() -> frozenset[str]:
    return listed_characters(IGNORABLE)


def listed_characters(ranges: str) -> frozenset[str]:
    bounds = [item.split("-") for item in ranges.split()]
    return frozenset(chr(point) for pair in bounds for point in range(int(pair[0], 16), int(pair[-1], 16) + 1))


@cache
def listed_ranges() -> list[tuple[int, int, str]]:
    """(first, last, script), ascending."""
    ranges = []
    for line in RANGES.replace("\n ", " ").splitlines():
        name, *items = line.split()
        for item in items:
            first, _, last = item.partition("-")
            ranges.append((int(first, 16), int(last or first, 16), name))
    return sorted(ranges)


def script_name(code_point: int) -> str:
    """The script as the rules see it: Japanese has one."""
    ranges = listed_ranges()
    place = bisect_right(ranges, (code_point, 0x110000, "")) - 1
    name = ranges[place][2] if place >= 0 and code_point <= ranges[place][1] else "Common"
    return "Han" if name in ("Hiragana", "Katakana") or code_point == 0x30FC else name
