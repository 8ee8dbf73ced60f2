"""Named tuples that methods of a Tokenizer return."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Memory that a Tokenizer keeps.

    Attributes:
        used: bytes in use now.
        limit: `cache_bytes` of `Tokenizer.load`: bytes for all threads together.
    """

    used: int
    limit: int


CacheInfo.__module__ = "spm_lite"  # where users find it; a pickle names this place


class Segmentation(NamedTuple):
    """One way to cut a text into pieces.

    Attributes:
        ids: the ids of the pieces.
        score: a sum of scores, or a log-probability; the method that returned it says which.
    """

    ids: list[int]
    score: float


Segmentation.__module__ = "spm_lite"  # where users find it; a pickle names this place


class EncodedFiles(NamedTuple):
    """What a call of `Tokenizer.encode_files` has read and written.

    Attributes:
        documents: the number of documents.
        ids: the number of ids.
        bytes: bytes of text read, separators included.
        dtype: the type of an id in the file, such as "uint16".
    """

    documents: int
    ids: int
    bytes: int
    dtype: str


EncodedFiles.__module__ = "spm_lite"  # where users find it; a pickle names this place
