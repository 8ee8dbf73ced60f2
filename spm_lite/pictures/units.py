"""What segmenting starts from: the characters or bytes of a normalized text, and the pieces that they may form."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.kinds import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.pictures.signs import with_signs
from spm_lite.pictures.tokens import Token

if TYPE_CHECKING:
    from spm_lite.vocab.vocab import Vocab

PLAIN_TYPES = (NORMAL, USER_DEFINED, UNUSED)
NEVER = (CONTROL, UNKNOWN, UNUSED)  # no merge of a list has one
MARK = SPACE.encode()
UNKNOWN_PENALTY = 10.0  # below the lowest score of a piece


class Unit(NamedTuple):
    """A character, a byte of a byte-level model, or a user-defined symbol."""

    text: bytes
    is_alone: bool = False  # no piece covers it together with others
    is_literal: bool = False  # a U+2581 of the text, which no piece covers; not the sign for a space


class Pieces:
    """The pieces that text can match, by their bytes."""

    def __init__(self, vocab: Vocab, is_lossless: bool) -> None:
        self.vocab = vocab
        self.is_lossless = is_lossless
        self.has_space_mark = not vocab.is_bytes and vocab.word_rules is None
        self.ids = {vocab.text(i): i for i in range(vocab.size) if vocab.type(i) in PLAIN_TYPES}
        self.ids.pop(b"\0", None) if not vocab.is_bytes else None
        self.merges = merges_of(vocab)
        self.longest = max(map(len, self.ids), default=0)  # bytes
        symbols = (vocab.text(i) for i in range(vocab.size) if vocab.type(i) == USER_DEFINED)
        self.symbols = sorted((symbol for symbol in symbols if symbol in self.ids), key=len, reverse=True)

    def find(self, units: Sequence[Unit]) -> int:
        """The id of the piece that units form together; -1: none."""
        if units[0].is_literal or (len(units) > 1 and any(unit.is_alone for unit in units)):
            return -1
        return self.ids.get(b"".join(unit.text for unit in units), -1)

    def type(self, piece_id: int) -> int:
        """Of PieceType, as a number."""
        return self.vocab.type(piece_id)

    def score(self, piece_id: int) -> float:
        """Log-probability (Unigram), or minus the rank of the merge (BPE)."""
        return self.vocab.score(piece_id)

    @cached_property
    def unknown_score(self) -> float:
        """The score of a character without a piece."""
        vocab = self.vocab
        if vocab.exact_scores:
            return min(memoryview(vocab.exact_scores).cast("d")) - UNKNOWN_PENALTY
        scores = (vocab.score(i) for i in range(vocab.size) if vocab.type(i) == NORMAL)
        return min(scores, default=0.0) - UNKNOWN_PENALTY

    @cached_property
    def _merge_orders(self) -> list[int]:
        """The different scores of the pieces that merges make, the best one last, as `order` gives them."""
        vocab = self.vocab
        made = (i for text, i in self.ids.items() if len(text if vocab.is_bytes else characters(text)) > 1)
        return sorted({order(vocab.score(i)) for i in made if vocab.type(i) in (NORMAL, UNUSED)})

    def merge_number(self, piece_id: int) -> int:
        """The place among all merges of the merge that makes a piece, from 1; pieces of equal scores share one."""
        return 1 + len(self._merge_orders) - bisect_right(self._merge_orders, order(self.score(piece_id)))

    def cells_of(self, units: Iterable[Unit], numbers: str) -> int:
        """The terminal columns that units take side by side, and the ids under them."""
        from rich.cells import cell_len

        return max(sum(cell_len(self.label_of([unit])) + 1 for unit in units), len(numbers) + 1)

    def label_of(self, units: Sequence[Unit]) -> str:
        """The text of some units as people see it; bytes that are not whole characters are in hex."""
        text = b"".join(unit.text for unit in units)
        try:
            return with_signs(text.decode("utf-8"), self.has_space_mark and not units[0].is_literal)
        except UnicodeDecodeError:
            return text.hex(" ").upper()


def order(score: float) -> int:
    """A number that is larger where the score is, and tells 0.0 from -0.0, as the order of merges does."""
    bits: int = struct.unpack("<I", struct.pack("<f", score))[0]
    return bits ^ 0xFFFFFFFF if bits >> 31 else bits | 0x80000000


def merges_of(vocab: Vocab) -> dict[tuple[int, int], tuple[int, int]] | None:
    """(left, right) -> (place, whole) of each merge of a list; None: pieces merge by their scores."""
    if vocab.merge_list is None:
        return None
    never = {i for i in range(vocab.size) if vocab.type(i) in NEVER}
    return {
        (left, right): (place, whole)
        for place, (left, right, whole) in enumerate(vocab.merge_list)
        if never.isdisjoint((left, right, whole))
    }


def units_of(tokens: Iterable[Token], pieces: Pieces, are_merged: bool) -> list[Unit]:
    """The characters of the normalized text that these tokens cover.

    are_merged: as BPE sees them. A user-defined symbol is one unit, and what became byte pieces merges with nothing.
    """
    units: list[Unit] = []
    known = spelled = b""  # what pieces cover; the bytes of byte pieces
    for token in tokens:
        if token.kind == BYTE:
            units += split(known, pieces, are_merged)
            known, spelled = b"", spelled + token.text
            continue
        units += alone(spelled, pieces, are_merged)
        spelled = b""
        if token.kind == UNKNOWN:
            units += split(known, pieces, are_merged) + alone(token.text, pieces, are_merged)
            known = b""
        else:
            known += token.text
    return units + alone(spelled, pieces, are_merged) + split(known, pieces, are_merged)


def alone(text: bytes, pieces: Pieces, are_merged: bool) -> list[Unit]:
    """The characters of text that became byte pieces or is unknown; in lossless models a U+2581 among them is text."""
    literal = MARK if pieces.is_lossless else None
    return [Unit(char, are_merged or char == literal, char == literal) for char in characters(text)]


def split(text: bytes, pieces: Pieces, are_merged: bool) -> list[Unit]:
    """The units of text that pieces cover."""
    if not are_merged:
        return [Unit(char) for char in characters(text)]
    units: list[Unit] = []
    rest = text
    while rest:
        symbol = next((symbol for symbol in pieces.symbols if rest.startswith(symbol)), None)
        if symbol is not None:
            units.append(Unit(symbol, True))
        else:
            units.append(Unit(rest[:1] if pieces.vocab.is_bytes else rest[: char_size(rest)]))
        rest = rest[len(units[-1].text) :]
    return units


def char_size(text: bytes) -> int:
    """The bytes of the first character of UTF-8."""
    lead = text[0]
    return min(1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4, len(text))


def characters(text: bytes) -> list[bytes]:
    """The characters of UTF-8, each as its bytes; a byte outside of any character is alone."""
    decoded = text.decode("utf-8", "surrogateescape")
    return [char.encode("utf-8", "surrogateescape") for char in decoded]
