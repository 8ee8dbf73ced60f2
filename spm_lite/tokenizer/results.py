"""Results that are tuples with names."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Memory in bytes."""

    used: int
    limit: int  # for all threads together


class Segmentation(NamedTuple):
    """One way to cut a text into pieces."""

    ids: list[int]
    score: float  # what the method that made it says
