"""How each package is called: load a model, texts -> lists or arrays of ids, ids -> texts.

An engine lacks the methods that its package has no way for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import peers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from job import Job

PROGRAMS = {  # the shortest that load a model
    "spm_lite": "import sys, spm_lite; spm_lite.Tokenizer.load(sys.argv[1])",
    "sentencepiece": "import sys, sentencepiece; sentencepiece.SentencePieceProcessor(model_file=sys.argv[1])",
}


class SpmLite:
    def __init__(self, job: Job) -> None:
        import spm_lite

        self.tokenizer = spm_lite.Tokenizer.load(job.model)
        self.threads = job.threads
        self.one = self.tokenizer.encode

    def arrays(self, texts: Sequence[Any]) -> Any:
        return self.tokenizer.encode_batch(texts, num_threads=self.threads)

    def lists(self, texts: Sequence[Any]) -> list[list[int]]:
        return self.tokenizer.encode_lists(texts, num_threads=self.threads)

    def to_lists(self, batch: Any) -> list[list[int]]:
        return batch.to_lists()

    def count(self, texts: Sequence[Any]) -> Any:
        return self.tokenizer.count_batch(texts, num_threads=self.threads)

    def decode(self, ids: list[list[int]]) -> list[str]:
        return self.tokenizer.decode_batch(ids, num_threads=self.threads)

    def cache(self) -> tuple[int, int]:
        return tuple(self.tokenizer.cache_info())


class SentencePiece:
    def __init__(self, job: Job) -> None:
        import sentencepiece

        self.processor = sentencepiece.SentencePieceProcessor(model_file=job.model)
        self.threads = job.threads
        self.one = self.processor.encode

    def lists(self, texts: Sequence[Any]) -> list[list[int]]:
        return self.processor.encode(texts, num_threads=self.threads)

    def decode(self, ids: list[list[int]]) -> list[str]:
        return self.processor.decode(ids, num_threads=self.threads)


def maker(job: Job) -> Callable[[Job], Any]:
    """The engine of a job, with the imports for its model done, and no others: more modules in memory slow decoding."""
    name = job.engine
    if name == "spm_lite":
        import numpy  # noqa: F401

        import spm_lite
        import spm_lite.sentencepiece_model_pb2  # protobuf, and the classes of a model's messages

        spm_lite.Tokenizer  # noqa: B018  (public names are imported on first use)
        if job.model.endswith(".json"):
            import importlib
            import pkgutil

            import spm_lite.formats

            for module in pkgutil.walk_packages(spm_lite.formats.__path__, "spm_lite.formats."):
                importlib.import_module(module.name)
        return SpmLite
    if name == "sentencepiece":
        import sentencepiece  # noqa: F401

        return SentencePiece
    return peers.PEERS[name]


def load(job: Job) -> Any:
    return maker(job)(job)
