"""Assemble meta pieces and learned pieces to the pieces of a model, in id order."""

from __future__ import annotations

from spm_lite.errors import TrainingError
from spm_lite.kinds import NORMAL
from spm_lite.specs import TrainerSpec
from spm_lite.training.meta_pieces import MetaPiece


def check_room(spec: TrainerSpec, n_meta: int, n_alphabet: int, reference_rules: bool = False) -> None:
    """Raise TrainingError unless vocab_size has room for the meta pieces and, in subword models, the alphabet.

    With use_all_vocab, vocab_size limits nothing; in the original it then limits the meta pieces only.
    """
    if spec.use_all_vocab and not reference_rules:
        return
    if spec.model_type in ("unigram", "bpe") and spec.vocab_size < n_alphabet + n_meta:
        raise TrainingError(
            f"Vocabulary size is smaller than required_chars. {spec.vocab_size} vs {n_alphabet + n_meta}. "
            f"Increase vocab_size to at least {n_alphabet + n_meta} ({n_meta} meta pieces and an alphabet of "
            f"{n_alphabet}) or decrease character_coverage={spec.character_coverage}."
        )
    if spec.vocab_size < n_meta:
        raise TrainingError(f"vocab_size={spec.vocab_size} is smaller than the number of meta pieces, {n_meta}")


def assemble(
    meta: dict[int, MetaPiece], learned: list[tuple[str, float]], spec: TrainerSpec, reference_rules: bool = False
) -> list[tuple[str, float, int]]:
    """(text, score, type) of every piece, in id order.

    Meta pieces stand at their ids; learned pieces fill the ids between.
    Raises TrainingError if there are fewer than vocab_size pieces under a hard limit, if the id of a meta piece is not
    below the number of pieces, or if two pieces have the same text. The original drops such a meta piece if
    use_all_vocab meets a soft limit.
    """
    n_possible = len(meta) + len(learned)
    size = n_possible if spec.use_all_vocab else min(spec.vocab_size, n_possible)
    is_hard = spec.hard_vocab_limit and spec.model_type != "char"
    if size < spec.vocab_size and is_hard and not spec.use_all_vocab:
        raise TrainingError(
            f"Vocabulary size too high ({spec.vocab_size}). Please set it to a value <= {n_possible}. "
            "(Or give more text, or allow fewer pieces with hard_vocab_limit=False.)"
        )
    result: list[tuple[str, float, int]] = []
    rest = iter(learned)
    for piece_id in range(size):
        if piece_id in meta:
            result.append((meta[piece_id].text, 0.0, meta[piece_id].type))
        elif (piece := next(rest, None)) is not None:
            result.append((*piece, NORMAL))
    hanging = [f"{piece.text!r} ({piece_id})" for piece_id, piece in meta.items() if piece_id >= size]
    if hanging and not (reference_rules and spec.use_all_vocab and not is_hard):
        raise TrainingError(
            f"the model has only {size} pieces, so these have no place at their ids: {', '.join(hanging)}; "
            "give them smaller ids"
        )
    check_unique(result)
    return result


def check_unique(pieces: list[tuple[str, float, int]]) -> None:
    """Raise TrainingError if a piece has an empty text, or two have the same one."""
    seen: dict[str, int] = {}
    for piece_id, (text, _, _) in enumerate(pieces):
        if not text:
            raise TrainingError(f"piece {piece_id} has an empty text")
        if text in seen:
            raise TrainingError(f"{text} is already defined. (pieces {seen[text]} and {piece_id})")
        seen[text] = piece_id
