"""Training with sentencepiece 0.2.3 and with ours under the same options."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sentencepiece

from spm_lite.errors import SpmLiteError
from spm_lite.files.corpus import open_source
from spm_lite.files.read_options import RAW
from spm_lite.specs import REFERENCE_DEFAULTS
from spm_lite.training.options.checks import check_options
from spm_lite.training.steps import Training
from spm_lite.vocab.messages import message_class

Piece = tuple[str, float, int]


def our_pieces(source: Any, num_threads: int = 1, weighted: bool = False, **options: Any) -> list[Piece] | str:
    """Pieces in id order as (text, score, type), or the message of the error."""
    asked: dict[str, Any] = {"normalization": "nmt_nfkc", "remove_extra_whitespaces": True, **REFERENCE_DEFAULTS}
    asked.update(options)
    try:
        run = Training(check_options(**asked), num_threads, reference_rules=True)
        return run.learn(open_source(source, RAW._replace(input_format="tsv") if weighted else RAW))
    except SpmLiteError as error:
        return str(error)


def reference_pieces(source: Path | Iterable[str], **options: Any) -> list[Piece] | str:
    """The pieces that the original learns, in the form of `our_pieces`. source: a file or texts."""
    if "normalization" in options:
        options["normalization_rule_name"] = options.pop("normalization")
    options.pop("lossless", None)
    if options.pop("weighted", False):
        options["input_format"] = "tsv"
    for name in ("control_symbols", "user_defined_symbols"):
        if name in options:
            options[name] = list(options[name])
    place = {"input": str(source)} if isinstance(source, Path) else {"sentence_iterator": iter(source)}
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(**place, model_writer=model, minloglevel=3, **options)
    except RuntimeError as error:
        return str(error)
    return pieces_of(model.getvalue())


def pieces_of(model: bytes) -> list[Piece]:
    """(text, score, type) of the pieces in a model file."""
    message = message_class("ModelProto").FromString(model)
    return [(piece.piece, piece.score, piece.type) for piece in message.pieces]
