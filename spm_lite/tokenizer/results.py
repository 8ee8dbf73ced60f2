"""Named tuples that methods of a Tokenizer return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab_map import VocabMap


class CacheInfo(NamedTuple):
    """Memory that a Tokenizer keeps.

    Attributes:
        used: bytes in use now.
        limit: `cache_bytes` of `Tokenizer.load`: bytes for all threads together.
    """

    used: int
    limit: int


CacheInfo.__module__ = "spm_lite"  # where users find it; a pickle names this place


class ModelInfo(NamedTuple):
    """What a Tokenizer is, as `Tokenizer.info` tells it; `str(info)` is a table for people.

    Attributes:
        model_type: as `Tokenizer.model_type`.
        vocab_size: the number of pieces.
        is_lossless: whether the model was made so that decoding gives back every text.
        is_strict: whether it is lossless with sentencepiece's encoder too, by rules that escape U+2581.
        split_pattern: the pattern that cuts a text before its bytes merge, as in tiktoken; None: there is none. Of
            several patterns, which cut one after the other, each is a line, as tokenizers writes it.
        special_tokens: name -> id of each control piece, which `encode(allow_special=)` finds in a text.
        conditions: what a text must meet to get the ids of the program whose file was read.
        cache_used: bytes of cached ids and of buffers for large batches, now.
        cache_limit: `cache_bytes` of `load`: the most of these bytes, for all threads together.
    """

    model_type: str
    vocab_size: int
    is_lossless: bool
    is_strict: bool
    split_pattern: str | None
    special_tokens: dict[str, int]
    conditions: tuple[str, ...]
    cache_used: int
    cache_limit: int

    def __str__(self) -> str:
        rows = {
            "type": self.model_type,
            "pieces": f"{self.vocab_size:,}",
            "lossless": ("yes, with sentencepiece too" if self.is_strict else "yes") if self.is_lossless else "no",
            "pattern": self.split_pattern or "",
            "special": " ".join(self.special_tokens),
            "cache": f"{self.cache_used:,} of {self.cache_limit:,} bytes",
        }
        lines = [f"{name:<10} {value:.200}" for name, value in rows.items() if value]
        return "\n".join([*lines, *(f"{'condition':<10} {condition}" for condition in self.conditions)])


ModelInfo.__module__ = "spm_lite"  # where users find it; a pickle names this place


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


class Extended(NamedTuple):
    """What `Tokenizer.extend` returns.

    Attributes:
        tokenizer: the Tokenizer with the new pieces, whose ids come after the old ones.
        map: a VocabMap, for the embeddings of a model.
        curve: number of new pieces -> tokens of the held-out texts with so many; {} without held-out texts.
    """

    tokenizer: Tokenizer
    map: VocabMap
    curve: dict[int, int]


Extended.__module__ = "spm_lite"  # where users find it; a pickle names this place


class Revised(NamedTuple):
    """What the methods that change a vocabulary return: `Tokenizer.prune`, `replace` and the others.

    Attributes:
        tokenizer: the new Tokenizer.
        map: a VocabMap, for the embeddings of a model.
        reasons: new id -> why this piece is there, in one word; the method says which words.
    """

    tokenizer: Tokenizer
    map: VocabMap
    reasons: dict[int, str]


Revised.__module__ = "spm_lite"  # where users find it; a pickle names this place
