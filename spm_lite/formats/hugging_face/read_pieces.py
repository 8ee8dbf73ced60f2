"""From the `model` of a file to the pieces of one of SentencePiece's types: text, score and type of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.merge_loops import scored
from spm_lite.formats.hugging_face.read_merges import checked_ranks, merges_of
from spm_lite.formats.hugging_face.read_text_parts import TextSettings
from spm_lite.formats.hugging_face.read_vocabulary import (
    AddedTokens,
    check_special,
    check_texts,
    not_one_piece,
    texts_by_id,
    types_of,
)
from spm_lite.formats.json_file import field, refuse, type_name
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.kinds import NORMAL
from spm_lite.vocab.model_writer import Piece

NONE = (None, "")


@dataclass
class Pieces:
    """The pieces of a model, and its type."""

    model_type: str
    entries: Sequence[Piece]
    unknown: str
    byte_fallback: bool = False


def kind_of(model: dict[str, Any]) -> str:
    """The type of a model; in old files its shape tells it."""
    kind = field(model, "type", str, "model")
    if kind is not None:
        return str(kind)
    if "merges" in model:
        return "BPE"
    if "max_input_chars_per_word" in model:
        return "WordPiece"
    return "Unigram" if isinstance(model.get("vocab"), list) else "WordLevel"


def read_bpe(model: dict[str, Any], added: AddedTokens, settings: TextSettings, findings: Findings) -> Pieces:
    """The pieces of a BPE model with SentencePiece's ways: of type bpe, or of type char if nothing merges."""
    check_plain_bpe(model)
    unknown = field(model, "unk_token", str, "model")
    has_bytes = field(model, "byte_fallback", bool, "model", False)
    if unknown is None:
        raise refuse("model.unk_token", "no unknown piece")
    if not has_bytes and not field(model, "fuse_unk", bool, "model", False):
        raise refuse("model.fuse_unk", "false: each unknown character has an id of its own")
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    check_unknown(unknown, texts)
    kinds = types_of(texts, added, unknown, has_bytes, settings.symbols)
    normal = dict.fromkeys(texts, True)
    for text, kind in zip(texts, kinds, strict=True):
        if kind != NORMAL:
            del normal[text]
    ranks = checked_ranks(merges_of(field(model, "merges", list, "model", [])), normal)
    looks_up = field(model, "ignore_merges", bool, "model", False)
    for symbol in settings.symbols:
        if symbol not in texts or not (looks_up or len(symbol) == 1):  # no merge makes it, since it is not normal
            raise not_one_piece(symbol)
    if looks_up:
        check_looked_up(ranks, normal)
    is_char = len(ranks) == ranks.count(-1) and all(len(text) == 1 for text in normal)
    if is_char:
        return Pieces("char", [(text, 0.0, kind) for text, kind in zip(texts, kinds, strict=True)], unknown, has_bytes)
    return Pieces("bpe", scored(texts, kinds, ranks), unknown, has_bytes)


def check_plain_bpe(model: dict[str, Any]) -> None:
    """Raise ModelError, naming it, for an option of BPE that no model of ours has."""
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(key) not in NONE:
            raise refuse(f"model.{key}", f"{model[key]!r:.40}")
    if model.get("dropout") not in (None, 0, 0.0):
        raise refuse("model.dropout", f"{model['dropout']!r:.40}")


def check_unknown(unknown: str, texts: list[str]) -> None:
    """Raise ModelError if the unknown piece is not among the pieces, or is white space."""
    if unknown not in texts:
        raise ModelError(f"model: the unknown token {unknown!r:.60} is not a piece")
    check_special(unknown, "model.unk_token")


def check_looked_up(ranks: list[int], normal: dict[str, bool]) -> None:
    """Raise ModelError if a whole text that is a piece would not be merged to it. ranks: of the normal pieces."""
    made = {text: rank for text, rank in zip(normal, ranks, strict=True) if rank >= 0}
    by_bytes: dict[bytes, int] = {}
    for data in map(str.encode, {sign for text in made for sign in text}):
        for size in range(2, len(data) + 1):  # the bytes of a character merge before all else
            by_bytes.setdefault(data[:size], len(by_bytes))
    first = len(by_bytes)
    by_bytes.update((text.encode(), first + rank) for text, rank in made.items())
    for text in (text for text in normal if len(text) > 1):
        if text not in made or len(merge_parts(text.encode(), by_bytes, first + made[text])) != 2:
            raise refuse("model.ignore_merges", f"true, with the piece {text!r:.60}, which merging does not make")


def read_unigram(model: dict[str, Any], added: AddedTokens, settings: TextSettings, findings: Findings) -> Pieces:
    """Pieces with their log-probabilities; an entry that is not [text, score] is a ModelError."""
    given = field(model, "vocab", list, "model", [])
    for i, entry in enumerate(given):
        if (
            type(entry) is not list
            or len(entry) != 2
            or type(entry[0]) is not str
            or type(entry[1]) not in (float, int)
        ):
            raise ModelError(f"model.vocab[{i}] is {entry!r:.80}: it must be a text and its score")
    unk_id = field(model, "unk_id", int, "model")
    if unk_id is None:
        raise refuse("model.unk_id", "no unknown piece")
    if not 0 <= unk_id < len(given):
        raise ModelError(f"model.unk_id is {unk_id}: it must be the id of one of the {len(given)} pieces")
    if settings.symbols:
        raise refuse("pre_tokenizer", "Split before a Unigram model")
    known = {text for text, _ in given}
    texts = [text for text, _ in given] + [text for text in added if text not in known]
    check_texts(texts)
    if len(known) < len(given):
        raise refuse("model.vocab", f"the piece {twice(text for text, _ in given)!r:.60}, which occurs twice")
    has_bytes = field(model, "byte_fallback", bool, "model", False)
    unknown = texts[unk_id]
    check_special(unknown, "model.unk_id")
    kinds = types_of(texts, added, unknown, has_bytes, [])
    try:
        scores = [float(score) for _, score in given] + [0.0] * (len(texts) - len(given))
    except OverflowError:  # a whole number of hundreds of digits
        scores = [inf]
    if not all(map(isfinite, scores)):
        raise ModelError("model.vocab: a score is not a finite number")
    check_lowest(scores[: len(given)], kinds)
    return Pieces("unigram", list(zip(texts, scores, kinds, strict=True)), unknown, has_bytes)


def twice(texts: Iterable[str]) -> str:
    """The first text that occurs twice."""
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return ""


def check_lowest(scores: list[float], kinds: list[int]) -> None:
    """Raise ModelError if the lowest score, which unknown characters are measured by, is that of a special piece."""
    normal = [score for score, kind in zip(scores, kinds, strict=False) if kind == NORMAL]
    if not normal:
        raise ModelError("model.vocab has no normal piece")
    if min(scores) < min(normal):
        raise refuse("model.vocab", f"a special piece with the lowest score, {min(scores)}")


def read_words(model: dict[str, Any], added: AddedTokens, settings: TextSettings, findings: Findings) -> Pieces:
    """The pieces of a model of whole words."""
    if not settings.cuts_words:
        raise refuse("pre_tokenizer", "other words than those that begin with U+2581")
    if settings.symbols:
        raise refuse("pre_tokenizer", "Split at symbols before a model of words")
    unknown = field(model, "unk_token", str, "model")
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    if unknown is None:
        raise ModelError(f"model.unk_token is {type_name(unknown)}: it must be a piece")
    check_unknown(unknown, texts)
    findings.demand(  # writing the model reports the condition
        "unknown", "model.type WordLevel: unknown words side by side are one id here and several there"
    )
    kinds = types_of(texts, added, unknown, False, [])
    entries = [
        (text, -float(i) if kind == NORMAL else 0.0, kind)
        for i, (text, kind) in enumerate(zip(texts, kinds, strict=True))
    ]
    return Pieces("word", entries, unknown)
