"""Pipelines of the package tokenizers whose offsets follow from text and ids; for all others the original is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spm_lite.encode.segment.split_text import SplitSegmenter
from spm_lite.formats.hugging_face.components import joined, replace, split_string
from spm_lite.formats.hugging_face.read_text_parts import flat
from spm_lite.kinds import SPACE
from spm_lite.transformers.decode_kinds import BYTE_TYPES, CONTINUES
from spm_lite.transformers.token_spans import (
    ALWAYS,
    AT_START,
    BY_CUT,
    BY_SPACE,
    BY_TEXT,
    BY_TOKEN,
    EACH_WORD,
    NO_PREFIX,
    UNLESS_SPACE,
    TokenSpans,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.transformers.snapshot import Snapshot

MARKS_SPACES = replace(" ", SPACE)
RUNS = {"Regex": " {2,}"}  # of spaces, which become one sign: then a text has more characters than its tokens
PREPENDS = {"type": "Prepend", "prepend": SPACE}
NEVER_CUTS = split_string(" ", "MergedWithPrevious")
BY_CHARACTER = ("BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Precompiled", "StripAccents")
SCHEMES = {"always": UNLESS_SPACE, "first": AT_START, "never": NO_PREFIX}
OWN_SPACES = " \u0120"  # as the trimming of offsets knows them


def find_spans(parts: dict[str, Any], snapshot: Snapshot) -> TokenSpans | None:
    """What finds the tokens of a text in it; None: only the original knows their offsets.

    parts: normalizer, pre_tokenizer and added_tokens, as in the JSON of the tokenizer.
    """
    native = snapshot.native
    if native is None or (snapshot.has_affixes and native.model_type != "wordpiece"):
        return None
    normalizers = flat(parts["normalizer"], "normalizer", "normalizer")
    splits = flat(parts["pre_tokenizer"], "pre_tokenizer", "pre_tokenizer")
    if native.model_type in BYTE_TYPES:
        has_prefix = any(step["type"] == "ByteLevel" and step["add_prefix_space"] for step in splits)
        kind: tuple[int, int] | None = (UNLESS_SPACE if has_prefix else NO_PREFIX), BY_CUT
    elif native.model_type == "wordpiece":
        kind = (NO_PREFIX, BY_TOKEN) if [step["type"] for step in splits] == ["BertPreTokenizer"] else None
    else:
        kind = spaces_of(normalizers, splits)
    if kind is None or native._encoder is None:
        return None
    prefix, words = kind
    segmenter = native._encoder.segmenter
    cutter = segmenter if words == BY_CUT and isinstance(segmenter, SplitSegmenter) else None
    if cutter is not None and cutter.cuts is not None and cutter.cuts.drops:
        return None
    added = {
        token["id"]: token["content"]
        for token in parts["added_tokens"]
        if not (token["lstrip"] or token["rstrip"] or token["single_word"] or (token["normalized"] and normalizers))
        and token["content"].strip(OWN_SPACES) == token["content"].strip() == token["content"]
    }
    surfaces, continues = surfaces_of(native, snapshot.added_ids)
    return TokenSpans(
        surfaces, added, continues, prefix, words, native.model_type not in (*BYTE_TYPES, "wordpiece"),
        prefix == EACH_WORD or words == BY_TOKEN, by_character(normalizers), cutter,
    )  # fmt: skip


def spaces_of(normalizers: list[dict[str, Any]], splits: list[dict[str, Any]]) -> tuple[int, int] | None:
    """(prefix, words) of a tokenizer in which U+2581 stands for spaces; None: another one."""
    if splits in ([], [NEVER_CUTS]) and MARKS_SPACES in normalizers:
        return (ALWAYS if PREPENDS in normalizers else NO_PREFIX), BY_TEXT
    kinds = [step["type"] for step in splits]
    if kinds not in (["Metaspace"], ["WhitespaceSplit", "Metaspace"]) or splits[-1]["replacement"] != SPACE:
        return None
    if any(moves_spaces(step) for step in normalizers):
        return None
    last = splits[-1]
    scheme = last.get("prepend_scheme", "always") if last.get("add_prefix_space", True) else "never"
    if kinds[0] == "Metaspace":
        return SCHEMES[scheme], BY_SPACE if last.get("split", True) else BY_TEXT
    keeps_runs = all(step["type"] != "Replace" for step in normalizers)
    return (EACH_WORD, BY_SPACE) if scheme == "always" and last.get("split", True) and keeps_runs else None


def moves_spaces(step: dict[str, Any]) -> bool:
    """Whether a normalizer may change spaces so that the tokens of a text do not show it."""
    if step["type"] != "Replace" or step == MARKS_SPACES:
        return bool(step["type"] == "Strip" and step["strip_left"])
    pattern = step["pattern"]
    return pattern != RUNS and (" " in pattern.get("String", " ") or SPACE in step["content"])


def surfaces_of(native: Tokenizer, added: set[int]) -> tuple[list[bytes | None], list[bool]]:
    """What each id stands for in normalized text, and whether it goes on within a word."""
    surfaces: list[bytes | None] = []
    continues: list[bool] = []
    for i in range(len(native)):
        piece = native.id_to_piece(i)
        is_inner = native.model_type == "wordpiece" and piece.startswith(CONTINUES)
        continues.append(is_inner)
        kind = native.piece_type(i)
        is_fallback = kind == "byte" and native.model_type == "unigram"  # its offsets are those of all unknown text
        if i in added or is_fallback or kind in ("unknown", "control", "unused"):
            surfaces.append(None)
        elif kind == "byte" or native.model_type in BYTE_TYPES:
            surfaces.append(native.token_bytes(i))
        else:
            surfaces.append((piece[len(CONTINUES) :] if is_inner else piece.replace(SPACE, " ")).encode())
    return surfaces, continues


def by_character(normalizers: list[dict[str, Any]]) -> Callable[[str], str] | None:
    """What the normalizers make of a single character, where they look at each by itself; None: nothing changes it."""
    kept = [step for step in normalizers if step["type"] in BY_CHARACTER]
    if not kept:
        return None
    from tokenizers import Tokenizer

    parts = {
        "normalizer": joined("normalizer", kept),
        "model": {"type": "WordLevel", "vocab": {}, "unk_token": ""},
    }
    return Tokenizer.from_str(json.dumps(parts)).normalizer.normalize_str  # type: ignore[no-any-return]
