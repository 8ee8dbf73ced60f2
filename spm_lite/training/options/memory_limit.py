"""The memory limit: how to parse it, and how much of it counting and learning may take."""

from __future__ import annotations

from typing import Any

from spm_lite.arguments import as_python, as_size
from spm_lite.errors import OptionError
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_budget import Budget

LEAST = 64 * 10**6  # bytes, of a memory limit
PROCESS = 48 * 10**6  # bytes: Python, the modules, blocks of text in work, tables by code point
PER_PIECE = 500  # bytes for each piece of the vocabulary, in all places that hold it
CHUNKS_PER_PIECE = 2  # a table of fewer chunks, of TYPICAL_SIZE bytes each, is too small to learn from
TYPICAL_SIZE = 10
MANY_PIECES = 1_000_000  # no training within a limit yields more pieces

# Measured peaks of training 32,000 pieces on tables of 0.15 to 1.9 million chunks of program text;
# tools/bench/memory.py repeats the measurement. Text of other scripts has fewer characters per byte and takes less,
# down to a half.
SORTING = (72.0, 2.0)  # bytes per chunk, and per byte of a chunk
MERGING = (60.0, 22.0)
LEARNING = {"bpe": MERGING, "byte_bpe": MERGING, "unigram": MERGING, "word": SORTING, "char": SORTING}
LEARNING["wordpiece"] = (400.0, 60.0)  # every word, its pairs and their places
PER_ORIGIN = 32.0  # more bytes per chunk in a table of several sources: once in the table and once beside it
PER_PLACE = 2.0  # more bytes per byte of a chunk with `graphemes`: a byte for each place, in a list that grows
PAIR_COUNTS = 16 * 10**6  # bytes, with superwords: the counts of pairs of tokens
PHRASES = 4  # with superwords, a quarter of the limit is for the phrases, or the tables that are made of them
PER_SEED = 55.0  # bytes per seed; unigram
SEEDS_PER_BYTE = 0.37  # seeds per byte of chunks, while there are fewer than wanted


def as_memory_limit(value: Any) -> int | None:
    """A memory limit in bytes; None: no limit. Raises OptionError if it cannot be parsed or is too small."""
    value = as_python(value)
    if value is None:
        return None
    size = as_size(value, "memory_limit", [{"memory_limit": None}])
    if size < LEAST:
        raise OptionError(
            f"memory_limit={value!r:.40}: {LEAST} bytes ('{LEAST // 10**6}MB') is the least",
            remedies=[{"memory_limit": LEAST}],
        )
    return size


def learning_cost(spec: TrainerSpec) -> tuple[float, float]:
    """The bytes that learning takes per chunk, and per byte of a chunk."""
    per_chunk, per_byte = LEARNING[spec.model_type]
    return per_chunk, per_byte + PER_PLACE * spec.graphemes


def check_least(limit: int | None, spec: TrainerSpec) -> None:
    """Raise OptionError, naming the least limit, if the limit is too small to learn vocab_size pieces."""
    if limit is None:
        return
    per_chunk, per_byte = learning_cost(spec)
    n_pieces = min(spec.vocab_size, MANY_PIECES)
    growing = PER_SEED * SEEDS_PER_BYTE if spec.model_type == "unigram" else 0
    table = CHUNKS_PER_PIECE * (per_chunk + (per_byte + growing) * TYPICAL_SIZE)
    needed = PROCESS + n_pieces * (PER_PIECE + table)
    if spec.superwords is not None:
        needed = (needed + PAIR_COUNTS) * PHRASES / (PHRASES - 1)
    least = -(-int(needed) // 10**6) * 10**6
    if limit < least:
        raise OptionError(
            f"memory_limit={limit}: {least} bytes ('{least // 10**6}MB') is the least for model_type="
            f"{spec.model_type!r} and vocab_size={spec.vocab_size}",
            remedies=[{"memory_limit": least}, {"memory_limit": None}],
        )


def counting_share(limit: int) -> int:
    """The bytes that tables may take while text is counted, sorting included."""
    return limit - PROCESS


def table_budget(limit: int, spec: TrainerSpec | None = None, has_origins: bool = False) -> Budget:
    """The largest table that can be learned from within a limit; without a spec, that can be held and sorted.

    has_origins: the table is of several sources.
    """
    available = limit - PROCESS
    if spec is None:
        return Budget(available, *SORTING)
    available -= PER_PIECE * min(spec.vocab_size, MANY_PIECES)
    if spec.superwords is not None:
        available -= limit // PHRASES + PAIR_COUNTS
    per_chunk, per_byte = learning_cost(spec)
    costs = per_chunk + PER_ORIGIN * has_origins, per_byte
    if spec.model_type != "unigram":
        return Budget(available, *costs)
    return Budget(available, *costs, PER_SEED * SEEDS_PER_BYTE, PER_SEED * spec.n_seeds)
