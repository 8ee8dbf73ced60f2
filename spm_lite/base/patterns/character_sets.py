"""Sets of characters, and those that patterns know by name: general categories, scripts, white space, words.

A set is a tuple of rising code points. At each of them a run of members begins or ends. OTHER is one more character: a
byte that is not part of a well-formed one.
"""

from __future__ import annotations

from functools import lru_cache

from spm_lite._typing import TYPE_CHECKING
from spm_lite.base.unicode.ranges import named_ranges, property_ranges, ranges_of, script_ranges, split_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    CharacterSet: TypeAlias = tuple[int, ...]

OTHER = 0x110000
N_CHARACTERS = OTHER + 1
NONE: CharacterSet = ()
ANY: CharacterSet = (0, N_CHARACTERS)
LONG_NAMES = {  # of general categories, without signs
    "letter": "l", "uppercaseletter": "lu", "lowercaseletter": "ll", "titlecaseletter": "lt", "modifierletter": "lm",
    "otherletter": "lo", "mark": "m", "nonspacingmark": "mn", "spacingmark": "mc", "enclosingmark": "me", "number": "n",
    "decimalnumber": "nd", "letternumber": "nl", "othernumber": "no", "punctuation": "p", "connectorpunctuation": "pc",
    "dashpunctuation": "pd", "openpunctuation": "ps", "closepunctuation": "pe", "initialpunctuation": "pi",
    "finalpunctuation": "pf", "otherpunctuation": "po", "symbol": "s", "mathsymbol": "sm", "currencysymbol": "sc",
    "modifiersymbol": "sk", "othersymbol": "so", "separator": "z", "spaceseparator": "zs", "lineseparator": "zl",
    "paragraphseparator": "zp", "other": "c", "control": "cc", "format": "cf", "surrogate": "cs", "privateuse": "co",
    "unassigned": "cn", "digit": "nd", "punct": "p",
}  # fmt: skip


def of_ranges(ranges: Iterable[tuple[int, int]]) -> CharacterSet:
    """The set of some inclusive ranges, in any order."""
    return united([(first, last + 1) for first, last in ranges])


def united(sets: Iterable[CharacterSet]) -> CharacterSet:
    """What is in one at least; the time is that of sorting their runs.

    >>> united([(1, 5), (3, 7), (7, 8)])
    (1, 8)
    """
    events = sorted([(point, 1 - 2 * (i & 1)) for one in sets for i, point in enumerate(one)])
    found: list[int] = []
    depth = 0
    for point, step in events:
        was, depth = depth, depth + step
        if (was == 0) != (depth == 0):
            if found and found[-1] == point:
                found.pop()  # one run ends where the next begins
            else:
                found.append(point)
    return tuple(found)


def negated(some: CharacterSet) -> CharacterSet:
    """What is not in it, and OTHER unless it is.

    >>> negated((0, 5))
    (5, 1114113)
    """
    begin = some[1:] if some[:1] == (0,) else (0, *some)
    return begin[:-1] if begin[-1:] == (N_CHARACTERS,) else (*begin, N_CHARACTERS)


def shared(some: CharacterSet, others: CharacterSet) -> CharacterSet:
    """What is in both of two.

    >>> shared((0, 5), (3, 9))
    (3, 5)
    """
    return negated(united([negated(some), negated(others)]))


def single(code: int) -> CharacterSet:
    return (code, code + 1)


def members(some: CharacterSet) -> Iterable[int]:
    """The code points of a set."""
    for begin, end in zip(some[::2], some[1::2], strict=True):
        yield from range(begin, end)


@lru_cache(None)
def categories() -> dict[str, CharacterSet]:
    """The general categories by their short names, and those of one letter."""
    found = {name.lower(): of_ranges(ranges) for name, ranges in named_ranges(property_ranges.CATEGORIES)}
    return {**found, "cs": (0xD800, 0xE000)}


@lru_cache(None)
def scripts() -> dict[str, str]:
    """The line of each script by each of its names: few scripts of many are ever asked for."""
    lines: dict[str, str] = {}
    for line in property_ranges.SCRIPTS.replace("\n ", " ").splitlines():
        names, _, ranges = line.partition(" ")
        lines |= dict.fromkeys(names.split("="), ranges)
    return lines


@lru_cache(64)
def named(name: str) -> CharacterSet | None:
    """The set of a property; None: it is not known. Case, spaces, hyphens and underscores do not count."""
    plain = name.lower().translate({ord(" "): None, ord("-"): None, ord("_"): None})
    short = LONG_NAMES.get(plain, plain)
    known = categories()
    if short in known:
        return known[short]
    if short == "cn":
        return negated(united([*known.values(), single(OTHER)]))
    if short == "c":
        return united([known["cc"], known["cf"], known["co"], known["cs"], named("cn") or NONE])
    if short in ("l", "m", "n", "p", "s", "z"):
        return united([some for one, some in known.items() if one[0] == short])
    if short in ("lc", "casedletter"):
        return united([known["lu"], known["ll"], known["lt"]])
    if plain == "any":
        return (0, OTHER)
    if plain in ("whitespace", "space", "wspace"):
        return white()
    line = scripts().get(plain)
    return None if line is None else of_ranges(ranges_of(line))


@lru_cache(None)
def early_scripts() -> tuple[CharacterSet, ...]:
    """The scripts of Unicode 9, as `UnicodeScripts` tells them apart: Japanese is one, a space in none."""
    tables = (script_ranges.RANGES, script_ranges.COMMON)
    found = {name: of_ranges(ranges) for table in tables for name, ranges in named_ranges(table)}
    long_sound = single(0x30FC)
    found["Han"] = united([long_sound, *(found.pop(name) for name in ("Han", "Hiragana", "Katakana"))])
    found["Common"] = shared(found["Common"], negated(united([single(0x20), long_sound])))
    return tuple(found.values())


@lru_cache(None)
def white() -> CharacterSet:
    """White space."""
    return of_ranges(ranges_of(split_ranges.WHITE))


@lru_cache(None)
def word(program: str) -> CharacterSet:
    r"""What `\w` is in a program, "oniguruma" or "rust", and in "brackets" of the first."""
    extra = {name: of_ranges(ranges) for name, ranges in named_ranges(property_ranges.WORD)}
    known = categories()
    parts = [known[name] for name in ("lu", "ll", "lt", "lm", "lo", "mn", "mc", "me", "nd", "pc")]
    return united([*parts, extra["both"], extra.get(program, NONE)])


@lru_cache(None)
def cases() -> dict[int, tuple[int, ...]]:
    """The characters that are one another in another case, by each of them."""
    found: dict[int, tuple[int, ...]] = {}
    for item in property_ranges.CASES.split():
        group = tuple(int(code, 16) for code in item.split("="))
        found |= dict.fromkeys(group, group)
    return found


def without_case(some: CharacterSet) -> CharacterSet:
    """For each letter its upper, lower and title case too: with `k` also U+212A, the sign of kelvins."""
    groups = {group for code, group in cases().items() if is_member(some, code)}
    return united([some, *(single(code) for group in groups for code in group)])


def is_member(some: CharacterSet, code: int) -> bool:
    from bisect import bisect_right

    return bisect_right(some, code) & 1 == 1
