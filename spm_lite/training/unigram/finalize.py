"""The last step of the Unigram trainers: choose and score the final pieces from learned pieces and alphabet."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

RARE_STEP = 0.0001  # between the scores of characters too rare to be learned


def final_pieces(
    alphabet: Sequence[str], learned: dict[str, float], n_pieces: int, reference_rules: bool = False
) -> list[tuple[str, float]]:
    """Return all characters of the alphabet, and the best other pieces up to `n_pieces`, by score descending.

    alphabet: most frequent first. learned: piece -> log probability. reference_rules: add up RARE_STEP in single
    precision. Equal scores are in code point order. Scores are rounded to single precision, as in the model file.
    A character that was not learned gets the least score, plus RARE_STEP for each one before it. So the rarest of
    them score best (as in the original trainer).
    """
    scores = dict(zip(learned, array("f", learned.values()), strict=True))
    least = min(scores.values(), default=0.0)
    chosen: dict[str, float] = {}
    n_rare, extra = 0, array("f", [0.0, RARE_STEP])
    for character in alphabet:
        if character in scores:
            chosen[character] = scores[character]
        else:
            chosen[character] = array("f", [least + (extra[0] if reference_rules else RARE_STEP * n_rare)])[0]
            n_rare += 1
            extra[0] += extra[1]
    if len(chosen.keys() | scores.keys()) <= n_pieces:
        chosen |= scores
    else:
        for piece in by_score(scores):
            if len(chosen) >= n_pieces:
                break
            chosen.setdefault(piece, scores[piece])
    return [(piece, chosen[piece]) for piece in by_score(chosen)]


def by_score(scores: dict[str, float]) -> list[str]:
    """Pieces by score descending; equal scores in code point order."""
    found = sorted(scores)
    found.sort(key=scores.__getitem__, reverse=True)  # stable, also in reverse
    return found
