"""Assemble meta pieces and learned pieces to the pieces of a model, in id order."""

from __future__ import annotations

from spm_lite.errors import TrainingError
from spm_lite.kinds import BYTE_LEVEL, NORMAL
from spm_lite.specs import TrainerSpec
from spm_lite.training.options.meta_pieces import NAMED, MetaPiece, smallest_free_id


def assemble(
    meta: dict[int, MetaPiece], learned: list[tuple[str, float]], spec: TrainerSpec, reference_rules: bool = False
) -> list[tuple[str, float, int]]:
    """(text, score, type) of every piece, in id order.

    Meta pieces stand at their ids; learned pieces fill the ids between. In byte-level models meta pieces are last.
    Raises TrainingError if there are fewer than vocab_size pieces under a hard limit, or if two have the same text.
    The id of a meta piece that is not below the number of pieces is one too; the original drops such a piece if
    use_all_vocab meets a soft limit.
    """
    n_possible = len(meta) + len(learned)
    size = n_possible if spec.use_all_vocab else min(spec.vocab_size, n_possible)
    is_hard = spec.hard_vocab_limit and spec.model_type != "char"
    if spec.model_type in BYTE_LEVEL:
        if size < spec.vocab_size and is_hard:
            raise too_high(spec, n_possible)
        last = [(piece.text, 0.0, piece.type) for piece in meta.values()]
        return [*((text, score, NORMAL) for text, score in learned), *last]
    if size < spec.vocab_size and is_hard and not spec.use_all_vocab:
        # A text that occurs twice would count as two pieces that are possible.
        named = [(piece.text, 0.0, piece.type) for piece in meta.values()]
        check_unique([*named, *((text, score, NORMAL) for text, score in learned)], spec)
        raise too_high(spec, n_possible)
    result: list[tuple[str, float, int]] = []
    rest = iter(learned)
    for piece_id in range(size):
        if piece_id in meta:
            result.append((meta[piece_id].text, 0.0, meta[piece_id].type))
        elif (piece := next(rest, None)) is not None:
            result.append((*piece, NORMAL))
    is_hanging = any(piece_id >= size for piece_id in meta)
    if is_hanging and not (reference_rules and spec.use_all_vocab and not is_hard):
        raise hanging(spec, meta, size)
    check_unique(result, spec)
    return result


def too_high(spec: TrainerSpec, n_possible: int) -> TrainingError:
    """The error that the text yields fewer pieces than vocab_size."""
    moved = {} if spec.model_type in BYTE_LEVEL else moved_ids(spec, n_possible)
    return TrainingError(
        f"Vocabulary size too high ({spec.vocab_size}). Please set it to a value <= {n_possible}{as_advice(moved)}. "
        "(Or give more text, or allow fewer pieces with hard_vocab_limit=False.)",
        remedies=[{"vocab_size": n_possible, **moved}, {"hard_vocab_limit": False, **moved}],
    )


def hanging(spec: TrainerSpec, meta: dict[int, MetaPiece], size: int) -> TrainingError:
    """The error that ids of special pieces are not below the number of pieces."""
    names = ", ".join(f"{piece.text!r} ({piece_id})" for piece_id, piece in meta.items() if piece_id >= size)
    moved = moved_ids(spec, size)
    return TrainingError(
        f"the model has only {size} pieces, so these have no place at their ids: {names}; give them smaller ids"
        + as_advice(moved),
        remedies=[moved],
    )


def moved_ids(spec: TrainerSpec, size: int) -> dict[str, int]:
    """The options of unk, bos, eos and pad whose ids are not below `size`, with the smallest ids that are free."""
    taken = {getattr(spec, f"{name}_id") for name in NAMED}
    moved: dict[str, int] = {}
    for name in NAMED:
        if getattr(spec, f"{name}_id") >= size:
            moved[f"{name}_id"] = smallest_free_id(taken)
            taken.add(moved[f"{name}_id"])
    return moved


def as_advice(changes: dict[str, int]) -> str:
    """`, with pad_id=3`; empty if nothing changes."""
    return ", with " + " and ".join(f"{name}={value}" for name, value in changes.items()) if changes else ""


def check_unique(pieces: list[tuple[str, float, int]], spec: TrainerSpec) -> None:
    """Raise TrainingError if a piece has an empty text, or two have the same one."""
    seen: dict[str, int] = {}
    for piece_id, (text, _, _) in enumerate(pieces):
        if not text:
            raise TrainingError(f"piece {piece_id} has an empty text")
        if text in seen:
            is_required = text in spec.required_chars  # the original drops some of them: only now it is known which
            raise TrainingError(
                f"{text} is already defined. (pieces {seen[text]} and {piece_id})"
                + (": leave it out of required_chars" if is_required else ""),
                remedies=[{"required_chars": spec.required_chars.replace(text, "")}] if is_required else [],
            )
        seen[text] = piece_id
