"""Pruning, naive: every step looks at all pieces, cuts their texts anew, and takes away the cheapest.

A model is given as {text: score} of its pieces, with the counts of the tokens of a text. Texts are str or bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import pairwise
from typing import Any


def units(text: Any) -> list[Any]:
    """The characters of a text, or its bytes."""
    return [text[i : i + 1] for i in range(len(text))]


def merged(text: Any, scores: Mapping[Any, float]) -> list[Any]:
    """The symbols of a text: the best-scored pair of neighbours that is a piece merges, the leftmost first."""
    symbols = units(text)
    while True:
        places = [i for i, (a, b) in enumerate(pairwise(symbols)) if a + b in scores]
        if not places:
            return symbols
        best = min(places, key=lambda i: (-scores[symbols[i] + symbols[i + 1]], i))
        symbols[best : best + 2] = [symbols[best] + symbols[best + 1]]


def best_cut(text: str, scores: Mapping[str, float], unknown: float) -> list[str | None]:
    """The pieces of the best path; None for a character without a piece."""
    paths: list[tuple[float, list[str | None]]] = [(0.0, [])] + [(-math.inf, []) for _ in text]
    for end in range(1, len(text) + 1):
        for begin in range(end):
            piece: str | None = text[begin:end]
            score = scores.get(text[begin:end])
            if score is None:
                if end > begin + 1:
                    continue
                piece, score = None, unknown
            if paths[begin][0] + score > paths[end][0]:
                paths[end] = paths[begin][0] + score, [*paths[begin][1], piece]
    return paths[-1][1]


class Naive:
    """What the kinds of pruning share: the next piece to go is that of the cheapest offer that still holds."""

    def __init__(
        self, scores: Mapping[Any, float], counts: Mapping[Any, int], order: Iterable[Any], has_bytes: bool
    ) -> None:
        """order: all pieces by id. has_bytes: bytes spell what no piece covers."""
        self.scores, self.all_scores, self.has_bytes = dict(scores), dict(scores), has_bytes
        self.counts = {text: counts.get(text, 0) for text in scores}
        self.ids = {text: i for i, text in enumerate(order)}

    def cost_of_character(self, text: Any) -> float:
        if not self.counts[text]:
            return 0
        return self.counts[text] * max(len(text.encode()) - 1, 1) if self.has_bytes else math.inf

    def cost(self, text: Any) -> float:
        raise NotImplementedError

    def parts(self, text: Any) -> Iterable[Any]:
        raise NotImplementedError

    def is_free(self, text: Any) -> bool:
        return True

    def tie(self, text: Any) -> Any:
        return -len(text), self.all_scores[text], -self.ids[text]

    def run(self, n_removed: int, stays: Container[Any], dead: Container[Any]) -> list[Any]:
        """The pieces that go, in order; fewer if no more may."""
        price: Callable[[Any], float] = lambda text: -1 if text in dead else self.cost(text)  # noqa: E731
        offers: dict[Any, float] = {}
        removed: list[Any] = []
        while len(removed) < n_removed:
            for text in self.scores:
                if text not in offers and text not in stays and self.is_free(text):
                    offers[text] = price(text)
            open_ones = [text for text in offers if offers[text] < math.inf]
            if not open_ones:
                break
            text = min(open_ones, key=lambda one: (offers[one], self.tie(one)))
            if price(text) > offers[text]:
                offers[text] = price(text)
                continue
            parts = [*self.parts(text)]
            del offers[text], self.scores[text]
            for part in parts:
                if part in self.counts:
                    self.counts[part] += self.counts[text]
            removed.append(text)
        return removed


class NaiveLeaves(Naive):
    """BPE by leaves."""

    def parts(self, text: Any) -> Iterable[Any]:
        if len(text) == 1:
            return []
        return merged(text, {one: score for one, score in self.all_scores.items() if one != text})

    def is_free(self, text: Any) -> bool:
        return not any(text in self.parts(one) for one in self.scores if text in one and text != one)

    def cost(self, text: Any) -> float:
        if len(text) == 1:
            return self.cost_of_character(text)
        return self.counts[text] * (len([*self.parts(text)]) - 1)


class NaiveExact(NaiveLeaves):
    """BPE in which removed pieces still merge."""

    def is_free(self, text: Any) -> bool:
        return True

    def parts(self, text: Any) -> Iterable[Any]:
        """What a piece falls into; None for a byte."""
        for part in NaiveLeaves.parts(self, text):
            if part in self.scores and part != text:
                yield part
            elif len(part) > 1:
                yield from self.parts(part)
            else:
                yield from [None] * (len(part.encode()) if part in self.all_scores else 2)

    def cost(self, text: Any) -> float:
        if not self.counts[text]:
            return 0
        if len(text) == 1:
            return self.cost_of_character(text)
        parts = [*self.parts(text)]
        return math.inf if None in parts and not self.has_bytes else self.counts[text] * (len(parts) - 1)


class NaiveCuts(Naive):
    """Unigram by the tokens of the best other cut."""

    def tie(self, text: Any) -> Any:
        return self.all_scores[text], -len(text), -self.ids[text]

    def parts(self, text: Any) -> Iterable[Any]:
        if len(text) == 1:
            return []
        others = {one: score for one, score in self.scores.items() if one != text}
        return best_cut(text, others, min(self.all_scores.values()) - 10)

    def cost(self, text: Any) -> float:
        if len(text) == 1 or not self.counts[text]:
            return self.cost_of_character(text)
        parts = [*self.parts(text)]
        n_unknown = parts.count(None)
        if n_unknown and not self.has_bytes:
            return math.inf
        return self.counts[text] * (len(parts) + n_unknown - 1)
