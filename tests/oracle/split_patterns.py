"""The published split patterns, run by the package `regex` with the classes of characters that tiktoken has."""

import re

from oracle import extras

from spm_lite.base.unicode.ranges import split_ranges

regex = extras.need("regex")


def as_set(ranges):
    """The inside of a set of characters."""
    items = []
    for item in ranges.split():
        first, _, last = item.partition("-")
        items.append(f"\\U{int(first, 16):08X}-\\U{int(last or first, 16):08X}")
    return "".join(items)


UPPER, LOWER, CASELESS = (as_set(getattr(split_ranges, name)) for name in ("UPPER", "LOWER", "CASELESS"))
SETS = {
    "L": UPPER + LOWER + CASELESS, "N": as_set(split_ranges.NUMBER), "M": as_set(split_ranges.MARK),
    "Lu": UPPER, "Lt": "", "Ll": LOWER, "Lm": CASELESS, "Lo": "",
}  # fmt: skip


def compiled(pattern):
    """The pattern with its classes spelled out: `regex` knows a later Unicode."""
    parts = []
    is_inside = False
    for part in re.findall(r"\\p\{\w+\}|\\.|.", pattern, re.DOTALL):
        if part.startswith(r"\p{") and part[3:-1] in SETS:
            found = SETS[part[3:-1]]
            parts.append(found if is_inside else f"[{found}]")
            continue
        is_inside = (is_inside or part == "[") and part != "]"
        parts.append(part)
    return regex.compile("".join(parts), regex.V0)


def matches(pattern, text):
    """The matches, in the order of the text."""
    return [found.group() for found in compiled_once(pattern).finditer(text)]


CACHE = {}


def compiled_once(pattern):
    if pattern not in CACHE:
        CACHE[pattern] = compiled(pattern)
    return CACHE[pattern]


def parts_of(patterns, text):
    """The matches and the texts between them, as bytes. patterns: the parts of one are cut by the next."""
    parts = [text]
    for find in (compiled_once(pattern).finditer for pattern in patterns):
        parts = [part for one in parts for part in cut_by(find, one)]
    return [part.encode() for part in parts]


def cut_by(find, text):
    """The matches of one pattern and the texts between them."""
    found, end = [], 0
    for match in find(text):
        found += [text[end : match.start()], match.group()]
        end = match.end()
    return [part for part in [*found, text[end:]] if part]
