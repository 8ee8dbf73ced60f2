"""The other tokenizers that read SentencePiece models or can be given one as a tokenizer.json."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from job import Job


class Gigatoken:
    """Reads the model file; BPE with byte fallback only."""

    def __init__(self, job: Job) -> None:
        from pathlib import Path

        from gigatoken import Tokenizer

        is_json = job.model.endswith(".json")
        self.tokenizer = (
            Tokenizer.from_json(Path(job.model).read_bytes()) if is_json else Tokenizer.from_sentencepiece(job.model)
        )

    def one(self, text: str) -> Any:
        return self.tokenizer.encode(text).tolist()

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return self.tokenizer.encode_batch_list(texts, parallel=False)

    def arrays(self, texts: Sequence[str]) -> Any:
        return self.tokenizer.encode_batch(texts, parallel=False)

    def to_lists(self, rows: Any) -> list[list[int]]:
        return rows.to_list()

    def decode(self, ids: list[list[int]]) -> list[str]:
        decode = self.tokenizer.decode
        return [decode(row).decode(errors="replace") for row in ids]


class Kitoken:
    """Reads the model file."""

    def __init__(self, job: Job) -> None:
        from kitoken import Kitoken

        self.tokenizer = Kitoken.from_sentencepiece_file(job.model)
        self.one = self.tokenizer.encode

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return self.tokenizer.encode_all(texts)

    def decode(self, ids: list[list[int]]) -> list[str]:
        return [text.decode(errors="replace") for text in self.tokenizer.decode_all(ids)]


class Tokenizers:
    def __init__(self, job: Job) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(job.tokenizer_json)

    def one(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        call = getattr(self.tokenizer, "encode_batch_fast", self.tokenizer.encode_batch)  # not in 1.0
        return [row.ids for row in call(texts, add_special_tokens=False)]

    def decode(self, ids: list[list[int]]) -> list[str]:
        if hasattr(self.tokenizer, "decode_batch"):
            return self.tokenizer.decode_batch(ids, skip_special_tokens=False)
        return [self.tokenizer.decode(row, skip_special_tokens=False) for row in ids]


class Tokie:
    def __init__(self, job: Job) -> None:
        from tokie import Tokenizer

        self.tokenizer = Tokenizer.from_json(job.tokenizer_json)

    def one(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return [row.ids for row in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def decode(self, ids: list[list[int]]) -> list[str]:
        return [text or "" for text in self.tokenizer.decode_batch(ids)]  # None where it is not UTF-8


class Fastokens:
    def __init__(self, job: Job) -> None:
        from fastokens._native import Tokenizer

        self.tokenizer = Tokenizer.from_file(job.tokenizer_json)

    def one(self, text: str) -> list[int]:
        return self.tokenizer.encode(text).ids

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return [row.ids for row in self.tokenizer.encode_batch(texts)]

    def arrays(self, texts: Sequence[str]) -> Any:
        return self.tokenizer.encode_batch_flat(texts)

    def to_lists(self, rows: tuple[bytes, bytes]) -> list[list[int]]:
        return cut(*rows)

    def decode(self, ids: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(ids)


class Snaptokens(Fastokens):
    def __init__(self, job: Job) -> None:
        from snaptokens._native import Tokenizer

        self.tokenizer = Tokenizer.from_file(job.tokenizer_json)


class Tuetoken:
    def __init__(self, job: Job) -> None:
        from tuetoken import Tokenizer

        self.tokenizer = Tokenizer(job.tokenizer_json)
        self.one = self.tokenizer.encode_ordinary

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return self.tokenizer.encode_ordinary_batch(texts)


class Splintr:
    """The package is called splintr-rs."""

    def __init__(self, job: Job) -> None:
        from splintr import from_json

        self.tokenizer = from_json(job.tokenizer_json)
        self.one = self.tokenizer.encode

    def lists(self, texts: Sequence[str]) -> list[list[int]]:
        return self.tokenizer.encode_batch(texts)

    def arrays(self, texts: Sequence[str]) -> Any:
        return self.tokenizer.encode_batch_flat(texts)

    def to_lists(self, rows: tuple[Any, Any]) -> list[list[int]]:
        return cut(*rows)

    def decode(self, ids: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(ids)


def cut(ids: Any, offsets: Any) -> list[list[int]]:
    """The rows of uint32 ids that uint64 offsets delimit."""
    flat, bounds = memoryview(ids).cast("B").cast("I"), memoryview(offsets).cast("B").cast("Q")
    return [flat[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]


PEERS: dict[str, Any] = {
    "gigatoken": Gigatoken,
    "kitoken": Kitoken,
    "splintr": Splintr,
    "fastokens": Fastokens,
    "snaptokens": Snaptokens,
    "tuetoken": Tuetoken,
    "tokie": Tokie,
    "tokenizers": Tokenizers,
}
