"""What the figures of several vocabulary sizes say about which to take: the knee, the cheapest size, what to try next.

Savings are shares of tokens, with intervals over documents. A knee is named only where savings surely break off, and a
cheapest size at the edge of what was tried is called one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spm_lite.evaluation.cost import MODELS
from spm_lite.evaluation.report.standings import joined
from spm_lite.evaluation.report.summaries import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.size_sweep import SizeFigures

GROUPS = 20  # of documents, of which each is left out once
T_95 = 2.093024  # 97.5 % quantile of Student's t with GROUPS - 1 degrees of freedom
BREAK = 2 / 3  # after a knee, doubling saves at most this share of what it saved before
PRICED = MODELS[1]
SEEN = "These texts were learned from, which flatters large sizes: give others as held_out= (--text)."


def saved_interval(smaller: NDArray[np.int64], larger: NDArray[np.int64]) -> tuple[float, float] | None:
    """The 95 % interval of the share of tokens saved, by the jackknife over groups of documents; None: too few.

    smaller, larger: tokens of each group, with the smaller and the larger vocabulary.
    """
    if not (smaller > 0).all():
        return None
    middle = math.log(larger.sum() / smaller.sum())
    without = np.log((larger.sum() - larger) / (smaller.sum() - smaller))
    rest = without - without.mean()
    half = T_95 * math.sqrt((GROUPS - 1) / GROUPS * float(np.dot(rest, rest)))
    return 1 - math.exp(middle + half), 1 - math.exp(middle - half)


def by_doubling(saved: float, smaller: SizeFigures, larger: SizeFigures) -> float:
    """The share of tokens that doubling the vocabulary would save, where this step saves `saved`.

    >>> from types import SimpleNamespace as Size
    >>> round(by_doubling(0.19, Size(size=1000), Size(size=4000)), 3)  # two doublings, each to 0.9
    0.1
    """
    return float(1 - (1 - saved) ** (math.log(2) / math.log(larger.size / smaller.size)))


def knee_of(rows: Sequence[SizeFigures]) -> int | None:
    """The size after which doubling saves surely at most two thirds of what it saved before; of several, the clearest.

    Of both savings that end of the interval counts which speaks against a knee. None: there is no such size.
    """
    found: list[tuple[float, int]] = []
    for below, row, above in zip(rows, rows[1:], rows[2:], strict=False):
        if row.tokens_saved_ci95 is None or above.tokens_saved_ci95 is None:
            continue
        before = by_doubling(row.tokens_saved_ci95[0], below, row)
        after = by_doubling(above.tokens_saved_ci95[1], row, above)
        if before > 0 and after <= BREAK * before:
            found.append((after / before, row.size))
    return min(found)[1] if found else None


def knee_sentence(rows: Sequence[SizeFigures]) -> str:
    """The knee, or that there is none; empty for fewer than three sizes, of which none can be one."""
    if len(rows) < 3:
        return ""
    gains = [by_doubling(row.tokens_saved or 0, below, row) for below, row in pairwise(rows)]
    knee = knee_of(rows)
    if knee is None:
        shown = joined([f"{gain:.1%}" for gain in gains])
        return f"No clear knee: from size to size, doubling the vocabulary saves {shown} of the tokens."
    place = [row.size for row in rows].index(knee)
    return (
        f"Knee at {knee:,}: up to it, doubling the vocabulary saves {gains[place - 1]:.1%} of the tokens; after it, "
        f"{gains[place]:.1%}."
    )


def price_sentence(rows: Sequence[SizeFigures], size: int) -> str:
    """What one size more or less than `size` saves and costs."""
    place = [row.size for row in rows].index(size)
    parts = []
    for other in rows[place + 1 : place + 2]:
        between = "" if other.tokens_saved_ci95 is None else " ({:.1%} to {:.1%})".format(*other.tokens_saved_ci95)
        parts.append(
            f"{other.size:,} would save {other.tokens_saved:.1%}{between} of the tokens, for {more(other, size)}"
        )
    for other in rows[max(place - 1, 0) : place]:
        extra = other.tokens / rows[place].tokens - 1
        parts.append(f"{other.size:,} would need {extra:.1%} more tokens, with {more(other, size)}")
    return f"Instead of {size:,} pieces, {'; '.join(parts)}." if parts else ""


def more(row: SizeFigures, size: int) -> str:
    """How many parameters more or fewer a size has than another, in a language model with tied embeddings."""
    n = (row.size - size) * PRICED.width
    return f"{number(float(abs(n)))} {'more' if n > 0 else 'fewer'} parameters at {PRICED.name}"


def cheapest_sentences(
    rows: Sequence[SizeFigures], cheapest: Mapping[str, int], next_sizes: Mapping[int, Sequence[int]]
) -> list[str]:
    """The cheapest sizes. next_sizes: for those at an edge of what was tried, the sizes to try beyond it."""
    by_size: dict[int, list[str]] = {}
    for name, size in cheapest.items():
        by_size.setdefault(size, []).append(name)
    found = []
    for size, names in by_size.items():
        of_models = f"the fewest operations per byte for models of {joined(names)} parameters"
        if size not in next_sizes:
            found.append(f"{size:,} pieces need {of_models}.")
            continue
        edge = "largest" if size == rows[-1].size else "smallest"
        tried = joined([f"{one:,}" for one in next_sizes[size]])
        hint = f"Try {tried} too." if tried else f"The text allows no {edge.removesuffix('st')}r ones."
        found.append(f"{size:,} pieces, the {edge} size tried, need {of_models}. {hint}")
    return found


def sizes_beyond(rows: Sequence[SizeFigures], cheapest: Sequence[int], least: int, most: int) -> dict[int, list[int]]:
    """For each cheapest size at an edge, sizes to try beyond it: halves or doubles, as far as the text may allow.

    least: the number of pieces that every size has. most: of the largest vocabulary; fewer than its size: the text has
    no more.
    """
    first, last = rows[0].size, rows[-1].size
    found = {}
    for size in dict.fromkeys(cheapest):
        if size == last and len(rows) > 1:
            found[size] = [2 * size, 4 * size] if most >= size else []
        elif size == first:
            found[size] = [one for one in (size // 2, size // 4) if one > least]
    return found
