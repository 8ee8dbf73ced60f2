"""Named tuples that methods of a Tokenizer return."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Memory that a Tokenizer keeps, in bytes."""

    used: int
    limit: int  # `cache_bytes` of `Tokenizer.load`, for all threads together


class Segmentation(NamedTuple):
    """One way to cut a text into pieces."""

    ids: list[int]
    score: float  # its meaning: see the method that returned it


class EncodedFiles(NamedTuple):
    """The numbers of documents, ids and bytes of a call of `Tokenizer.encode_files`."""

    documents: int
    ids: int
    bytes: int  # of text read, separators included
    dtype: str  # of the ids
