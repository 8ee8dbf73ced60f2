"""Byte-level BPE of a file: its pattern, and its pieces with the ranks of their merges.

Scores say what the merges do if that is what joining any two pieces does whose join is a piece. Else the model keeps
them as a list.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError
from spm_lite.formats.byte_level import byte_level_model
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.merge_loops import (
    are_all_splits,
    merged_pieces,
    ranked_entries,
    ranks_by_index,
    scored_bytes,
)
from spm_lite.formats.hugging_face.read_cuts import cuts_of_bytes
from spm_lite.formats.hugging_face.read_merges import NotByScores, check_pairs, is_pair, merges_of
from spm_lite.formats.hugging_face.read_pieces import (
    check_dropout,
    check_roles,
    has_affixes,
    merge_list,
)
from spm_lite.formats.hugging_face.read_specials import Roles, role_fields, with_roles
from spm_lite.formats.hugging_face.read_steps import check_steps
from spm_lite.formats.hugging_face.read_text_parts import flat, plain, symbols_of
from spm_lite.formats.hugging_face.read_vocabulary import (
    BYTE_TEXTS,
    AddedTokens,
    added_tokens,
    check_texts,
    not_one_piece,
    texts_by_id,
)
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.merge_parts import first_unmade, merge_parts
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.split_patterns import WHOLE, pattern_for
from spm_lite.formats.text_splits import cuts_of, splits_of_step
from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import with_added_tokens, with_steps, write_model
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN

if TYPE_CHECKING:
    from spm_lite.formats.text_splits import Cuts, Split


def ranks_of_bytes(merges: list[Any], pieces: list[bytes]) -> list[int]:
    """The rank of each piece; -1: no merge makes it. Raises NotByScores for merges that scores cannot express."""
    known = set(pieces)
    ranks: dict[bytes, int] = {}
    last = b""
    for left, right in merges:
        whole = unspell(left + right)
        if whole is None or whole not in known or unspell(left) not in known or unspell(right) not in known:
            raise NotByScores(f"{left!r:.40} and {right!r:.40} are not two pieces whose join is a piece")
        if whole != last:
            if whole in ranks:
                raise NotByScores(f"merges of {left + right!r:.60} that do not stand together")
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
    """Raise NotByScores unless the merges do what joining any two pieces does whose join is a piece.

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


def not_made(piece: bytes) -> NotByScores:
    """The error for a piece that merging does not make."""
    return NotByScores(f"the piece {piece!r:.60}, which the merges before it do not make of its bytes")


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
    form, steps = read_form(parts)
    pattern, symbols = read_cuts(parts)
    check_dropout(model, findings)
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    flagged = next((text for text in symbols if text in added.flagged), None)
    if flagged is not None:
        what = f"{flagged!r:.60} with lstrip, rstrip or single_word, at which the pre-tokenizer splits too"
        raise refuse("added_tokens", what)
    special = {*added} - set(symbols)
    check_added_bytes(special, field(model, "vocab", dict, "model", {}))
    others = {text for text in added.others if text in special}
    unknown = field(model, "unk_token", str, "model") or None
    if unknown is not None and unknown in others:
        raise refuse("added_tokens", f"the unknown token {unknown!r:.60}, which is not special")
    if unknown is not None and unknown in texts:
        special.add(unknown)
    vocab = field(model, "vocab", dict, "model", {})
    whole = next((text for text, one in added.rules.items() if one["single_word"] and text in vocab), None)
    if whole is not None and field(model, "ignore_merges", bool, "model", False):
        raise refuse("model.ignore_merges", f"true, with {whole!r:.60}, a single_word token that is a piece too")
    pieces = [None if text in special else piece for text, piece in zip(texts, map(unspell, texts), strict=True)]
    merges = merges_of(field(model, "merges", list, "model", []))
    if form or any(step["type"] != "ByteLevel" for step in steps):
        check_unmade(special, merges)
    level = Level(model, texts, pieces, special, unknown, merges, symbols, pattern)
    try:
        entries, listed = scored_level(level), None
    except NotByScores:
        entries, listed = listed_level(level, added)
    if others:
        entries = [(text, score, USER_DEFINED if text in others else kind) for text, score, kind in entries]
    found = added_tokens(entries, added)
    if not merges and unknown is not None and listed is None and is_plain_bytes(pieces):
        if steps:
            raise refuse("normalizer", f"the component {steps[0]['type']} before single bytes")
        return with_added_tokens(byte_model(entries, unknown, roles), found)
    if pattern is None:
        known = [piece for piece in pieces if piece]
        pattern = pattern_for(known) if known and listed is None else WHOLE
    data = byte_level_model(
        entries, pattern, form, role_fields(roles, entries, unknown), listed, lacks_bytes=loses_bytes(level, listed)
    )
    return with_added_tokens(with_steps(data, [json.dumps(step, sort_keys=True) for step in steps]), found)


def check_added_bytes(special: set[str], vocab: dict[str, Any]) -> None:
    """Raise ModelError for an added token that spells a byte, or other bytes than its own, which text needs too."""
    for text in special.intersection(vocab):
        piece = unspell(text)
        if piece is not None and (len(piece) == 1 or piece != text.encode()):
            raise refuse("added_tokens", f"{text!r:.60}, which spells the bytes {piece!r:.60} too")


def check_unmade(special: set[str], merges: list[Any]) -> None:
    """Raise ModelError for an added token that merges make: the normalizer may make it of text that spells another."""
    made = special and {pair[0] + pair[1] for pair in merges if is_pair(pair)} & special
    if made:
        raise refuse("added_tokens", f"{min(made)!r:.60}, which the model makes of text that does not spell it")


@dataclass
class Level:
    """The parts of a file that say what its bytes become."""

    model: dict[str, Any]
    texts: list[str]  # by id
    pieces: list[bytes | None]  # None: a special one, or one that spells no bytes; empty: none has the id
    special: set[str]
    unknown: str | None
    merges: list[Any]
    symbols: list[str]  # that the pre-tokenizer isolates
    pattern: Cuts | None

    @property
    def looks_up(self) -> bool:
        """Whether a part of a text that is a piece as a whole is that piece."""
        return bool(field(self.model, "ignore_merges", bool, "model", False))


def scored_level(level: Level) -> Entries:
    """The pieces of a file with scores that say how they merge. Raises NotByScores if there are none."""
    known = [piece for piece in level.pieces if piece]
    if has_affixes(level.model) or len(set(known)) < len(known):
        raise NotByScores("pieces with a prefix or suffix, or one that spells another")
    check_spelled(level.texts, level.pieces, level.special)
    table = RankTable(known)
    check_bytes(table)
    usual = merged_pieces(level.merges, table, True)
    if usual is None:
        check_pairs(level.merges)
        ranks = ranks_of_bytes(level.merges, known)
    else:
        ranks = ranks_by_index(usual[0], len(known))
    own = {text.encode() for text in level.symbols}
    check_merging(Ranked(known, table, ranks, level.merges, usual), own, level.looks_up, level.pattern is not None)
    # Each byte is a piece, so no text becomes the unknown one, unless the model is of bytes alone.
    unknown = level.unknown if not level.merges and is_plain_bytes(level.pieces) else None
    return scored_bytes(level.texts, level.pieces, ranks, unknown, own)


def listed_level(level: Level, added: AddedTokens) -> tuple[Entries, MergeList]:
    """The pieces of a file with a list of their merges. Raises ModelError for what a list cannot say either."""
    if level.symbols:
        raise refuse("pre_tokenizer", f"Split at {level.symbols[0]!r:.60}, with merges that scores cannot say")
    missing = missing_bytes({piece for piece in level.pieces if piece})
    may_lack = bool(missing) or has_affixes(level.model)
    has_bytes = field(level.model, "byte_fallback", bool, "model", False)
    if has_bytes and may_lack and not {*BYTE_TEXTS}.isdisjoint(level.texts):
        raise refuse("model.byte_fallback", f"true, with ByteLevel and no piece for the byte 0x{missing[0]:02X}")
    if may_lack and level.model.get("unk_token") == "":
        raise refuse("model.unk_token", "an empty text")
    unknown = level.unknown if may_lack else None
    if unknown is not None and unknown not in level.texts:
        raise ModelError(f"model: the unknown token {unknown!r:.60} is not a piece")
    if unknown is not None and len(unknown) == 1:
        raise refuse("model.unk_token", f"{unknown!r}, a single character")
    listed = merge_list(level.model, {text: i for i, text in enumerate(level.texts) if text}, level.merges, unspell)
    check_spelled_apart(level, listed, bool(missing) and unknown is None)
    names, kinds = names_and_kinds(level, unknown)
    check_roles(listed, level.texts, kinds, unknown, False, added)
    return ranked_entries(names, kinds, listed), listed


def check_spelled_apart(level: Level, listed: MergeList, vanish: bool) -> None:
    """Raise ModelError for a special token that the model makes of other text, whose bytes it spells.

    vanish: bytes without a piece vanish from between others.
    """
    spelled = {text: piece for text in level.special if (piece := unspell(text))}
    made = {level.texts[i] for i in {*listed.ids()}} if spelled else set()
    for text, piece in sorted(spelled.items()):
        sign = piece.removeprefix(listed.continuing_prefix).removesuffix(listed.word_suffix)
        is_like = piece == text.encode()
        is_made = text in made and (vanish or listed.is_by_part() or not is_like)
        if len(sign) == 1 or is_made or (listed.whole_pieces and not is_like):
            raise refuse("added_tokens", f"{text!r:.60}, which spells the bytes {piece!r:.60} in model.vocab")


def names_and_kinds(level: Level, unknown: str | None) -> tuple[list[str | bytes], list[int]]:
    """The text and type of each piece of a list of merges. unknown: the unknown piece, if a text may become it.

    A piece that spells no bytes keeps its text, and no text becomes it.
    """
    names: list[str | bytes] = []
    kinds: list[int] = []
    for text, piece in zip(level.texts, level.pieces, strict=True):
        names.append(text if piece is None else piece)
        if text == unknown:
            kinds.append(UNKNOWN)
        elif text in level.special:
            kinds.append(CONTROL)
        else:
            kinds.append(NORMAL if piece else UNUSED)
    return names, kinds


def loses_bytes(level: Level, listed: MergeList | None) -> bool:
    """Whether some text is not what its ids are decoded to."""
    return listed is not None and (listed.is_by_part() or bool(missing_bytes({*filter(None, level.pieces)})))


def missing_bytes(pieces: set[bytes]) -> list[int]:
    """The bytes that have no piece of their own, in their order. pieces: all that merge."""
    return [byte for byte in range(256) if bytes([byte]) not in pieces]


def read_form(parts: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """(form of Unicode, other steps) that a text gets before it is cut; one of them at most is there.

    ByteLevel may put a space before a text, which is a step too.
    """
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    before, level, _ = parts_at_level(parts)
    if field(level, "add_prefix_space", bool, "pre_tokenizer.ByteLevel", True):
        if before:
            raise refuse("pre_tokenizer.ByteLevel.add_prefix_space", f"true, after {before[0]['type']}")
        steps = [*steps, {"type": "ByteLevel", "add_prefix_space": True}]
    if len(steps) == 1 and steps[0]["type"] in FORMS:
        return str(steps[0]["type"]) + OLDER, []
    check_steps(steps)
    return "", steps


def parts_at_level(parts: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
    """(components before ByteLevel, the first ByteLevel, components after it) of a pre-tokenizer."""
    steps = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    at = next(i for i, step in enumerate(steps) if step["type"] == "ByteLevel")
    return steps[:at], steps[at], steps[at + 1 :]


def read_cuts(parts: dict[str, Any]) -> tuple[Cuts | None, list[str]]:
    """(cuts, user-defined symbols) of a pre-tokenizer with ByteLevel."""
    steps, level, after = parts_at_level(parts)
    uses_regex = field(level, "use_regex", bool, "pre_tokenizer.ByteLevel", True)
    symbols = [] if uses_regex or after or not steps else own_symbols(steps[-1])
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
    splits += cuts_of_bytes(after, parts.get("model", {}))
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
    """Raise NotByScores for a piece that is not in the byte alphabet."""
    if pieces.count(None) == len(special.intersection(texts)):
        return
    text = next(text for text, piece in zip(texts, pieces, strict=True) if piece is None and text not in special)
    raise NotByScores(f"{text!r:.60} holds {next(c for c in text if c not in BYTES)!r}, which spells no byte")


def check_bytes(known: RankTable) -> None:
    """Raise NotByScores if a byte has no piece: there its character is unknown, or it vanishes."""
    pieces = known.values()
    for byte in range(256):
        if bytes([byte]) not in pieces:
            raise NotByScores(f"the byte 0x{byte:02X} is not a piece")


def is_plain_bytes(pieces: list[bytes | None]) -> bool:
    """Whether no piece is longer than one byte; None, a special token, does not count."""
    return all(piece is None or len(piece) == 1 for piece in pieces)


def byte_model(entries: Entries, unknown: str, roles: Roles) -> bytes:
    """A model whose tokens are bytes."""
    spec = TrainerSpec(model_type="byte", vocab_size=len(entries), byte_fallback=False, unk_piece=unknown)
    single = [(text, 0.0, kind) for text, _, kind in entries]
    return write_model(single, with_roles(spec, roles, entries), NormalizerSpec(add_dummy_prefix=False), None, True)
