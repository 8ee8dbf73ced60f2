"""Naive twin of the Kneser-Ney models: dictionaries of n-grams, written from the definition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log2

BEGIN, END = -10, -20  # no ids
FALLBACK = [0.0, 0.5, 1.0, 1.5]


class Model:
    """Interpolated modified Kneser-Ney of one order over `size` ids and END."""

    def __init__(self, order: int, size: int, texts: Sequence[Sequence[int]]) -> None:
        self.order = order
        self.base = 1 / (size + 1)
        seen: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
        before: list[defaultdict[tuple[int, ...], set[int]]] = [defaultdict(set) for _ in range(order + 1)]
        for text in texts:
            symbols = [BEGIN, *text, END]
            for k in range(1, order + 1):
                for i in range(len(symbols) - k + 1):
                    gram = tuple(symbols[i : i + k])
                    seen[k][gram] += 1
                    if i > 0:
                        before[k][gram].add(symbols[i - 1])
        self.counts = [
            {
                gram: count if k == order or gram[0] == BEGIN else len(before[k][gram])
                for gram, count in seen[k].items()
                if gram != (BEGIN,)
            }
            for k in range(order + 1)
        ]
        self.discounts = [self._discounts(counts) for counts in self.counts]
        self.following = [defaultdict(list) for _ in range(order + 1)]
        for k in range(1, order + 1):
            for gram, count in self.counts[k].items():
                self.following[k][gram[:-1]].append(count)

    @staticmethod
    def _discounts(counts: dict[tuple[int, ...], int]) -> list[float]:
        n = [0, *(sum(count == j for count in counts.values()) for j in range(1, 5))]
        if 0 in n[1:4]:
            return FALLBACK
        y = n[1] / (n[1] + 2 * n[2])
        found = [0.0, *(j - (j + 1) * y * n[j + 1] / n[j] for j in range(1, 4))]
        return found if all(0 < found[j] <= j for j in range(1, 4)) else FALLBACK

    def probability(self, context: tuple[int, ...], symbol: int) -> float:
        """p of a symbol after at most `order` - 1 others."""
        context = context[-(self.order - 1) :] if self.order > 1 else ()
        p = self.base
        for k in range(1, len(context) + 2):
            history = context[len(context) - k + 1 :]
            counts = self.following[k].get(history)
            if not counts:
                continue
            discounts, total = self.discounts[k], sum(counts)
            own = self.counts[k].get((*history, symbol), 0)
            rest = sum(discounts[min(count, 3)] for count in counts)
            p = max(own - discounts[min(own, 3)], 0) / total + rest / total * p
        return p

    def bits(self, text: Sequence[int]) -> float:
        symbols = (BEGIN, *text, END)
        return -sum(log2(self.probability(symbols[:i], symbols[i])) for i in range(1, len(symbols)))
