"""Flags and extra options applied to a finished encoding: BOS, EOS, reversed order, the unknown piece.

And edited copies of a model, for what sentencepiece changes in place in a loaded model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from spm_lite.errors import OptionError
from spm_lite.kinds import NORMAL, UNUSED
from spm_lite.sentencepiece.call_arguments import OptionRuntimeError, StateError, Text
from spm_lite.sentencepiece.returns import LISTS, PiecesOfText, ReturnType
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.vocab.messages import serialize

NUL_FIELD = b"\x0a\x01\x00"  # the field of a piece of one NUL byte, as serialized


def reference_bytes(tok: Tokenizer) -> bytes:
    """The model as sentencepiece serializes it: fields of each message by number, unknown fields last.

    With byte fallback, pieces of one NUL byte become UNUSED.
    """
    message = tok._file.message()
    if tok._file.vocab.byte_fallback and NUL_FIELD in tok.to_bytes():
        for piece in message.pieces:
            if piece.piece == "\0":
                piece.type = UNUSED
    return serialize(message)


def with_vocabulary(tok: Tokenizer, valid: set[bytes] | None) -> Tokenizer:
    """The model restricted to the pieces in `valid` and to single characters; None: UNUSED pieces become NORMAL."""
    if valid is not None:
        from spm_lite.tokenizer.restriction import with_pieces  # here, since it takes long to import

        return Tokenizer.load(with_pieces(tok._file, valid))
    message = tok._file.message()
    for piece in message.pieces:
        if piece.type == UNUSED:
            piece.type = NORMAL
    return Tokenizer.load(serialize(message))


def with_normalizer(tok: Tokenizer, fields: Iterable[tuple[str, bool]]) -> Tokenizer:
    """The model with these fields of its normalizer spec set."""
    message = tok._file.message()
    for name, value in fields:
        setattr(message.normalizer_spec, name, value)
    return Tokenizer.load(serialize(message))


EXTRA_OPTIONS = ("bos", "eos", "reverse", "unk", "unk_piece")


class Flags(NamedTuple):
    """The flags of one call, its defaults resolved."""

    bos: bool = False
    eos: bool = False
    reverse: bool = False
    emit_unk_piece: bool = False


NO_FLAGS = Flags()


def check_flags(flags: Flags, tok: Tokenizer, kind: ReturnType) -> None:
    """Raise OptionError for a piece that the model lacks, StateError for a return type that takes no flags."""
    if kind not in LISTS:
        raise StateError(
            "UNIMPLEMENTED: add_bos, add_eos, reverse, and emit_unk_piece is not supported in proto API: "
            f"return_type={kind!r} has no place for them"
        )
    if flags.bos and tok.bos_id < 0:
        raise OptionError("INVALID_ARGUMENT: BOS token is not defined as a control symbol in this model.")
    if flags.eos and tok.eos_id < 0:
        raise OptionError("INVALID_ARGUMENT: EOS token is not defined as a control symbol in this model.")
    if flags.emit_unk_piece and kind in (str, bytes) and tok.unk_id < 0:
        raise OptionError("INVALID_ARGUMENT: UNK token is not defined in this model.")


def flagged(row: list[Any], flags: Flags, tok: Tokenizer, kind: ReturnType) -> list[Any]:
    """Return a list of ids or pieces with the flags applied."""
    if flags.emit_unk_piece and kind in (str, bytes):
        unknown = piece_of(tok, tok.unk_id, kind)
        row = [unknown if tok.piece_to_id(piece) == tok.unk_id else piece for piece in row]
    if flags.reverse:
        row = row[::-1]
    if flags.bos:
        row = [piece_of(tok, tok.bos_id, kind), *row]
    if flags.eos:
        row = [*row, piece_of(tok, tok.eos_id, kind)]
    return row


def piece_of(tok: Tokenizer, piece_id: int, kind: ReturnType) -> Any:
    """The piece of an id as str or bytes; the id itself for other return types."""
    if kind is str:
        return tok.id_to_piece(piece_id)
    return tok._file.vocab.text(piece_id) if kind is bytes else piece_id


def parse_extra_options(options: Any, tok: Tokenizer) -> tuple[str, ...]:
    """Split a text like "bos:eos:reverse" into names. Raises OptionRuntimeError for one that cannot be used."""
    names = tuple(name for name in options.split(":") if name) if options else ()
    for name in names:
        if name not in EXTRA_OPTIONS:
            raise OptionRuntimeError(
                f'INTERNAL: option "{name}" is not available. There are {", ".join(EXTRA_OPTIONS)}'
            )
        _, bos_piece, eos_piece, _ = tok._file.settings.special_names
        for wanted, piece_id, piece in (("bos", tok.bos_id, bos_piece), ("eos", tok.eos_id, eos_piece)):
            if name == wanted and piece_id < 0:
                shown = piece.decode("utf-8", "replace")
                raise OptionRuntimeError(f"INTERNAL: id for `{shown}` is not defined. The model has no such piece")
    return names


class EditedText:
    """A text with its pieces after the extra options, which apply in the order in which they are written."""

    def __init__(self, result: PiecesOfText, options: tuple[str, ...], tok: Tokenizer) -> None:
        self.text: Text = result.text
        chars: list[tuple[int, int]] = result.char_offsets()
        self._rows: list[tuple[bytes, int, bytes | None, tuple[int, int], tuple[int, int]]] = list(
            zip(result.pieces(), result.ids(), result.surfaces(), result.byte_offsets(), chars, strict=True)
        )
        for name in options:
            self._apply(name, tok)

    def _apply(self, name: str, tok: Tokenizer) -> None:
        if name == "reverse":
            self._rows.reverse()
        elif name == "bos":
            self._rows.insert(0, (tok._file.vocab.text(tok.bos_id), tok.bos_id, None, (0, 0), (0, 0)))
        elif name == "eos":
            n_bytes = len(self.text if isinstance(self.text, bytes) else self.text.encode())
            n_chars = len(self.text if isinstance(self.text, str) else self.text.decode("utf-8", "replace"))
            end = ((n_bytes, n_bytes), (n_chars, n_chars))
            self._rows.append((tok._file.vocab.text(tok.eos_id), tok.eos_id, None, *end))
        else:
            unknown = tok._file.vocab.text(tok.unk_id) if tok.unk_id >= 0 else b""
            self._rows = [(unknown, *row[1:]) if row[1] == tok.unk_id else row for row in self._rows]

    def ids(self) -> list[int]:
        return [row[1] for row in self._rows]

    def pieces(self) -> list[bytes]:
        return [row[0] for row in self._rows]

    def piece_strings(self) -> list[str]:
        return [row[0].decode("utf-8", "surrogateescape") for row in self._rows]

    def surfaces(self) -> list[bytes | None]:
        return [row[2] for row in self._rows]

    def byte_offsets(self) -> list[tuple[int, int]]:
        return [row[3] for row in self._rows]

    def char_offsets(self) -> list[tuple[int, int]]:
        return [row[4] for row in self._rows]
