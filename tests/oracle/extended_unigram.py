"""New Unigram pieces while the old scores stay, naive: every segmentation of every chunk is written out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from oracle.unigram_trainer import UNKNOWN_PENALTY, alternative, segmentations

ROUNDS, SHRINKING_FACTOR, REFILLS = 2, 0.75, 8


class Growth:
    """The state of one extension; see `extended`."""

    def __init__(self, chunks: list[tuple[str, int]], old: dict[str, float], new: Iterable[str], unit: float) -> None:
        self.chunks, self.old, self.unit = chunks, old, unit
        self.has_ties = False  # rounding has decided what comes first
        self.least = min(old.values(), default=0.0)
        self.letters = {one for text, _ in chunks for one in text}
        weights = Counter({piece: self.occurrences(piece) * len(piece) for piece in {*old, *new, *self.letters}})
        total = sum(weights.values())
        self.new = {piece: self.score_of(weights[piece], total) for piece in new}

    def occurrences(self, piece: str) -> int:
        """How often a piece stands in the text, overlapping or not."""
        return sum(count * sum(text.startswith(piece, i) for i in range(len(text))) for text, count in self.chunks)

    def score_of(self, count: float, total: float) -> float:
        return max(math.log(max(count, 0.5 * self.unit) / total), self.least)

    def scores(self) -> dict[str, float]:
        unknown = dict.fromkeys(self.letters, self.least - UNKNOWN_PENALTY)
        return {**unknown, **self.old, **self.new}

    def run_em(self) -> None:
        """One E-step of all pieces, and one M-step of the new ones."""
        scores, expected = self.scores(), Counter[str]()
        for text, count in self.chunks:
            paths = [*segmentations(text, scores)]
            weights = [math.exp(math.fsum(scores[piece] for piece in path)) for path in paths]
            for path, weight in zip(paths, weights, strict=True):
                for piece in path:
                    expected[piece] += count * weight / math.fsum(weights)
        total = math.fsum(expected.values())
        self.new = {
            piece: self.score_of(expected[piece], total)
            for piece in self.new
            if len(piece) == 1 or expected[piece] >= 0.5 * self.unit
        }

    def used(self) -> dict[str, tuple[int, float]]:
        """(count in the best segmentations, margin over the next best way to cut it) of each longer new piece."""
        scores, counts = self.scores(), Counter[str]()
        for text, count in self.chunks:
            sums = {tuple(path): math.fsum(scores[piece] for piece in path) for path in segmentations(text, scores)}
            best, *others = sorted(sums, key=sums.__getitem__, reverse=True)
            self.has_ties |= bool(others) and is_near(sums[best], sums[others[0]])
            for piece in best:
                counts[piece] += count
        margins = {piece: scores[piece] - alternative(piece, scores)[0] for piece in self.new if len(piece) > 1}
        self.has_ties |= any(is_near(margin, 0) for margin in margins.values())
        return {piece: (counts[piece], margin) for piece, margin in margins.items()}

    def ranked(self) -> list[str]:
        """The longer new pieces, the greatest loss first."""
        used = self.used()
        losses = {piece: count * margin if margin > 0 else -1.0 for piece, (count, margin) in used.items()}
        order = sorted(losses, key=lambda piece: (-losses[piece], -self.new[piece], piece))
        near = (losses[a] > 0 and is_near(losses[a], losses[b]) for a, b in pairwise(order))
        self.has_ties |= any(near) or any(is_near(self.new[a], self.new[b]) for a, b in pairwise(order))
        return order


def extended(
    chunks: list[tuple[str, int]], old: dict[str, float], characters: list[str], seeds: list[str], n: int, unit: float
) -> Growth:
    """What has the new pieces in the end: the characters, and the best seeds, `n` in all if the text uses so many."""
    growth = Growth(chunks, old, [*characters, *seeds], unit)
    spare: list[str] = []
    before = growth.new
    while len(growth.new) > n:
        for _ in range(ROUNDS):
            growth.run_em()
        target = max(n, int(SHRINKING_FACTOR * len(growth.new))) - len(characters)
        ranked, before = growth.ranked(), growth.new
        spare = ranked[target:]
        growth.new = {piece: before[piece] for piece in [*characters, *ranked[:target]]}
    for _ in range(REFILLS):
        growth.run_em()
        kept = {piece for piece, (count, margin) in growth.used().items() if count > 0 and margin > 0} | {*characters}
        if len(kept) == len(growth.new) and (len(kept) == n or not spare):
            return growth
        more, spare = spare[: n - len(kept)], spare[n - len(kept) :]
        growth.new = {piece: score for piece, score in growth.new.items() if piece in kept}
        growth.new |= {piece: before[piece] for piece in more}
    kept = {piece for piece, (count, margin) in growth.used().items() if count > 0 and margin > 0} | {*characters}
    growth.new = {piece: score for piece, score in growth.new.items() if piece in kept}
    return growth


def is_near(a: float, b: float) -> bool:
    return abs(a - b) < 1e-9
