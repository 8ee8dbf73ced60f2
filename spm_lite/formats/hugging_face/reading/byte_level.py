"""Byte-level BPE of a file: its pattern, and its pieces with the ranks of their merges."""

from __future__ import annotations

from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.byte_level import byte_level_model
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.patterns import KNOWN
from spm_lite.formats.hugging_face.reading.merge_loops import are_all_splits, merged_pieces
from spm_lite.formats.hugging_face.reading.merges import check_pairs, merges_of
from spm_lite.formats.hugging_face.reading.pieces import NONE, check_plain_bpe
from spm_lite.formats.hugging_face.reading.specials import Roles, role_fields, with_roles
from spm_lite.formats.hugging_face.reading.text_parts import flat, plain, symbols_of
from spm_lite.formats.hugging_face.reading.vocabulary import AddedTokens, check_texts, not_one_piece, texts_by_id
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.ranks.merge_parts import first_unmade, merge_parts
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.split_patterns import WHOLE, pattern_for, unknown_pattern
from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from spm_lite.model.model_writer import write_model
from spm_lite.segment.patterns.named import GPT2_PATTERN
from spm_lite.specs import NormalizerSpec, TrainerSpec

Entries = list[tuple["str | bytes", float, int]]


def is_byte_level(parts: dict[str, Any]) -> bool:
    """Whether the pre-tokenizer of a file makes bytes of the text."""
    return any(
        step["type"] == "ByteLevel" for step in flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    )


def read_byte_level(parts: dict[str, Any], model: dict[str, Any], added: AddedTokens, roles: Roles) -> bytes:
    """The bytes of the model of byte-level BPE that a file holds."""
    rules = read_rules(parts)
    pattern, symbols = read_cuts(parts)
    check_plain_bpe(model)
    if field(model, "byte_fallback", bool, "model", False):
        raise refuse("model.byte_fallback", "true, with ByteLevel")
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    special = {*added} - set(symbols)
    unknown = field(model, "unk_token", str, "model")
    if unknown not in NONE:
        special.add(unknown)
    pieces = [None if text in special else piece for text, piece in zip(texts, map(unspell, texts), strict=True)]
    check_spelled(texts, pieces, special)
    check_bytes({piece for piece in pieces if piece is not None and len(piece) == 1})
    merges = merges_of(field(model, "merges", list, "model", []))
    known = {text: piece for text, piece in zip(texts, pieces, strict=True) if piece is not None}
    order = merged_pieces(merges, RankTable(list(map(str.encode, known))))
    if order is not None:
        own_bytes = list(known.values())
        ranks = {own_bytes[i]: rank for rank, i in enumerate(order)}
    else:
        check_pairs(merges)
        ranks = ranks_of_bytes(merges, set(known.values()))
    looks_up = field(model, "ignore_merges", bool, "model", False)
    own = {text.encode() for text in symbols}
    check_merging(known, own, ranks, merges, order, looks_up, pattern is not None)
    entries = entries_of(texts, pieces, ranks, unknown, own)
    if not merges and unknown is not None and is_plain_bytes(pieces):
        return byte_model(entries, str(unknown), roles)
    if pattern is None:
        pattern = pattern_for(list(known.values())) if known else WHOLE
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
        f"the piece {i}, {text!r:.60}, holds {next(c for c in text if c not in BYTES)!r}, which stands for no byte"
    )


def check_bytes(known: set[bytes]) -> None:
    """Raise ModelError if a byte has no piece: its character would vanish there."""
    for byte in range(256):
        if bytes([byte]) not in known:
            raise ModelError(f"model.vocab: the byte 0x{byte:02X} is no piece, as it must be with ByteLevel")


def ranks_of_bytes(merges: list[Any], known: set[bytes]) -> dict[bytes, int]:
    """The rank of each piece that merges make."""
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
    return ranks


def check_merging(
    known: dict[str, bytes],
    symbols: set[bytes],
    ranks: dict[bytes, int],
    merges: list[Any],
    order: list[int] | None,
    looks_up: bool,
    has_pattern: bool,
) -> None:
    """Raise ModelError unless the merges do what joining any two pieces does whose join is a piece.

    known: text -> bytes of each piece. symbols: those that are cut out of a text first, so that no merge reaches them.
    order: as `merged_pieces` returns it. looks_up: whether a piece that stands alone is taken without merging.
    """
    normal = [piece for piece in known.values() if piece not in symbols]
    check_symbols(symbols, known, ranks, merges, looks_up)
    inside = [pair for pair in merges if symbols.isdisjoint(joined_bytes(*pair))] if symbols else merges
    # If each split of each piece is listed, merging joins any two pieces whose join is a piece, as ours does.
    has_each_once = order is not None or len(set(map(tuple, merges))) == len(merges)
    has_all = has_each_once and are_all_splits(len(inside), RankTable(normal))
    if has_pattern and symbols:  # a match is looked up as a whole here, and between the symbols there
        check_free(normal, symbols)
    if not has_all or looks_up != has_pattern or (looks_up and symbols):
        lefts = [len(left) for left, _ in merges] if order and len(order) == len(merges) else None
        check_merged(normal, ranks, merges, lefts, bool(symbols))


def check_free(pieces: list[bytes], symbols: set[bytes]) -> None:
    """Raise ModelError for a piece that holds a symbol. pieces: the normal ones."""
    found = next((piece for piece in pieces if any(symbol in piece for symbol in symbols)), None)
    if found is not None:
        raise refuse("pre_tokenizer", f"Split at a text that the piece {found!r:.60} holds")


def joined_bytes(left: str, right: str) -> list[bytes | None]:
    """The bytes of two parts, and of the piece that they merge to."""
    return [unspell(left), unspell(right), unspell(left + right)]


def check_symbols(
    symbols: set[bytes],
    known: dict[str, bytes],
    ranks: dict[bytes, int],
    merges: list[Any],
    looks_up: bool,
) -> None:
    """Raise ModelError for a text that the pre-tokenizer isolates, and that does not become one piece then."""
    listed = set() if looks_up or not symbols else {(unspell(left), unspell(right)) for left, right in merges}
    for symbol in sorted(symbols):
        if symbol not in known.values() or not (looks_up or len(symbol) == 1 or is_merged(symbol, ranks, listed)):
            raise not_one_piece(symbol.decode())


def check_merged(
    pieces: list[bytes], ranks: dict[bytes, int], merges: list[Any], lefts: list[int] | None, has_symbols: bool
) -> None:
    """Raise ModelError unless each piece is what the merges before it make of its bytes, and that last merge is listed.

    Then the merges do what joining any two pieces does whose join is a piece. pieces: the normal ones. lefts: bytes of
    the first part of each merge, if each piece has one merge.
    """
    if lefts is not None:
        found = first_unmade(RankTable(list(ranks)), lefts)
        wrong = next(piece for piece in ranks if ranks[piece] == found) if found >= 0 else None
        if wrong is None and (has_symbols or len(pieces) > len(ranks) + 256):  # besides single bytes
            wrong = next((piece for piece in pieces if len(piece) > 1 and piece not in ranks), None)
    else:
        listed = {(unspell(left), unspell(right)) for left, right in merges}
        wrong = next((piece for piece in pieces if len(piece) > 1 and not is_merged(piece, ranks, listed)), None)
    if wrong is not None:
        raise refuse("model.merges", f"the piece {wrong!r:.60}, which the merges before it do not make of its bytes")


def is_merged(piece: bytes, ranks: dict[bytes, int], listed: set[Any]) -> bool:
    """Whether the merges before a piece leave two parts of its bytes, whose merge is listed."""
    parts = merge_parts(piece, ranks, ranks[piece]) if piece in ranks else []
    return len(parts) == 2 and (parts[0], parts[1]) in listed


def entries_of(
    texts: list[str], pieces: list[bytes | None], ranks: dict[bytes, int], unknown: str | None, symbols: set[bytes]
) -> Entries:
    """(text, score, type) of each piece: single bytes have the lowest scores."""
    lower = (-float(rank) for rank in range(len(ranks), len(ranks) + len(pieces)))
    found: Entries = []
    for text, piece in zip(texts, pieces, strict=True):
        if piece is None:
            found.append((text, 0.0, UNKNOWN if text == unknown else CONTROL))
        elif symbols and piece in symbols:
            found.append((piece, 0.0, USER_DEFINED))
        else:
            rank = ranks.get(piece)
            found.append((piece, next(lower) if rank is None else -float(rank), NORMAL))
    return found


def is_plain_bytes(pieces: list[bytes | None]) -> bool:
    """Whether each piece is one byte."""
    return all(piece is None or len(piece) == 1 for piece in pieces)


def byte_model(entries: Entries, unknown: str, roles: Roles) -> bytes:
    """A model whose tokens are bytes."""
    spec = TrainerSpec(model_type="byte", vocab_size=len(entries), byte_fallback=False, unk_piece=unknown)
    single = [(text, 0.0, kind) for text, _, kind in entries]
    return write_model(single, with_roles(spec, roles, entries), NormalizerSpec(add_dummy_prefix=False), None, True)
