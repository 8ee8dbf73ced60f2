"""Byte-level BPE of a file: its pattern, and its pieces with the ranks of their merges.

The merges must do what joining any two pieces does whose join is a piece, as ours does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError
from spm_lite.formats.byte_level import byte_level_model
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.merge_loops import are_all_splits, merged_pieces, ranks_by_index, scored_bytes
from spm_lite.formats.hugging_face.read_merges import check_pairs, merges_of
from spm_lite.formats.hugging_face.read_pieces import NONE, check_plain_bpe
from spm_lite.formats.hugging_face.read_specials import Roles, role_fields, with_roles
from spm_lite.formats.hugging_face.read_text_parts import flat, plain, symbols_of
from spm_lite.formats.hugging_face.read_vocabulary import (
    AddedTokens,
    check_texts,
    not_one_piece,
    refuse_others,
    texts_by_id,
)
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.merge_parts import first_unmade, merge_parts
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.split_patterns import WHOLE, pattern_for
from spm_lite.formats.text_splits import cuts_of, splits_of_step
from spm_lite.kinds import USER_DEFINED
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN

if TYPE_CHECKING:
    from spm_lite.formats.text_splits import Cuts, Split


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


Entries = list[tuple["str | bytes", float, int]]


def is_byte_level(parts: dict[str, Any]) -> bool:
    """Whether the pre-tokenizer of a file makes bytes of the text."""
    return any(
        step["type"] == "ByteLevel" for step in flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    )


def read_byte_level(
    parts: dict[str, Any], model: dict[str, Any], added: AddedTokens, roles: Roles, findings: Findings
) -> bytes:
    """The bytes of the model of byte-level BPE that a file holds."""
    form = read_form(parts)
    pattern, symbols = read_cuts(parts)
    check_plain_bpe(model)
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    flagged = next((text for text in symbols if text in added.flagged), None)
    if flagged is not None:
        what = f"{flagged!r:.60} with lstrip, rstrip or single_word, at which the pre-tokenizer splits too"
        raise refuse("added_tokens", what)
    special = {*added} - set(symbols)
    others = [text for text in added.others if text in special]
    refuse_others(others, findings)
    unknown = field(model, "unk_token", str, "model")
    if unknown not in NONE:
        special.add(unknown)
    pieces = [None if text in special else piece for text, piece in zip(texts, map(unspell, texts), strict=True)]
    check_spelled(texts, pieces, special)
    known = [piece for piece in pieces if piece is not None]
    table = RankTable(known)
    check_bytes(table)
    merges = merges_of(field(model, "merges", list, "model", []))
    usual = merged_pieces(merges, table, True)
    if usual is None:
        check_pairs(merges)
        ranks = ranks_of_bytes(merges, known)
    else:
        ranks = ranks_by_index(usual[0], len(known))
    looks_up = field(model, "ignore_merges", bool, "model", False)
    own = {text.encode() for text in symbols}
    check_merging(Ranked(known, table, ranks, merges, usual), own, looks_up, pattern is not None)
    is_plain = not merges and unknown is not None and is_plain_bytes(pieces)
    if not is_plain:
        unknown = None  # all bytes are pieces, so that no text is unknown, nor falls back to bytes
    entries = scored_bytes(texts, pieces, ranks, unknown, own)
    if others:
        entries = with_symbols(entries, {*others}, table)
    if is_plain:
        return byte_model(entries, str(unknown), roles)
    if pattern is None:
        pattern = pattern_for(known) if known else WHOLE
    return byte_level_model(entries, pattern, form, role_fields(roles, entries, unknown))


def read_form(parts: dict[str, Any]) -> str:
    """The form of Unicode that a text gets before it is cut; empty: none."""
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    if not steps:
        return ""
    wrong = next((step["type"] for step in steps if step["type"] not in FORMS), None)
    if wrong is not None or len(steps) > 1:
        raise refuse("normalizer", f"the component {wrong or steps[1]['type']} before ByteLevel")
    return str(steps[0]["type"]) + OLDER


def read_cuts(parts: dict[str, Any]) -> tuple[Cuts | None, list[str]]:
    """(cuts, user-defined symbols) of a pre-tokenizer that ends with ByteLevel."""
    *steps, last = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    place = "pre_tokenizer.ByteLevel"
    if last["type"] != "ByteLevel":
        raise refuse("pre_tokenizer", f"the component {last['type']} after ByteLevel")
    if field(last, "add_prefix_space", bool, place, True):
        raise refuse(f"{place}.add_prefix_space", "true: a space before each text")
    uses_regex = field(last, "use_regex", bool, place, True)
    symbols = [] if uses_regex or not steps else own_symbols(steps[-1])
    if symbols:
        del steps[-1]
    splits: list[Split] = []
    for step in steps:
        found = splits_of_step(step)
        if found is None:
            raise refuse("pre_tokenizer", f"the component {step['type']} before ByteLevel")
        splits += found
    if uses_regex:
        splits.append((GPT2_PATTERN, "Isolated", False))
    try:
        return cuts_of(splits) if splits else None, symbols
    except ModelError as error:
        raise ModelError(f"pre_tokenizer: {error}") from None


def own_symbols(step: dict[str, Any]) -> list[str]:
    """The user-defined pieces that a last Split isolates, as `to_hf` writes them; none if it is another one."""
    own = plain(step)
    given = own.get("pattern")
    given = given.get("Regex") if isinstance(given, dict) else None
    is_isolated = own["type"] == "Split" and own.get("behavior") == "Isolated" and not own.get("invert")
    return symbols_of(given) or [] if is_isolated else []


def check_spelled(texts: list[str], pieces: list[bytes | None], special: set[str]) -> None:
    """Raise ModelError for a piece that is not in the byte alphabet."""
    if pieces.count(None) == len(special.intersection(texts)):
        return
    i, text = next((i, text) for i, text in enumerate(texts) if pieces[i] is None and text not in special)
    raise ModelError(
        f"the piece {i}, {text!r:.60}, holds {next(c for c in text if c not in BYTES)!r}, which spells no byte"
    )


def check_bytes(known: RankTable) -> None:
    """Raise ModelError if a byte has no piece: its character would vanish there."""
    pieces = known.values()
    for byte in range(256):
        if bytes([byte]) not in pieces:
            raise ModelError(f"model.vocab: the byte 0x{byte:02X} is not a piece, but ByteLevel needs all bytes")


def with_symbols(entries: Entries, symbols: set[str], known: RankTable) -> Entries:
    """The entries, with some special ones as user-defined pieces, unless another piece has the same bytes."""
    taken = known.values()
    return [
        (text.encode(), 0.0, USER_DEFINED)
        if isinstance(text, str) and text in symbols and text.encode() not in taken
        else (text, score, kind)
        for text, score, kind in entries
    ]


def is_plain_bytes(pieces: list[bytes | None]) -> bool:
    """Whether no piece is longer than one byte; None, a special token, does not count."""
    return all(piece is None or len(piece) == 1 for piece in pieces)


def byte_model(entries: Entries, unknown: str, roles: Roles) -> bytes:
    """A model whose tokens are bytes."""
    spec = TrainerSpec(model_type="byte", vocab_size=len(entries), byte_fallback=False, unk_piece=unknown)
    single = [(text, 0.0, kind) for text, _, kind in entries]
    return write_model(single, with_roles(spec, roles, entries), NormalizerSpec(add_dummy_prefix=False), None, True)
