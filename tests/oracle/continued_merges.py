"""Continued merges, naive: every step encodes all chunks anew with all merges so far, and counts the pairs of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from oracle.validity import is_valid

from spm_lite.specs import TrainerSpec


def encoded(text: str, scores: Mapping[str, float]) -> list[str]:
    """The symbols of a text: of all neighbours that form a piece, those of the best score merge, the leftmost first."""
    symbols = list(text)
    while True:
        places = [i for i, (a, b) in enumerate(pairwise(symbols)) if a + b in scores]
        if not places:
            return symbols
        best = min(places, key=lambda i: (-scores[symbols[i] + symbols[i + 1]], i))
        symbols[best : best + 2] = [symbols[best] + symbols[best + 1]]


def continued(
    chunks: Iterable[tuple[str, int]],
    scores: Mapping[str, float],
    spec: TrainerSpec,
    n_merges: int,
    may_be_piece: Callable[[str], bool],
    protect: Iterable[str] = (),
) -> list[tuple[str, int]]:
    """(text, count) of each new merge in order.

    scores: of the old pieces. may_be_piece: what the caller allows. protect: chunks in which nothing new may merge.
    """
    chunks, scores, stays = [*chunks], dict(scores), [*protect]
    made: list[tuple[str, int]] = []
    last = min(scores.values(), default=0.0)
    while len(made) < n_merges:
        counts: Counter[str] = Counter()
        for text, count in chunks:
            for a, b in pairwise(encoded(text, scores)):
                counts[a + b] += count
        kept = {a + b for text in stays for a, b in pairwise(encoded(text, scores))}
        found = [
            text
            for text, count in counts.items()
            if count >= spec.min_count and text not in kept and is_valid(text, spec) and may_be_piece(text)
        ]
        if not found:
            break
        best = min(found, key=lambda text: (-counts[text], len(text), text))
        last -= 1
        scores[best] = last
        made.append((best, counts[best]))
    return made
