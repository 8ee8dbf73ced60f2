"""Counts of several sources, naive: weighted counts, occurrences before weights and sources, in a dict."""

from __future__ import annotations

from typing import TypeAlias

Weighted: TypeAlias = tuple[dict[bytes, int], int, int]  # counts of one source, its factor and its number


def weighted_sum(parts: list[Weighted]) -> list[tuple[bytes, int, int, int]]:
    """(text, count, occurrences, bit set of sources) of each chunk, in canonical order."""
    found: dict[bytes, tuple[int, int, int]] = {}
    for counts, factor, source in parts:
        for text, n in counts.items():
            count, occurrences, sources = found.get(text, (0, 0, 0))
            found[text] = count + n * factor, occurrences + n, sources | 1 << min(source, 63)
    return sorted(((text, *figures) for text, figures in found.items()), key=lambda row: (-row[1], row[0]))
