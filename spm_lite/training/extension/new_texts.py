"""What may become a new piece: scripts by their names, new characters, and a test of single texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.script_ranges import RANGES
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.near_names import near_names

NEW = "new"  # scripts of which the model has no letter
ALL = "all"
SHARED = ("Common", "Inherited")  # no script of their own
TOGETHER = {"Hiragana": "Han", "Katakana": "Han"}  # written together: a piece may hold both
PLACES = sorted((first, last, name) for name, ranges in named_ranges(RANGES) for first, last in ranges)
FIRSTS = [first for first, _, _ in PLACES]


def script_of(character: str) -> str:
    """The script of a character in Unicode 9.0.0; Hiragana and Katakana count as Han.

    >>> script_of("ж"), script_of("!"), script_of("の")
    ('Cyrillic', 'Common', 'Han')
    """
    place = bisect_right(FIRSTS, ord(character)) - 1
    if place < 0 or ord(character) > PLACES[place][1]:
        return "Common"
    return TOGETHER.get(PLACES[place][2], PLACES[place][2])


def scripts_in(text: Iterable[str]) -> set[str]:
    """The scripts of the characters of a text, without those that all scripts share."""
    return {script_of(character) for character in text} - {*SHARED}


def wanted_scripts(only: Any, known: Iterable[str], found: Iterable[str], usual: str) -> frozenset[str] | None:
    """The scripts that new pieces must have a letter of; None: any text.

    only: as given. known: the characters of the model. found: those of the text. usual: what None means. Raises
    OptionError for a name that is no script, or if the text has no such letter.
    """
    given = usual if only is None else only
    if given == ALL:
        return None
    if given == NEW:
        new = scripts_in(found) - scripts_in(known)
        if not new:
            raise OptionError(
                "only='new': the model has letters of all scripts of the text: give only='all', or name the scripts of "
                f"the new pieces, such as {', '.join(sorted(scripts_in(found))) or 'Latin'}",
                remedies=[{"only": ALL}],
            )
        return frozenset(new)
    names = [given] if isinstance(given, str) else given
    if isinstance(names, (bytes, Mapping)) or not isinstance(names, Iterable):
        raise ArgumentTypeError(f"only={only!r:.60}: must be the name of a script, a list of names, 'new' or 'all'")
    scripts = [*names]
    if not scripts or any(name in (NEW, ALL) for name in scripts):
        raise OptionError(
            f"only={scripts!r:.60}: must hold names of scripts, such as 'Thai'; 'new' or 'all' stands alone",
            remedies=[{"only": next((name for name in scripts if name in (NEW, ALL)), ALL)}],
        )
    return frozenset(checked_script(name) for name in scripts)


def checked_script(name: Any, option: str = "only", otherwise: str = ALL) -> str:
    """The name of a script as Unicode writes it. Raises OptionError for any other; otherwise: a value that works."""
    valid = {script: script for _, _, script in PLACES} | TOGETHER
    if isinstance(name, str) and name in valid:
        return valid[name]
    near = near_names(name, valid) if isinstance(name, str) else []
    hint = f": did you mean {' or '.join(map(repr, near))}?" if near else ", as 'Thai', 'Ethiopic' or 'Khmer'"
    raise OptionError(
        f"{option} holds {name!r:.60}, which is no script of Unicode{hint}",
        remedies=[{option: near[0] if near else otherwise}],
    )


def new_characters(
    counts: Mapping[str, int], known: Iterable[str], wanted: frozenset[str] | None, coverage: Any, n_most: int
) -> list[str]:
    """The characters that become pieces, the most frequent first (equal counts: the smallest code point first).

    They end when `coverage` of the text is covered, or at `n_most`. counts: of all characters. known: those that are
    pieces, or must not be.
    """
    known = {*known}
    share, total = Fraction(str(coverage)), sum(counts.values())
    covered = sum(count for character, count in counts.items() if character in known)
    chosen: list[str] = []
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if len(chosen) == n_most or covered * share.denominator >= total * share.numerator:
            break
        if character in known:
            continue
        covered += count
        if wanted is None or script_of(character) in wanted:
            chosen.append(character)
    return chosen


def text_test(
    taken: Iterable[Any], outside: Iterable[str], wanted: frozenset[str] | None, in_bytes: bool
) -> Callable[[Any], bool]:
    """A function that tells whether a text (bytes where pieces are bytes) may become a piece.

    taken: the texts of all old pieces. outside: characters that no piece may hold.
    """
    old, without = frozenset(taken), frozenset(outside)
    is_wanted = cache(lambda character: wanted is None or script_of(character) in wanted)

    def may_be_piece(text: Any) -> bool:
        if text in old:
            return False
        if in_bytes:
            return wanted is None or are_bytes_of(text, wanted)
        return without.isdisjoint(text) and (wanted is None or any(map(is_wanted, text)))

    return may_be_piece


def are_bytes_of(text: bytes, wanted: frozenset[str]) -> bool:
    """Whether only texts with a character of these scripts hold these bytes.

    They hold such a character, or the beginning of one that begins no character of another script.
    """
    whole = text.decode("utf-8", "ignore")
    if any(script_of(character) in wanted for character in whole):
        return True
    return any(is_beginning_of(text[i:], wanted) for i in range(max(len(text) - 3, 0), len(text)))


def is_beginning_of(text: bytes, wanted: frozenset[str]) -> bool:
    """Whether all scripts of the characters that begin with these bytes, two or more, are among the wanted ones."""
    n_bytes = 2 if text[0] >> 5 == 0b110 else 3 if text[0] >> 4 == 0b1110 else 4 if text[0] >> 3 == 0b11110 else 0
    if not 2 <= len(text) < n_bytes or any(byte >> 6 != 0b10 for byte in text[1:]):
        return False
    bits = 0
    for byte in text[1:]:
        bits = bits << 6 | byte & 0x3F
    first = ((text[0] & 0x7F >> n_bytes) << 6 * (len(text) - 1) | bits) << 6 * (n_bytes - len(text))
    last = first + (1 << 6 * (n_bytes - len(text))) - 1
    found = {script_of(chr(point)) for point in range(first, min(last, 0x10FFFF) + 1) if not 0xD800 <= point < 0xE000}
    return bool(found & wanted) and found <= wanted | {*SHARED}
