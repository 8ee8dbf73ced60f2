"""Meta pieces (unknown, control, user-defined and byte pieces) and the ids that they get."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, BYTE_LEVEL, CONTROL, FAMILIES, SPACE, UNKNOWN, USER_DEFINED
from spm_lite.specs import TrainerSpec

NAMED = ("unk", "bos", "eos", "pad")
LAST = ("bos", "eos", "pad")  # the special pieces with options of their own that stand last in byte-level models
SYMBOL_LISTS = ("control_symbols", "user_defined_symbols")
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
    In byte-level models all stand last (`last_pieces`).
    """
    if spec.model_type in BYTE_LEVEL:
        last = last_pieces(spec)
        return {spec.vocab_size - len(last) + i: piece for i, piece in enumerate(last)}
    pieces = place_named_pieces(spec)
    if not spec.byte_fallback and not any(piece.type == UNKNOWN for piece in pieces.values()):
        free_id = smallest_free_id(pieces)
        place: dict[str, int] = {"unk_id": free_id}
        if free_id >= spec.vocab_size:
            place["vocab_size"] = free_id + 1
        wanted = " and ".join(f"{name}={value}" for name, value in place.items())
        if spec.model_type in FAMILIES:
            raise OptionError(
                f"{spec.unk_piece} must be defined. unk_id={spec.unk_id} leaves it out, and {spec.model_type} models "
                f"need it. Give {wanted}",
                remedies=[place],
            )
        raise OptionError(
            f"{spec.unk_piece} must be defined. unk_id={spec.unk_id} leaves it out, which needs byte_fallback=True. "
            f"Give {wanted}, or byte_fallback=True",
            remedies=[place, {"byte_fallback": True}],
        )
    named = {piece.text: piece_id for piece_id, piece in pieces.items()}
    seen: set[str] = set()
    free_id = 0
    for text, piece_type in symbols(spec):
        if text == spec.unk_piece:
            raise unknown_as_symbol(spec)
        if text in seen:
            raise symbol_twice(spec, text)
        seen.add(text)
        if text in named:
            pieces[named[text]] = MetaPiece(text, piece_type)
            continue
        free_id = smallest_free_id(pieces, free_id)
        pieces[free_id] = MetaPiece(text, piece_type)
    return dict(sorted(pieces.items()))


def last_pieces(spec: TrainerSpec) -> list[MetaPiece]:
    """The meta pieces of a model of our families in the order of their ids: bos, eos, pad, and the symbols.

    Raises OptionError if two symbols have the same text.
    """
    pieces = [MetaPiece(getattr(spec, f"{name}_piece"), CONTROL) for name in LAST if getattr(spec, f"{name}_id") >= 0]
    named = {piece.text: i for i, piece in enumerate(pieces)}
    seen: set[str] = set()
    for text, piece_type in symbols(spec):
        if text in seen:
            raise symbol_twice(spec, text)
        seen.add(text)
        if text in named:
            pieces[named[text]] = MetaPiece(text, piece_type)
        else:
            pieces.append(MetaPiece(text, piece_type))
    return pieces


def check_distinct(meta: dict[int, MetaPiece], spec: TrainerSpec, reference_rules: bool = False) -> None:
    """Raise OptionError if two meta pieces, or one and a required character, have the same text.

    The original may drop a required character, so there it is no error yet.
    """
    texts: set[str] = set()
    for piece in meta.values():
        if piece.text in texts:
            names = [f"{name}_piece" for name in NAMED if getattr(spec, f"{name}_piece") == piece.text]
            raise OptionError(
                f"{piece.text} is already defined: {' and '.join(f'{name}={piece.text!r}' for name in names)}. Give "
                "each its own text",
                remedies=[{name: getattr(TrainerSpec, name) for name in names}],
            )
        texts.add(piece.text)
    if reference_rules or spec.model_type == "word":  # words are not characters
        return
    for character in spec.required_chars:
        if character in texts:
            raise OptionError(
                f"{character} is already defined: required_chars={spec.required_chars!r} holds it, and it is a special "
                "piece. Leave it out of required_chars",
                remedies=[{"required_chars": spec.required_chars.replace(character, "")}],
            )


def smallest_free_id(taken: Container[int], first: int = 0) -> int:
    """Count up from `first` to an id that no piece has."""
    while first in taken:
        first += 1
    return first


def unknown_as_symbol(spec: TrainerSpec) -> OptionError:
    """The error that a symbol, or a byte piece, has the text of the unknown piece."""
    text = spec.unk_piece
    if text in BYTE_PIECES:
        return OptionError(
            f"unk_piece={text!r} is the text of a byte piece: give another text, or byte_fallback=False",
            remedies=[{"unk_piece": TrainerSpec.unk_piece}, {"byte_fallback": False}],
        )
    places = [name for name in SYMBOL_LISTS if text in getattr(spec, name)]
    return OptionError(
        f"{text} must not be defined with {' and '.join(places)}: it is unk_piece. Leave it out there",
        remedies=[{name: without(getattr(spec, name), text) for name in places}],
        original=f"{text} must not be defined with --control_symbols and --user_defined_symbols.",
    )


def symbol_twice(spec: TrainerSpec, text: str) -> OptionError:
    """The error that two symbols, or a symbol and a byte piece, have the same text."""
    places = [name for name in SYMBOL_LISTS for symbol in getattr(spec, name) if symbol == text]
    remedy: dict[str, list[str]] = {}
    if text in BYTE_PIECES and spec.byte_fallback:
        what, advice = f"is in {places[0]} and is a byte piece", "leave it out there"
        remedy = {name: without(getattr(spec, name), text) for name in places}
    elif len(places) > 1:
        what = f"is in {places[0]} and {places[1]}" if len({*places}) > 1 else f"is twice in {places[0]}"
        advice = "leave it out once"
        remedy = {name: without(getattr(spec, name), text) for name in places}
        remedy[places[0]].append(text)
    else:
        first = text.removeprefix(SPACE)
        what, advice = f"is made of {first!r} in a word model, and is in {places[0]} as well", "leave it out there"
        remedy = {places[0]: without(getattr(spec, places[0]), text)}
    return OptionError(
        f"{text} is already defined. duplicated symbols are not allowed. It {what}: {advice}",
        remedies=[remedy],
    )


def without(symbols: Iterable[str], text: str) -> list[str]:
    """A new list of `symbols`, in their order, with every `text` left out."""
    return [symbol for symbol in symbols if symbol != text]


def place_named_pieces(spec: TrainerSpec) -> dict[int, MetaPiece]:
    """unk, bos, eos and pad at the ids of their options; a negative id leaves one out."""
    pieces: dict[int, MetaPiece] = {}
    has_unknown = False
    for name in NAMED:
        piece_id, text = getattr(spec, f"{name}_id"), getattr(spec, f"{name}_piece")
        if piece_id < 0:
            continue
        if piece_id >= spec.vocab_size:
            raise id_too_high(spec, f"{name}_id", piece_id)
        if piece_id in pieces:
            free_id = free_named_id(spec)
            raise OptionError(
                f"{name}_id={piece_id} is taken by {pieces[piece_id].text!r}: give each its own id, such as "
                f"{name}_id={free_id}",
                remedies=[{f"{name}_id": free_id}, {f"{name}_id": -1}],
            )
        if text == spec.unk_piece and has_unknown:
            raise OptionError(
                f"{name}_piece={text!r} is unk_piece as well: give each its own text",
                remedies=[{f"{name}_piece": getattr(TrainerSpec, f"{name}_piece"), "unk_piece": TrainerSpec.unk_piece}],
            )
        pieces[piece_id] = MetaPiece(text, UNKNOWN if text == spec.unk_piece else CONTROL)
        has_unknown |= text == spec.unk_piece
    return pieces


def id_too_high(spec: TrainerSpec, option: str, piece_id: int) -> OptionError:
    """The error that the id of unk, bos, eos or pad is not below vocab_size."""
    free_id = free_named_id(spec)
    remedies = [{option: free_id}] if free_id < spec.vocab_size else []
    return OptionError(
        f"{option}={piece_id}: must be below vocab_size={spec.vocab_size}; -1 leaves it out",
        remedies=[*remedies, {"vocab_size": piece_id + 1}, {option: -1}],
    )


def free_named_id(spec: TrainerSpec) -> int:
    """The smallest id that none of unk, bos, eos and pad has."""
    return smallest_free_id([getattr(spec, f"{name}_id") for name in NAMED])


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
