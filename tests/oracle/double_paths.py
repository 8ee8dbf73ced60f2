"""The best path of a Unigram model in double precision, as the package tokenizers finds it. Slow, and plain to read."""

from __future__ import annotations

from fractions import Fraction

SPACE = "\u2581"
PENALTY = 10.0


def best_path(pieces: dict[str, float], text: str) -> list[str]:
    """The pieces of a part of a text; a character without a piece stands alone, and such characters are joined."""
    unknown, longest = min(pieces.values()) - PENALTY, max(map(len, pieces))
    best: list[tuple[float, int]] = [(0.0, 0)] + [(-float("inf"), -1)] * len(text)
    for begin in range(len(text)):
        single = False
        for end in range(begin + 1, min(begin + longest, len(text)) + 1):
            piece = text[begin:end]
            if piece in pieces:
                single = single or end == begin + 1
                offer(best, end, pieces[piece] + best[begin][0], begin)
        if not single:
            offer(best, begin + 1, unknown + best[begin][0], begin)
    found: list[str] = []
    end = len(text)
    while end:
        begin = best[end][1]
        piece = text[begin:end]
        if found and piece not in pieces and found[-1][0] not in pieces and found[-1] not in pieces:
            found[-1] = piece + found[-1]
        else:
            found.append(piece)
        end = begin
    return found[::-1]


def offer(best: list[tuple[float, int]], end: int, score: float, begin: int) -> None:
    if best[end][1] < 0 or score > best[end][0]:
        best[end] = (score, begin)


def words(text: str) -> list[str]:
    """The parts of a text, each of which begins with a space mark, except perhaps the first."""
    first, *rest = text.split(SPACE)
    return [part for part in (first, *(SPACE + word for word in rest)) if part]


def number(text: str) -> float:
    """A number of a JSON file, as serde_json reads it: its digits and its power of ten are each rounded to a double."""
    mantissa, _, power = text.lower().partition("e")
    whole, _, places = mantissa.lstrip("-").partition(".")
    exponent = int(power or 0) - len(places)
    value = float(int(whole + places))
    while exponent < -308 and value:
        value /= 1e308
        exponent += 308
    exact = Fraction(10) ** abs(exponent) if abs(exponent) <= 308 else None
    if exact is not None and value:
        value = value * float(exact) if exponent >= 0 else value / float(exact)
    elif value:
        value = float("inf") if exponent > 0 else value
    return -value if text.startswith("-") else value
