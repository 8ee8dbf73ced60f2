"""How numbers are cut into tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.probes.touching import spans_in_texts, touching

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

LENGTHS = range(1, 13)  # digits
NUMBERS_EACH = 100
POWER = 9000  # the digits of 3 to this power are the source of the numbers
BEFORE = "x "
GROUP = 3
SHOWN_LENGTHS = (4, 7)  # for a tokenizer that cuts irregularly

Pattern = tuple[int, ...]  # digits in each token


def number_figures(subject: Subject) -> dict[str, Any]:
    """For each number of digits: the patterns of digits in tokens, and how regular they are."""
    return {str(n): pattern_figures(patterns_of(subject, n)) for n in LENGTHS}


def pattern_figures(patterns: Sequence[Pattern]) -> dict[str, Any]:
    """The most common pattern and its share; of equally common ones the smaller."""
    counts = Counter(patterns)
    pattern, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return {
        "patterns": len(counts),
        "most_common": list(pattern),
        "regularity": count / len(patterns),
        "tokens": sum(map(len, patterns)) / len(patterns),
    }


def patterns_of(subject: Subject, n: int) -> list[Pattern]:
    """The pattern of each of the numbers of `n` digits."""
    texts = [BEFORE + number for number in numbers_of(n)]
    begin, end = len(BEFORE), len(BEFORE) + n
    patterns = []
    for _, spans in spans_in_texts(subject, texts):
        touched = [spans[i] for i in touching(spans, begin, end)]
        patterns.append(tuple(min(span[1], end) - max(span[0], begin) for span in touched if span is not None))
    return patterns


def numbers_of(n: int) -> list[str]:
    """The first 100 numbers of `n` digits that do not begin with 0, cut from the digits of 3^9000."""
    digits = source_of_digits()
    found: list[str] = []
    for number in cuts(digits, n):
        if n == 1 or number[0] != "0":
            found.append(number)
        if len(found) == NUMBERS_EACH:
            break
    return found


def source_of_digits() -> str:
    """The decimal digits of 3^9000, some 4,295; Python's limit for such long numbers is not touched."""
    value, parts = 3**POWER, []
    base = 10**18
    while value:
        value, part = divmod(value, base)
        parts.append(f"{part:018d}")
    return "".join(reversed(parts)).lstrip("0")


def cuts(digits: str, n: int) -> Iterator[str]:
    """The digits in groups of `n`, without a shorter rest."""
    for begin in range(0, len(digits) - n + 1, n):
        yield digits[begin : begin + n]


def kind_of_numbers(figures: Mapping[str, Any]) -> str:
    """How a tokenizer cuts numbers, in words."""
    regular = all(figure["regularity"] == 1 for figure in figures.values())
    patterns = {int(n): figure["most_common"] for n, figure in figures.items()}
    if regular and all(pattern == [1] * n for n, pattern in patterns.items()):
        return "single digits"
    if regular and all(pattern == groups(n) for n, pattern in patterns.items()):
        return "groups of three from the left"
    if regular and all(pattern == groups(n)[::-1] for n, pattern in patterns.items()):
        return "groups of three from the right"
    shares = ", ".join(f"{figures[str(n)]['regularity']:.2g} at {n} digits" for n in SHOWN_LENGTHS)
    return f"irregular ({shares})"


def groups(n: int) -> list[int]:
    """`n` digits in groups of three, the rest last.

    >>> groups(7)
    [3, 3, 1]
    """
    return [GROUP] * (n // GROUP) + ([n % GROUP] if n % GROUP else [])
