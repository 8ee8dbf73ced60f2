"""Byte-level BPE of a file: its pattern, and its pieces with the ranks of their merges."""

from __future__ import annotations

from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.byte_level import byte_level_model
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.merge_loops import merged_pieces, ranks_by_index, scored_bytes
from spm_lite.formats.hugging_face.pattern_components import KNOWN
from spm_lite.formats.hugging_face.read_byte_merges import Ranked, check_merging, ranks_of_bytes
from spm_lite.formats.hugging_face.read_merges import check_pairs, merges_of
from spm_lite.formats.hugging_face.read_pieces import NONE, check_plain_bpe
from spm_lite.formats.hugging_face.read_specials import Roles, role_fields, with_roles
from spm_lite.formats.hugging_face.read_text_parts import flat, plain, symbols_of
from spm_lite.formats.hugging_face.read_vocabulary import AddedTokens, check_texts, refuse_others, texts_by_id
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.split_patterns import WHOLE, pattern_for, unknown_pattern
from spm_lite.kinds import USER_DEFINED
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN

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
    rules = read_rules(parts)
    pattern, symbols = read_cuts(parts)
    check_plain_bpe(model)
    if field(model, "byte_fallback", bool, "model", False):
        raise refuse("model.byte_fallback", "true, with ByteLevel")
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
    entries = scored_bytes(texts, pieces, ranks, unknown, own)
    if others:
        entries = with_symbols(entries, {*others}, table)
    if not merges and unknown is not None and is_plain_bytes(pieces):
        return byte_model(entries, str(unknown), roles)
    if pattern is None:
        pattern = pattern_for(known) if known else WHOLE
    return byte_level_model(entries, pattern, rules, role_fields(roles, entries, unknown))


def read_rules(parts: dict[str, Any]) -> str | None:
    """The name of the rule set that changes a text before it is cut; None: nothing does."""
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    if not steps:
        return None
    if len(steps) > 1 or steps[0]["type"] != "NFC":
        raise refuse("normalizer", f"the component {steps[0]['type']} before ByteLevel")
    return "nfc"


def read_cuts(parts: dict[str, Any]) -> tuple[str | None, list[str]]:
    """(split pattern, user-defined symbols) of a pre-tokenizer that ends with ByteLevel."""
    *cuts, last = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    place = "pre_tokenizer.ByteLevel"
    if last["type"] != "ByteLevel":
        raise refuse("pre_tokenizer", f"the component {last['type']} after ByteLevel")
    if field(last, "add_prefix_space", bool, place, True):
        raise refuse(f"{place}.add_prefix_space", "true: a space before each text")
    pattern = GPT2_PATTERN if field(last, "use_regex", bool, place, True) else None
    symbols: list[str] = []
    for step in cuts:
        own = plain(step)
        given = own.get("pattern")
        given = given.get("Regex") if isinstance(given, dict) else None
        if own["type"] != "Split" or not isinstance(given, str):
            raise refuse("pre_tokenizer", f"the component {own['type']} before ByteLevel")
        if own.get("behavior") != "Isolated" or own.get("invert"):
            how = f"behavior {own.get('behavior')!r:.20}" + (", inverted" if own.get("invert") else "")
            raise refuse("pre_tokenizer", f"Split with {how} at {given!r:.100} before ByteLevel")
        if given in KNOWN and pattern is None and not symbols:
            pattern = KNOWN[given]
        elif not symbols and symbols_of(given):
            symbols = symbols_of(given) or []
        elif pattern is None and not symbols:
            raise ModelError(f"pre_tokenizer: {unknown_pattern(given)}")
        else:
            raise refuse("pre_tokenizer", f"a further Split, at {given!r:.100}")
    if symbols and field(last, "use_regex", bool, place, True):
        raise refuse("pre_tokenizer", f"Split at {symbols[0]!r:.60} before the pattern of ByteLevel")
    return pattern, symbols


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
    """Whether each piece is one byte."""
    return all(piece is None or len(piece) == 1 for piece in pieces)


def byte_model(entries: Entries, unknown: str, roles: Roles) -> bytes:
    """A model whose tokens are bytes."""
    spec = TrainerSpec(model_type="byte", vocab_size=len(entries), byte_fallback=False, unk_piece=unknown)
    single = [(text, 0.0, kind) for text, _, kind in entries]
    return write_model(single, with_roles(spec, roles, entries), NormalizerSpec(add_dummy_prefix=False), None, True)
