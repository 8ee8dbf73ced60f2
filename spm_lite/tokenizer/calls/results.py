"""Named tuples that methods of a Tokenizer return."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Memory that a Tokenizer keeps, in bytes."""

    used: int
    limit: int  # `cache_bytes` of `Tokenizer.load`, for all threads together


CacheInfo.__module__ = "spm_lite"  # where users find it; a pickle names this place


class Segmentation(NamedTuple):
    """One way to cut a text into pieces."""

    ids: list[int]
    score: float  # its meaning: see the method that returned it


Segmentation.__module__ = "spm_lite"  # where users find it; a pickle names this place


class EncodedFiles(NamedTuple):
    """The numbers of documents, ids and bytes of a call of `Tokenizer.encode_files`."""

    documents: int
    ids: int
    bytes: int  # of text read, separators included
    dtype: str  # of the ids


EncodedFiles.__module__ = "spm_lite"  # where users find it; a pickle names this place
