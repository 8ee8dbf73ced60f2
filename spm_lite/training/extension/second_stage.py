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
from spm_lite.training.extension.grown_models import grown, map_of, text_of
from spm_lite.training.extension.model_training import ModelTraining
from spm_lite.training.extension.superword_pieces import superword_pieces
from spm_lite.training.options.superword_options import is_superword

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.steps import Training

NO_SPACES = (
    "no superwords: the text has too few words in a row that are written with spaces, so all pieces are within words"
)


def with_superwords(run: Training, tok: Tokenizer) -> Tokenizer:
    """The tokenizer of the first stage with further pieces, and their figures in its report.

    Raises TrainingError if the text has too few under a hard limit.
    """
    spec, n_new, first = run.spec, run.n_superwords, tok.report
    assert first is not None and run.counting.words is not None and spec.superwords is not None
    second = ModelTraining(
        tok._file,
        n_new,
        spec.min_count,
        superwords=spec.superwords,
        num_threads=run.num_threads,
        progress=run.progress,
        memory_limit=run.memory_limit,
    )
    second.counting.phrases = run.counting.phrases
    with run.phase("superwords"):
        pieces = superword_pieces(second, run.counting.words, tok._file.vocab, Wishes(n_new, None, 0.0, None))
        if len(pieces) < n_new and spec.hard_vocab_limit:
            size = tok.vocab_size + len(pieces)
            rules = dataclasses.asdict(spec.superwords) | {"share": tok.vocab_size / max(size, tok.vocab_size + 1)}
            raise TrainingError(
                f"vocab_size={tok.vocab_size + n_new} with superwords: the text has only {len(pieces)} of the {n_new} "
                f"pieces of the second stage. Give vocab_size={size} and the share {rules['share']:.6f}, more text, or "
                "hard_vocab_limit=False",
                remedies=[
                    {"hard_vocab_limit": False},
                    *([{"vocab_size": size, "superwords": rules}] if pieces else []),
                ],
            )
        made = grown(tok, pieces)
        map_of(tok, made, pieces)
    n_superwords = sum(is_superword(text_of(piece.text), made._file.vocab.is_bytes) for piece in pieces)
    origins = dict(first.pieces_by_origin)
    origins["learned"] += len(pieces) - n_superwords
    report = dataclasses.replace(
        first,
        vocab_size=made.vocab_size,
        pieces_by_origin={**origins, "superwords": n_superwords},
        notes=first.notes if n_superwords else (*first.notes, NO_SPACES),
        seconds=dict(run.seconds),
        peak_memory_after=dict(run.peaks),
        figures={**first.figures, "superwords": n_superwords},
        digest=hashlib.sha256(made.to_bytes()).hexdigest(),
    )
    return type(tok)._from_bytes(made.to_bytes(), "the trained model", report)
