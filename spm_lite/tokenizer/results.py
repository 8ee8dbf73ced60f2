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


class EncodedFiles(NamedTuple):
    """What `Tokenizer.encode_files` has read and written."""

    documents: int
    ids: int
    bytes: int  # of text, separators included
    dtype: str  # of the ids
