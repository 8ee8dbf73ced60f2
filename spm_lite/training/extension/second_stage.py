"""The second stage of a training with superwords: a model learned within words goes on with pieces that cross spaces.

What comes out is the model of the first stage, extended: old ids stay, and new pieces have the ids after them.
Source: Liu et al. 2025, SuperBPE (arXiv 2503.13423).
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING

from spm_lite.errors import TrainingError
from spm_lite.training.extension.continued_merges import Wishes
from spm_lite.training.extension.extension_steps import grown, map_of
from spm_lite.training.extension.model_training import ModelTraining
from spm_lite.training.extension.superword_merges import superword_merges
from spm_lite.kinds import SPACE

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.steps import Training


def with_superwords(run: Training, tok: Tokenizer) -> Tokenizer:
    """The tokenizer of the first stage with further pieces, and their figures in its report."""
    spec, n_new = run.spec, run.n_superwords
    second = ModelTraining(
        tok._file, n_new, spec.min_count, superwords=spec.superwords, num_threads=run.num_threads, progress=run.progress,
    )  # fmt: skip
    second.phrases = run.phrases
    with run.phase("superwords"):
        pieces = superword_merges(second, run.words, tok._file.vocab, Wishes(n_new, None, 0.0, None))
        made = grown(tok, pieces)
        map_of(tok, made, pieces)
    return made
