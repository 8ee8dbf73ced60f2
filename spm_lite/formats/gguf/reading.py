"""The tokenizer of a GGUF file as a model: kinds llama (BPE), t5 (Unigram), gpt2 (byte-level BPE), bert (WordPiece)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.byte_level import byte_level_model, entries_of_merges
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.gguf.header import BOOL, INT8, STRING, Header, header_of_bytes, read_header
from spm_lite.formats.hugging_face.merge_loops import are_all_splits, merged_pieces, ranked_entries
from spm_lite.formats.hugging_face.merge_loops import listed_merges as list_of
from spm_lite.formats.hugging_face.read_merges import NotByScores
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.split_patterns import named_or_given
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.specs import AddedToken, NormalizerSpec, TrainerSpec
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import with_added_tokens, write_model

PREFIX = "tokenizer.ggml."
KINDS = ("llama", "t5", "gpt2", "bert")
PRE = {  # name of the splitter of a gpt2 vocabulary -> our name of its pattern
    "gpt-2": "gpt2", "gpt2": "gpt2", "llama-bpe": "llama3", "llama3": "llama3", "llama-v3": "llama3",
    "qwen2": "qwen2", "gpt-4o": "o200k_base", "llama4": "o200k_base", "tekken": "tekken",
    "qwen35": "qwen3.5", "deepseek-v3": "deepseek_v3",
}  # fmt: skip
LOOKS_UP = ("llama-bpe", "llama3", "llama-v3", "tekken")  # a match that is a piece as a whole is that piece
ROLES = {"unk": "unknown", "bos": "bos", "eos": "eos", "pad": "padding"}
STRINGS, WHOLE, REAL = (STRING,), (1, 2, 3, 4, 5, 10, 11), (1, 2, 3, 4, 5, 6, 10, 11, 12)  # types of items in arrays
SPACE = "\u2581"


class Tokens:
    """The pairs of a tokenizer, checked."""

    def __init__(self, header: Header, name: str) -> None:
        self.header, self.name = header, name
        self.kind = self.text("model")
        if self.kind not in KINDS:
            raise ModelError(
                f"{name}: its tokenizer is of kind {self.kind!r:.40}, but spm_lite reads only {', '.join(KINDS)}"
                if self.kind
                else f"{name} holds no tokenizer: there is no {PREFIX}model"
            )
        self.pieces: list[bytes] = self.items("tokens", STRINGS, [])
        if not self.pieces:
            raise ModelError(f"{name}: there are no pieces ({PREFIX}tokens)")
        n = len(self.pieces)
        self.types: list[int] = self.items("token_type", WHOLE, [NORMAL] * n)
        self.scores: list[float] = [float(one) for one in self.items("scores", REAL, [0.0] * n)]
        for what, values in (("token_type", self.types), ("scores", self.scores)):
            if len(values) != n:
                raise ModelError(f"{name}: {PREFIX}{what} has {len(values)} items for {n} pieces")
        wrong = next((i for i, kind in enumerate(self.types) if not NORMAL <= kind <= BYTE), None)
        if wrong is not None:
            raise ModelError(f"{name}: the piece {wrong} has the unknown type {self.types[wrong]}")
        bad = next((i for i, score in enumerate(self.scores) if not math.isfinite(score)), None)
        if bad is not None:
            raise ModelError(f"{name}: the piece {bad} has the score {self.scores[bad]}")

    def get(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        """A value of a type; the default if it is not there."""
        found = self.header.pairs.get(PREFIX + key)
        if found is None:
            return default
        if not isinstance(found.value, kind) or (kind is int and found.kind == BOOL):
            raise ModelError(f"{self.name}: {PREFIX}{key} is {type(found.value).__name__}, which is the wrong type")
        return found.value

    def items(self, key: str, kinds: tuple[int, ...], default: list[Any]) -> list[Any]:
        """An array with items of one of these types; the default if it is not there."""
        values: list[Any] = self.get(key, list, default)
        found = self.header.pairs.get(PREFIX + key)
        if found is not None and found.item_kind not in kinds:
            raise ModelError(f"{self.name}: {PREFIX}{key} has items of type {found.item_kind}, which is the wrong type")
        return values

    def text(self, key: str) -> str:
        """A str; empty if it is not there."""
        value: bytes = self.get(key, bytes, b"")
        return value.decode("utf-8", "replace")

    def flag(self, key: str, default: bool) -> bool:
        value: bool = self.get(key, bool, default)
        return value

    def role_ids(self) -> dict[str, int]:
        """The ids of unk, bos, eos and pad; -1: there is none."""
        found = {}
        for role, name in ROLES.items():
            value = self.get(f"{name}_token_id", int, -1)
            found[role] = value if 0 <= value < len(self.pieces) else -1
        return found


def model_of_gguf(path: str | os.PathLike[str]) -> bytes:
    """The bytes of the model that a file holds. Raises ModelError for a file that is damaged or of another kind."""
    return model_of_tokens(Tokens(read_header(path), os.fspath(path)))


def model_of_bytes(data: bytes, name: str) -> bytes:
    """The bytes of the model of a file in memory."""
    return model_of_tokens(Tokens(header_of_bytes(data, name), name))


def model_of_tokens(tokens: Tokens) -> bytes:
    """The model of checked pairs."""
    return {"llama": llama_model, "t5": t5_model, "gpt2": gpt2_model, "bert": bert_model}[tokens.kind](tokens)


def entries(tokens: Tokens, types: list[int] | None = None) -> list[tuple[str, float, int]]:
    """(text, score, type) of each piece. Raises ModelError for one that is not UTF-8."""
    found = []
    for i, (piece, score, kind) in enumerate(zip(tokens.pieces, tokens.scores, types or tokens.types, strict=True)):
        try:
            found.append((piece.decode("utf-8"), score, kind))
        except UnicodeDecodeError as error:
            raise ModelError(f"{tokens.name}: the piece {i} is not UTF-8: {error}") from None
    return found


def sentencepiece_model(tokens: Tokens, model_type: str, normalizer: NormalizerSpec) -> bytes:
    """A model of SentencePiece's form."""
    pieces = entries(tokens)
    while pieces and pieces[-1][2] == UNUSED and pieces[-1][0].startswith("[PAD"):
        pieces.pop()  # the filling of a converter
    unknown = [i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN]
    ids = tokens.role_ids()
    if len(unknown) != 1:
        raise ModelError(f"{tokens.name}: {len(unknown)} pieces are unknown pieces, but a model has one")
    ids["unk"] = unknown[0]
    has_bytes = sum(kind == BYTE for _, _, kind in pieces) == 256
    roles: dict[str, Any] = {f"{role}_piece": pieces[i][0] for role, i in ids.items() if 0 <= i < len(pieces)}
    roles |= {f"{role}_id": i if i < len(pieces) else -1 for role, i in ids.items()}
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=has_bytes, **roles)
    return write_model(pieces, spec, normalizer)


def llama_model(tokens: Tokens) -> bytes:
    """SentencePiece BPE: no rules, extra spaces are kept. Each text after a special token gets the prefix too."""
    prefix = tokens.flag("add_space_prefix", True)
    normalizer = NormalizerSpec("identity", b"", prefix, False, prefix_each_text=prefix)
    return sentencepiece_model(tokens, "bpe", normalizer)


def t5_model(tokens: Tokens) -> bytes:
    """Unigram, with the rules that the file holds. Each text after a special token gets the prefix too.

    Where extra spaces are removed, a space stands before each word, the first one too, whatever the flag says. Source:
    `llm_tokenizer_ugm_session::normalize` of llama.cpp.
    """
    rules = tokens.get("precompiled_charsmap", (bytes, list), b"")
    if isinstance(rules, list):
        rules = bytes(one & 0xFF for one in tokens.items("precompiled_charsmap", (INT8,), []))
    removes = tokens.flag("remove_extra_whitespaces", False)
    prefix = tokens.flag("add_space_prefix", False) or removes
    name = "nmt_nfkc" if rules else "identity"
    normalizer = NormalizerSpec(name, rules, prefix, removes, prefix_each_text=prefix)
    return sentencepiece_model(tokens, "unigram", normalizer)


def gpt2_model(tokens: Tokens) -> bytes:
    """Byte-level BPE, cut by the pattern that the file names."""
    pre = tokens.text("pre") or "default"
    if pre not in PRE:
        what = "the four expressions of llama.cpp's default" if pre == "default" else f"{pre!r:.40}"
        raise ModelError(f"{tokens.name}: its text is cut by {what}, but spm_lite knows only {', '.join(PRE)}")
    texts = [text for text, _, _ in entries(tokens)]
    listed = None
    try:
        ranks = merge_ranks(tokens, set(texts))
    except NotByScores:
        ranks, listed = listed_merges(tokens, texts, pre in LOOKS_UP)
    pieces: list[bytes | str] = []
    for i, text in enumerate(texts):
        data = unspell(text)
        is_merged = data is not None and (len(data) == 1 or data in ranks or listed is not None)
        if not is_merged and tokens.types[i] == NORMAL:
            raise ModelError(f"{tokens.name}: the piece {i}, {text!r:.60}, is neither a byte nor made by a merge")
        pieces.append(data if is_merged and data is not None and tokens.types[i] == NORMAL else text)
    known = {piece for piece in pieces if isinstance(piece, bytes)}
    missing = next((byte for byte in range(256) if bytes([byte]) not in known), None)
    if missing is not None:
        raise ModelError(f"{tokens.name}: the byte 0x{missing:02X} is not a piece")
    if listed is None:
        ranked = entries_of_merges(pieces, ranks)
    else:
        ranked = ranked_entries(pieces, [CONTROL if isinstance(piece, str) else NORMAL for piece in pieces], listed)
    kept = [
        (text, score, USER_DEFINED if isinstance(text, str) and tokens.types[i] == USER_DEFINED else kind)
        for i, (text, score, kind) in enumerate(ranked)
    ]
    ids = tokens.role_ids()
    roles: dict[str, Any] = {f"{role}_id": i for role, i in ids.items() if i >= 0 and role != "unk"}
    roles |= {f"{role}_piece": texts[i] for role, i in ids.items() if i >= 0 and role != "unk"}
    # llama.cpp normalizes no text of this kind. User-defined pieces are found before a text is cut.
    found = [AddedToken(i) for i, (_, _, kind) in enumerate(kept) if kind == USER_DEFINED]
    return with_added_tokens(byte_level_model(kept, named_or_given(PRE[pre]), "", roles, listed), found)


def listed_merges(tokens: Tokens, texts: list[str], looks_up: bool) -> tuple[dict[bytes, int], MergeList | None]:
    """(The merged bytes -> the number of the merge, None) if scores say the same; else ({}, a list of the merges).

    looks_up: a match of the pattern that is a piece as a whole is that piece.
    """
    known = [data for text, kind in zip(texts, tokens.types, strict=True) if kind == NORMAL and (data := unspell(text))]
    table = RankTable(known)
    pairs = [list(pair) for pair in merge_pairs(tokens)]
    usual = merged_pieces(pairs, table, True)
    if looks_up and usual is not None and are_all_splits(len(pairs), table):
        return {known[i]: rank for rank, i in enumerate(usual[0])}, None
    return {}, list_of(pairs, {text: i for i, text in enumerate(texts)}, whole_pieces=looks_up)


def merge_pairs(tokens: Tokens) -> Iterator[tuple[str, str]]:
    """Both parts of each merge; a merge without a space has an empty one."""
    lines: list[bytes] = tokens.items("merges", STRINGS, [])
    for line in lines:
        text = line.decode("utf-8", "replace")
        place = text.find(" ", 1)
        yield (text[:place], text[place + 1 :]) if place > 0 else (text, "")


def merge_ranks(tokens: Tokens, known: set[str]) -> dict[bytes, int]:
    """The merged bytes -> the number of the merge. Raises NotByScores if that does not say how pieces merge."""
    ranks: dict[bytes, int] = {}
    needs_list = False
    for number, (left, right) in enumerate(merge_pairs(tokens)):
        joined = unspell(left + right)
        if not right or joined is None or not {left, right, left + right} <= known:
            text = f"{left} {right}"
            raise ModelError(f"{tokens.name}: the merge {number}, {text!r:.60}, is not of two pieces to a piece")
        needs_list = needs_list or joined in ranks
        if not needs_list:
            ranks[joined] = number
            needs_list = merge_parts(joined, ranks, number) != [unspell(left), unspell(right)]
    if needs_list:
        raise NotByScores(f"{tokens.name}: a piece that is made by two merges, or by none")
    return ranks


def bert_model(tokens: Tokens) -> bytes:
    """WordPiece: pieces that begin a word are spelled with U+2581, the others go on."""
    pieces: list[tuple[str, float, int]] = []
    ids = tokens.role_ids()
    ids |= {"bos": tokens.get("cls_token_id", int, ids["bos"])}
    ids |= {"eos": tokens.get("seperator_token_id", int, ids["eos"])}
    mask = tokens.get("mask_token_id", int, -1)
    for i, (text, _, kind) in enumerate(entries(tokens)):
        is_special = kind in (CONTROL, UNKNOWN) or i in (*ids.values(), mask)
        if is_special:
            pieces.append((text, -float(i), UNKNOWN if i == ids["unk"] or kind == UNKNOWN else CONTROL))
        elif text.startswith(SPACE):
            pieces.append((text[1:], -float(i), NORMAL))
        else:
            is_left = text.startswith("[") and text.endswith("]") and len(text) > 2  # [unused1] of older files
            pieces.append((text if is_left else f"##{text}", -float(i), NORMAL))
    unknown = [i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN]
    if len(unknown) != 1:
        raise ModelError(f"{tokens.name}: {len(unknown)} pieces are unknown pieces, but a model has one")
    ids["unk"] = unknown[0]
    is_cased = any(has_capitals(text) for text, _, kind in pieces if kind == NORMAL)
    lowercase = tokens.flag("normalizer.lowercase", not is_cased)
    rules = "bert_uncased" if lowercase else "bert_cased"
    spec = TrainerSpec(
        model_type="wordpiece",
        vocab_size=len(pieces),
        byte_fallback=False,
        **{f"{role}_piece": pieces[i][0] for role, i in ids.items() if 0 <= i < len(pieces)},  # type: ignore[arg-type]
    )
    normalizer = NormalizerSpec(rules, charsmap_of(rules), add_dummy_prefix=False, remove_extra_whitespaces=True)
    return write_model(pieces, spec, normalizer)


def has_capitals(text: str) -> bool:
    """Whether a piece has letters that lowercasing would change; [unused1] and the like do not count."""
    return not text.startswith("[") and text != text.lower()
