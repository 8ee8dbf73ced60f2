"""Merges of byte-level BPE: whether they do what joining any two pieces does whose join is a piece, as ours does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.hugging_face.merge_loops import are_all_splits
from spm_lite.formats.hugging_face.read_vocabulary import not_one_piece
from spm_lite.formats.json_file import refuse
from spm_lite.formats.ranks.merge_parts import first_unmade, merge_parts
from spm_lite.formats.ranks.rank_table import RankTable


def ranks_of_bytes(merges: list[Any], pieces: list[bytes]) -> list[int]:
    """The rank of each piece; -1: no merge makes it."""
    known = set(pieces)
    ranks: dict[bytes, int] = {}
    last = b""
    for left, right in merges:
        whole = unspell(left + right)
        if whole is None or whole not in known or unspell(left) not in known or unspell(right) not in known:
            raise ModelError(f"model.merges: {left!r:.40} and {right!r:.40} are not two pieces whose join is a piece")
        if whole != last:
            if whole in ranks:
                raise refuse("model.merges", f"merges of {left + right!r:.60} that do not stand together")
            ranks[whole] = len(ranks)
            last = whole
    return [ranks.get(piece, -1) for piece in pieces]


@dataclass
class Ranked:
    """The pieces of a file that are bytes, and how merges make them."""

    pieces: list[bytes]
    table: RankTable
    ranks: list[int]  # of each piece; -1: no merge makes it
    merges: list[Any]
    usual: tuple[list[int], list[int]] | None  # what `merged_pieces` tells of the merges

    def by_bytes(self) -> dict[bytes, int]:
        """The rank of each piece that a merge makes."""
        return {piece: rank for piece, rank in zip(self.pieces, self.ranks, strict=True) if rank >= 0}

    def pairs(self) -> set[Any]:
        """The two parts of each merge."""
        return {(unspell(left), unspell(right)) for left, right in self.merges}


def check_merging(ranked: Ranked, symbols: set[bytes], looks_up: bool, has_pattern: bool) -> None:
    """Raise ModelError unless the merges do what joining any two pieces does whose join is a piece.

    symbols: pieces that are cut out of a text first, so that no merge reaches them.
    looks_up: whether a piece that stands alone is taken without merging.
    """
    normal = ranked.pieces
    if symbols:
        check_symbols(symbols, ranked, looks_up)
        normal = [piece for piece in normal if piece not in symbols]
        if has_pattern:  # a match is looked up as a whole here, and between the symbols there
            check_free(normal, symbols)
    usual = ranked.usual
    if usual is not None and len(usual[0]) == len(ranked.merges):
        wrong = first_unmerged(ranked, *usual, symbols)
        if wrong is not None and not do_all_splits(ranked, symbols, looks_up, has_pattern):
            raise not_made(wrong)
    elif not do_all_splits(ranked, symbols, looks_up, has_pattern):
        made, listed = ranked.by_bytes(), ranked.pairs()
        wrong = next((piece for piece in normal if len(piece) > 1 and not is_merged(piece, made, listed)), None)
        if wrong is not None:
            raise not_made(wrong)


def do_all_splits(ranked: Ranked, symbols: set[bytes], looks_up: bool, has_pattern: bool) -> bool:
    """Whether each split of each piece is listed, once, and nothing but merging makes a piece, unless a pattern cuts.

    Then merging joins any two pieces whose join is a piece, as ours does. With symbols that is not enough: a symbol is
    made of pieces that no other text holds.
    """
    if looks_up != has_pattern or symbols:
        return False
    merges = ranked.merges
    if ranked.usual is None and len(set(map(tuple, merges))) < len(merges):
        return False
    return are_all_splits(len(merges), ranked.table)


def not_made(piece: bytes) -> ModelError:
    """The error for a piece that merging does not make."""
    return refuse("model.merges", f"the piece {piece!r:.60}, which the merges before it do not make of its bytes")


def check_free(pieces: list[bytes], symbols: set[bytes]) -> None:
    """Raise ModelError for a piece that holds a symbol. pieces: the normal ones."""
    found = next((piece for piece in pieces if any(symbol in piece for symbol in symbols)), None)
    if found is not None:
        raise refuse("pre_tokenizer", f"Split at a text that the piece {found!r:.60} holds")


def check_symbols(symbols: set[bytes], ranked: Ranked, looks_up: bool) -> None:
    """Raise ModelError for a text that is isolated and does not become one piece then, or that is a single byte."""
    made, listed = ({}, set()) if looks_up else (ranked.by_bytes(), ranked.pairs())
    known = ranked.table.values()
    for symbol in sorted(symbols):
        if len(symbol) == 1:
            raise refuse("pre_tokenizer", f"Split at {symbol.decode()!r}, a single byte")
        if symbol not in known or not (looks_up or is_merged(symbol, made, listed)):
            raise not_one_piece(symbol.decode())


def first_unmerged(ranked: Ranked, order: list[int], lefts: list[int], symbols: set[bytes]) -> bytes | None:
    """The first piece of which the merges before it do not leave the two parts of its only merge; or one without any.

    If there is none, merging gives the same as joining any two pieces whose join is a piece.
    order, lefts: as `merged_pieces` tells them, with one merge a piece.
    """
    found = first_unmade(ranked.table, order, lefts)
    if found >= 0:
        return ranked.pieces[found]
    if ranked.ranks.count(-1) == 256:  # the single bytes
        return None
    others = zip(ranked.pieces, ranked.ranks, strict=True)
    return next(
        (piece for piece, rank in others if rank < 0 and len(piece) > 1 and piece not in symbols),
        None,
    )


def is_merged(piece: bytes, ranks: dict[bytes, int], listed: set[Any]) -> bool:
    """Whether the merges before a piece leave two parts of its bytes, whose merge is listed."""
    parts = merge_parts(piece, ranks, ranks[piece]) if piece in ranks else []
    return len(parts) == 2 and (parts[0], parts[1]) in listed
