"""Numbers that describe how often something occurs: percentiles, entropies, the exponent of Zipf's law."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, log2, log10
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERCENTILES = (5, 25, 50, 75, 95, 99)
CONTEXTS = (128, 512, 2048, 8192)  # tokens
SHARES = (50, 90, 95, 99)  # percent of the tokens
OFTEN = 100  # times
ALPHA = 2.5  # the order of the Rényi entropy that Zouhar et al. 2023 found best
ZIPF_LEAST_COUNT = 5  # rarer types are left out
ZIPF_LEAST_TYPES = 50
RANKS_PER_DECADE = 20


def ratio(above: float, below: float) -> float | None:
    """The quotient, or None if the divisor is 0."""
    return above / below if below else None


def nearest_rank(ordered: NDArray[Any], percent: int) -> int:
    """The ceil(percent · n / 100)-th smallest of n ordered numbers: a number that occurs.

    >>> nearest_rank(np.array([1, 2, 3, 10]), 50)
    2
    """
    return int(ordered[max(-(-percent * len(ordered) // 100), 1) - 1])


def length_figures(lengths: NDArray[np.int32]) -> dict[str, Any]:
    """The distribution of tokens per text, and what a limited context would cut."""
    if len(lengths) == 0:
        return {**dict.fromkeys(["min", *(f"p{q}" for q in PERCENTILES), "max", "mean"]), "over": {}}
    ordered = np.sort(lengths)
    figures: dict[str, Any] = {"min": int(ordered[0])}
    figures |= {f"p{q}": nearest_rank(ordered, q) for q in PERCENTILES}
    figures |= {"max": int(ordered[-1]), "mean": int(ordered.sum(dtype=np.int64)) / len(ordered), "over": {}}
    for limit in CONTEXTS:
        longer = ordered[np.searchsorted(ordered, limit, side="right") :].astype(np.int64)
        figures["over"][str(limit)] = {"texts": len(longer), "tokens_beyond": int((longer - limit).sum())}
    return figures


def frequency_figures(counts: NDArray[np.int64], size: int) -> dict[str, Any]:
    """What the counts of types say: the vocabulary used, entropies, Zipf's law. size: of the vocabulary."""
    falling = np.sort(counts[counts > 0])[::-1]
    return {
        "vocabulary": used_figures(falling, size),
        "renyi": {"alpha": ALPHA, **entropy_figures(falling, size, ALPHA)},
        "shannon": entropy_figures(falling, size, 1.0),
        "zipf": zipf_figures(falling),
        "once": int((falling == 1).sum()),
    }


def used_figures(falling: NDArray[np.int64], size: int) -> dict[str, Any]:
    """How much of the vocabulary occurs. falling: the counts of the types that do, most frequent first."""
    reached = 100 * np.cumsum(falling)
    total = int(falling.sum())
    types_for = {str(q): int(np.searchsorted(reached, q * total)) + 1 if total else 0 for q in SHARES}
    return {
        "size": size,
        "used": len(falling),
        "share_used": ratio(len(falling), size),
        "used_100": int((falling >= OFTEN).sum()),
        "types_for": types_for,
    }


def entropy_figures(falling: NDArray[np.int64], size: int, alpha: float) -> dict[str, float | None]:
    """The Rényi entropy of order `alpha` (1: Shannon's) in bits, and by how much of its maximum that is."""
    total = int(falling.sum())
    if total == 0:
        return {"entropy_bits": None, "efficiency": None, "efficiency_of_used": None}
    shares = (falling / total).tolist()
    is_shannon = alpha == 1
    sum_of_all = fsum(p * log2(p) if is_shannon else p**alpha for p in shares)
    bits = abs(sum_of_all if is_shannon else log2(sum_of_all) / (1 - alpha))  # of a single type it is 0, not -0
    return {
        "entropy_bits": bits,
        "efficiency": ratio(bits, log2(size)) if size > 0 else None,
        "efficiency_of_used": ratio(bits, log2(len(shares))),
    }


def zipf_figures(falling: NDArray[np.int64]) -> dict[str, Any] | None:
    """The exponent of Zipf's law and how far the counts are from it; None for fewer than 50 types.

    The ranks are spaced evenly on a log scale, or else the rare types decide alone.
    """
    counts = falling[falling >= ZIPF_LEAST_COUNT]
    if len(counts) < ZIPF_LEAST_TYPES:
        return None
    ranks = zipf_ranks(len(counts))
    xs = [log10(rank) for rank in ranks]
    ys = [log10(int(counts[rank - 1])) for rank in ranks]
    slope, constant = line_through(xs, ys)
    rms = (fsum((y - constant - slope * x) ** 2 for x, y in zip(xs, ys, strict=True)) / len(xs)) ** 0.5
    return {"exponent": -slope, "rms": rms, "types": len(counts), "points": len(ranks)}


def zipf_ranks(last: int) -> list[int]:
    """The distinct floor(10^(k/20)) up to `last`.

    >>> zipf_ranks(6)
    [1, 2, 3, 4, 5, 6]
    """
    ranks: list[int] = []
    k = 0
    while (rank := int(10 ** (k / RANKS_PER_DECADE) + 1e-9)) <= last:
        if not ranks or rank != ranks[-1]:
            ranks.append(rank)
        k += 1
    return ranks


def line_through(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """The slope and the constant of the line of least squares.

    >>> line_through([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])
    (2.0, 1.0)
    """
    mean_x, mean_y = fsum(xs) / len(xs), fsum(ys) / len(ys)
    below = fsum((x - mean_x) ** 2 for x in xs)
    slope = fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / below
    return slope, mean_y - slope * mean_x
