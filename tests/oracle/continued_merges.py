"""Continued merges, naive: every step encodes all chunks anew with all merges so far, and counts the pairs of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from oracle.pruned_pieces import merged
from oracle.validity import is_valid

from spm_lite.specs import TrainerSpec


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
            for a, b in pairwise(merged(text, scores)):
                counts[a + b] += count
        kept = {a + b for text in stays for a, b in pairwise(merged(text, scores))}
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
