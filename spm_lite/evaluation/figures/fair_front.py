"""The front: tokenizers of which no other needs fewer tokens and is also fairer to the languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FairPoint:
    """A tokenizer by its price and its fairness.

    Attributes:
        name: of the tokenizer.
        tokens: of the parallel texts of all languages.
        gini: Gini's coefficient of the languages' tokens; 0: all are equal.
        interval: both ends of the 95 % interval of `gini`; None: unknown.
        is_lost: it loses text, so it is never on the front.
    """

    name: str
    tokens: float
    gini: float
    interval: tuple[float, float] | None = None
    is_lost: bool = False

    def beats(self, other: FairPoint) -> bool:
        """Whether it is better in one of both, and not worse in the other."""
        both = (self.tokens <= other.tokens, self.gini <= other.gini)
        return all(both) and (self.tokens, self.gini) != (other.tokens, other.gini)


def front_of(points: Sequence[FairPoint]) -> list[FairPoint]:
    """The points that no other beats, the fewest tokens first.

    >>> plain, fair, poor = FairPoint("plain", 100, 0.05), FairPoint("fair", 102, 0.01), FairPoint("poor", 103, 0.06)
    >>> [point.name for point in front_of([poor, fair, plain])]
    ['plain', 'fair']
    """
    kept = [point for point in points if not point.is_lost]
    return sorted(
        (point for point in kept if not any(other.beats(point) for other in kept)), key=lambda point: point.tokens
    )
