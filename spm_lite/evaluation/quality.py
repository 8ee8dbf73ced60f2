"""Evaluate how well a model fits a text: bytes per token, and likelihood."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spm_lite.errors import ArgumentTypeError, TrainingError
from spm_lite.io.corpus import CorpusFigures, Source, read_blocks, split_block

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True)
class Quality:
    """Sums over the texts that a model was evaluated on. `str(quality)` is a table for people."""

    texts: int
    bytes: int  # bytes of UTF-8, as given, without line ends
    characters: int  # code points; each ill-formed byte counts as one
    tokens: int
    unknown_tokens: int
    byte_tokens: int  # tokens that are byte pieces
    log_likelihood: float | None  # nats, summed over all segmentations; None: the model has no probabilities

    @property
    def bytes_per_token(self) -> float:
        """The mean number of bytes per token: the larger, the fewer ids a text has."""
        return self.bytes / self.tokens

    @property
    def characters_per_token(self) -> float:
        """The mean number of characters (code points) per token."""
        return self.characters / self.tokens

    @property
    def log_likelihood_per_byte(self) -> float | None:
        """The log-likelihood per byte, in nats: nearer to 0 is better. Divide by -ln 2 for bits per byte."""
        return None if self.log_likelihood is None else self.log_likelihood / self.bytes

    def __str__(self) -> str:
        likelihood = self.log_likelihood_per_byte
        rows = {
            "texts": f"{self.texts:,}, {self.bytes:,} bytes, {self.characters:,} characters",
            "tokens": f"{self.tokens:,}",
            "each": f"{self.bytes_per_token:.3f} bytes, {self.characters_per_token:.3f} characters",
            "of them": f"{self.unknown_tokens:,} unknown, {self.byte_tokens:,} single bytes",
            "likelihood": "the model holds no probabilities"
            if likelihood is None
            else f"{likelihood:.5f} nats per byte",
        }
        return "\n".join(f"{name:<12} {value}" for name, value in rows.items())


def evaluate(tokenizer: Tokenizer, source: Source, *, num_threads: int | None = None) -> Quality:
    """Encode texts and return sums over them as a Quality: tokens and, for Unigram models, the log-likelihood.

    source: the texts, as the `input` of `train`, but no CountTable. To compare models, use text that none was trained
    on.
    num_threads: None for all CPUs that this process may use.
    Raises ArgumentTypeError if `tokenizer` is no Tokenizer, TrainingError if there is no text.
    """
    from spm_lite.tokenizer.tokenizer import Tokenizer

    if not isinstance(tokenizer, Tokenizer):
        raise ArgumentTypeError(f"tokenizer is {type(tokenizer).__name__}, not a Tokenizer: load the model first")
    import numpy as np

    is_byte = np.array([tokenizer.is_byte(i) for i in range(len(tokenizer))], dtype=bool)
    has_scores = tokenizer.model_type == "unigram"
    texts = n_bytes = n_characters = n_tokens = n_unknown = n_byte_tokens = 0
    log_likelihood = 0.0
    with closing(read_blocks(source, CorpusFigures())) as blocks:
        for block in blocks:
            lines = [line for line in (line.removesuffix(b"\n") for line in split_block(block)) if line]
            ids = tokenizer.encode_batch(lines, num_threads=num_threads).ids
            texts += len(lines)
            n_bytes += sum(map(len, lines))
            n_characters += sum(len(line.decode("utf-8", "surrogateescape")) for line in lines)
            n_tokens += ids.size
            n_unknown += int((ids == tokenizer.unk_id).sum())
            n_byte_tokens += int(is_byte[ids[ids >= 0]].sum())
            if has_scores:
                log_likelihood += float(tokenizer.log_prob_batch(lines, num_threads=num_threads).sum())
    if n_tokens == 0:
        raise TrainingError(f"there is no text to evaluate: {texts} texts were read, and none has a token")
    return Quality(
        texts, n_bytes, n_characters, n_tokens, n_unknown, n_byte_tokens, log_likelihood if has_scores else None
    )
