"""The last step of the Unigram trainer: learned pieces and alphabet -> the list that becomes the vocabulary."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

RARE_STEP = 0.0001  # between the scores of characters that were too rare to be learned


def final_pieces(
    alphabet: Sequence[str], learned: dict[str, float], n_pieces: int, reference_rules: bool = False
) -> list[tuple[str, float]]:
    """All characters of the alphabet, then the best of the other pieces until there are `n_pieces`.

    alphabet: most frequent first. learned: piece -> log probability. Result: by score descending, then in code point
    order; scores are rounded to single precision, as the model file holds them. Characters that were not learned get
    the least score and a little more for each, so that the rarest of them score best (as in the original trainer).
    reference_rules: the steps are added up in single precision.
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
    for piece in sorted(scores, key=lambda piece: (-scores[piece], piece)):
        if len(chosen) >= n_pieces:
            break
        chosen.setdefault(piece, scores[piece])
    return sorted(chosen.items(), key=lambda item: (-item[1], item[0]))
