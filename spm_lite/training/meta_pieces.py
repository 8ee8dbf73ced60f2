"""Meta pieces (unknown, control, user-defined and byte pieces) and the ids that they get."""

from __future__ import annotations

from dataclasses import dataclass

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, CONTROL, SPACE, UNKNOWN, USER_DEFINED
from spm_lite.specs import TrainerSpec

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True)
class MetaPiece:
    """A piece that is not learned, with a fixed id."""

    text: str
    type: int


def place_meta_pieces(spec: TrainerSpec) -> dict[int, MetaPiece]:
    """All meta pieces by id, ids ascending.

    unk, bos, eos and pad stand at the ids of their options. The others take the smallest free ids, in this order:
    control symbols, user-defined symbols, bytes. Raises OptionError for options that contradict each other.
    """
    pieces = place_named_pieces(spec)
    if not spec.byte_fallback and not any(piece.type == UNKNOWN for piece in pieces.values()):
        raise OptionError(
            f"{spec.unk_piece} must be defined. unk_id={spec.unk_id} leaves it out, which needs byte_fallback=True"
        )
    named = {piece.text: piece_id for piece_id, piece in pieces.items()}
    seen: set[str] = set()
    free_id = 0
    for text, piece_type in symbols(spec):
        if text == spec.unk_piece:
            raise OptionError(f"{text} must not be defined with --control_symbols and --user_defined_symbols.")
        if text in seen:
            raise OptionError(f"{text} is already defined. duplicated symbols are not allowed.")
        seen.add(text)
        if text in named:
            pieces[named[text]] = MetaPiece(text, piece_type)
            continue
        while free_id in pieces:
            free_id += 1
        pieces[free_id] = MetaPiece(text, piece_type)
    return dict(sorted(pieces.items()))


def place_named_pieces(spec: TrainerSpec) -> dict[int, MetaPiece]:
    """unk, bos, eos and pad at the ids of their options; a negative id leaves one out."""
    pieces: dict[int, MetaPiece] = {}
    has_unknown = False
    for name in ("unk", "bos", "eos", "pad"):
        piece_id, text = getattr(spec, f"{name}_id"), getattr(spec, f"{name}_piece")
        if piece_id < 0:
            continue
        if piece_id >= spec.vocab_size:
            raise OptionError(f"{name}_id={piece_id}: must be below vocab_size={spec.vocab_size}; -1 leaves it out")
        if piece_id in pieces:
            raise OptionError(f"{name}_id={piece_id} is taken by {pieces[piece_id].text!r}: give each its own id")
        if text == spec.unk_piece and has_unknown:
            raise OptionError(f"{name}_piece={text!r} is unk_piece as well: give each its own text")
        pieces[piece_id] = MetaPiece(text, UNKNOWN if text == spec.unk_piece else CONTROL)
        has_unknown |= text == spec.unk_piece
    return pieces


def symbols(spec: TrainerSpec) -> list[tuple[str, int]]:
    """(text, type) of every symbol that takes the next free id, in the order of their ids."""
    result = [(text, CONTROL) for text in spec.control_symbols]
    for text in spec.user_defined_symbols:
        result.append((text, USER_DEFINED))
        if spec.model_type == "word" and not text.startswith(SPACE):
            result.append((SPACE + text, USER_DEFINED))
    if spec.byte_fallback:
        result += [(text, BYTE) for text in BYTE_PIECES]
    return result
