"""From the `model` of a file to the pieces of one of SentencePiece's types: text, score and type of each."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.merge_loops import listed_merges, ranked_entries, scored
from spm_lite.formats.hugging_face.read_merges import NotByScores, checked_ranks, is_pair, merges_of
from spm_lite.formats.hugging_face.read_text_parts import TextSettings
from spm_lite.formats.hugging_face.read_vocabulary import (
    BYTE_TEXTS,
    AddedTokens,
    check_special,
    check_texts,
    not_one_piece,
    texts_by_id,
    types_of,
)
from spm_lite.formats.json_file import field, refuse, type_name
from spm_lite.formats.proof.conditions import Findings, spells_none
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.kinds import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, USER_DEFINED
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import Piece

AFFIXES = ("continuing_subword_prefix", "end_of_word_suffix")
MOST_AFFIX = 32  # bytes
LARGEST_FLOAT = 3.4028234663852886e38  # in single precision
SINGLE = {"near ties", "metaspace"}  # as `allow`: models that SentencePiece reads


@dataclass
class Pieces:
    """The pieces of a model, and its type."""

    model_type: str
    entries: Sequence[Piece]
    unknown: str | None
    byte_fallback: bool = False
    merges: MergeList | None = None  # None: scores say how pieces merge
    exact_scores: bytes = b""  # of Unigram: doubles of the pieces of the model; empty: scores in single precision


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
    """The pieces of a BPE model with SentencePiece's ways: of type bpe, or of type char if nothing merges.

    The model keeps the merges as a list where scores cannot say what they do.
    """
    check_dropout(model, findings)
    given = field(model, "unk_token", str, "model")
    unknown = given or None
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    # Without any byte piece byte fallback does nothing.
    has_bytes = field(model, "byte_fallback", bool, "model", False) and not {*BYTE_TEXTS}.isdisjoint(texts)
    if given == "" and not has_bytes:
        raise refuse("model.unk_token", "an empty text")
    if unknown is not None:
        check_unknown(unknown, texts)
    kinds = types_of(texts, added, unknown, has_bytes, settings.symbols)
    if settings.splits and SPACE not in texts and not has_bytes:
        raise refuse("pre_tokenizer", f"Metaspace that splits, with no piece for {SPACE!r}")
    merges = merges_of(field(model, "merges", list, "model", []))
    looks_up = field(model, "ignore_merges", bool, "model", False)
    if looks_up and settings.cuts:  # a part that the normalizer makes is looked up, too
        kinds = with_entries(kinds, len(model.get("vocab") or {}))
    if added.others:
        free_merged(texts, kinds, merges, settings.symbols)
    if looks_up and settings.steps and not settings.cuts:
        made = next((text for text, kind in zip(texts, kinds, strict=True) if kind in (CONTROL, UNKNOWN)), None)
        if made is not None:
            raise refuse(
                "model.ignore_merges", f"true, with {made!r:.60}, which the normalizer may make of other texts"
            )
    known = model.get("vocab") or {}
    for text in added.others:  # where it is no token, the model has no such character
        if len(text) == 1 and text not in known and added.rules[text]["single_word"]:
            raise refuse("added_tokens", f"{text!r}, a character with single_word that is not in the model")
        if len(text) == 1 and text not in known and rewrites(settings, added.rules[text]["normalized"]):
            raise refuse("added_tokens", f"{text!r}, a character that is not in the model, beside such a normalizer")
    for symbol in settings.symbols:
        if symbol not in texts or not (looks_up or len(symbol) == 1):  # no merge makes it, since it is not normal
            raise not_one_piece(symbol)
    try:
        if unknown is None or settings.cuts:
            raise NotByScores("no unknown piece, or a text that is cut")
        if not has_bytes and not field(model, "fuse_unk", bool, "model", False):
            raise NotByScores("each unknown character has an id of its own")
        return scored_pieces(model, texts, kinds, merges, unknown, has_bytes)
    except NotByScores:
        return listed_pieces(model, texts, kinds, merges, unknown, has_bytes, added, settings)


def free_merged(texts: list[str], kinds: list[int], merges: list[Any], symbols: list[str]) -> None:
    """Make user-defined pieces normal in `kinds` that take part in merges, unless the pre-tokenizer isolates them.

    They are added tokens that are not special. The normalizer may make one of other text, which the model then merges.
    """
    found = {text for text, kind in zip(texts, kinds, strict=True) if kind == USER_DEFINED}.difference(symbols)
    if found:
        pairs = [pair for pair in merges if is_pair(pair)]
        taken = {text for left, right in pairs for text in (left, right, left + right)} & found
        taken |= {text for text in found if len(text) == 1}
        for i, text in enumerate(texts):
            if text in taken:
                kinds[i] = NORMAL


def scored_pieces(
    model: dict[str, Any], texts: list[str], kinds: list[int], merges: list[Any], unknown: str, has_bytes: bool
) -> Pieces:
    """The pieces with scores that say how they merge. Raises NotByScores if there are none."""
    if has_affixes(model):
        raise NotByScores("pieces with a prefix or suffix")
    normal = dict.fromkeys(texts, True)
    for text, kind in zip(texts, kinds, strict=True):
        if kind != NORMAL:
            normal.pop(text, None)
    ranks = checked_ranks(merges, normal)
    if field(model, "ignore_merges", bool, "model", False):
        check_looked_up(ranks, normal)
    is_char = len(ranks) == ranks.count(-1) and all(len(text) == 1 for text in normal)
    if is_char:
        return Pieces("char", [(text, 0.0, kind) for text, kind in zip(texts, kinds, strict=True)], unknown, has_bytes)
    return Pieces("bpe", scored(texts, kinds, ranks), unknown, has_bytes)


def listed_pieces(
    model: dict[str, Any],
    texts: list[str],
    kinds: list[int],
    merges: list[Any],
    unknown: str | None,
    has_bytes: bool,
    added: AddedTokens,
    settings: TextSettings,
) -> Pieces:
    """The pieces with a list of their merges. Raises ModelError for what a list cannot say either."""
    check_listed(model, texts, kinds, settings)
    listed = merge_list(model, {text: i for i, text in enumerate(texts) if text}, merges, str.encode)
    check_roles(listed, texts, kinds, unknown, has_bytes, added)
    check_made(listed, texts, kinds, settings)
    return Pieces("bpe", ranked_entries(texts, kinds, listed), unknown, has_bytes, listed)


def check_listed(model: dict[str, Any], texts: list[str], kinds: list[int], settings: TextSettings) -> None:
    """Raise ModelError, naming it, for a component that does not go together with a list of merges."""
    has_parts = field(model, "ignore_merges", bool, "model", False) or has_affixes(model)
    if settings.splits and has_parts:
        raise refuse("pre_tokenizer", "Metaspace that splits, with ignore_merges or an affix of pieces")
    if settings.splits and BYTE not in kinds and not field(model, "unk_token", str, "model"):
        raise refuse("pre_tokenizer", "Metaspace that splits, with unknown characters that vanish")
    if has_affixes(model) and BYTE in kinds:
        raise refuse("model.byte_fallback", "true, with an affix of pieces")
    unknown = field(model, "unk_token", str, "model")
    if unknown and len(unknown) == 1:
        raise refuse("model.unk_token", f"{unknown!r}, a single character")


def merge_list(
    model: dict[str, Any], ids: dict[str, int], merges: list[Any], encode: Callable[[str], bytes | None]
) -> MergeList:
    """The list of merges of a model, and its options. encode: gives the bytes of a prefix or suffix.

    ids: text -> id. merges: as `merges_of` returns them.
    """
    prefix = field(model, "continuing_subword_prefix", str, "model") or ""
    suffix = field(model, "end_of_word_suffix", str, "model") or ""
    affixes = [encode(prefix), encode(suffix)]
    for key, text, affix in zip(AFFIXES, (prefix, suffix), affixes, strict=True):
        if affix is None or len(affix) > MOST_AFFIX:
            raise refuse(f"model.{key}", f"{text!r:.40}")
    return listed_merges(
        merges,
        ids,
        len(prefix),
        field(model, "fuse_unk", bool, "model", False),
        field(model, "ignore_merges", bool, "model", False),
        affixes[0] or b"",
        affixes[1] or b"",
    )


def check_roles(
    listed: MergeList, texts: list[str], kinds: list[int], unknown: str | None, has_bytes: bool, added: AddedTokens
) -> None:
    """Raise ModelError for a merge of a byte piece, or with the unknown piece, which unknown characters become.

    A merge may make an unknown piece that is an added token: all text that spells it becomes it before anything merges.
    """
    kept = {BYTE, UNKNOWN} if has_bytes else {UNKNOWN}
    some = {i for i, kind in enumerate(kinds) if kind in kept}
    if some.isdisjoint(listed.ids()):
        return
    for left, right, whole in listed:
        parts = (kinds[left], kinds[right])
        if BYTE in kept and BYTE in parts:
            byte = texts[left] if kinds[left] == BYTE else texts[right]
            raise refuse("model.merges", f"a merge of the byte piece {byte!r}")
        if UNKNOWN in parts or (kinds[whole] == UNKNOWN and unknown not in added.rules):
            raise refuse("model.merges", f"a merge with the unknown piece {unknown!r:.40}")


def check_made(listed: MergeList, texts: list[str], kinds: list[int], settings: TextSettings) -> None:
    """Raise ModelError for a special piece that the model makes of text which does not spell it.

    The normalizer changes a text after special tokens are found in it, and characters that vanish are found there too.
    """
    vanish = UNKNOWN not in kinds and BYTE not in kinds
    rewrites = bool(settings.charsmap or settings.rules or settings.form or settings.steps)
    gathers = listed.is_by_part() or vanish
    prefix, suffix = listed.continuing_prefix.decode(), listed.word_suffix.decode()
    used = {*listed.ids()}
    for i, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        is_rewritten = rewrites or SPACE in text
        if kind in (CONTROL, UNKNOWN) and (is_rewritten or gathers):
            is_sign = len(text.removeprefix(prefix).removesuffix(suffix)) == 1
            is_whole = listed.whole_pieces and is_rewritten and not settings.cuts  # else `report_made` names it
            if is_whole or is_sign or i in used:
                raise refuse("added_tokens", f"{text!r:.60}, which the model makes of text that does not spell it")


def has_affixes(model: dict[str, Any]) -> bool:
    """Whether pieces hold a prefix or suffix that no text does."""
    return any(field(model, key, str, "model") for key in AFFIXES)


def check_dropout(model: dict[str, Any], findings: Findings) -> None:
    """Report a model that leaves out merges at random, which no text is sure to get the same ids from twice."""
    if field(model, "dropout", float, "model", 0):
        findings.add(
            "dropout",
            f"ids without dropout: the file leaves out merges at random, with the probability {model['dropout']!r:.40}",
            lambda text: False,
        )


def check_unknown(unknown: str, texts: list[str]) -> None:
    """Raise ModelError if the unknown piece is not among the pieces, or is white space or a single character."""
    if unknown not in texts:
        raise ModelError(f"model: the unknown token {unknown!r:.60} is not a piece")
    check_special(unknown, "model.unk_token")
    if len(unknown) == 1:
        raise refuse("model.unk_token", f"{unknown!r}, a single character")


def check_looked_up(ranks: list[int], normal: dict[str, bool]) -> None:
    """Raise NotByScores if a whole text that is a piece would not be merged to it. ranks: of the normal pieces."""
    made = {text: rank for text, rank in zip(normal, ranks, strict=True) if rank >= 0}
    by_bytes: dict[bytes, int] = {}
    for data in map(str.encode, {sign for text in made for sign in text}):
        for size in range(2, len(data) + 1):  # the bytes of a character merge before all else
            by_bytes.setdefault(data[:size], len(by_bytes))
    first = len(by_bytes)
    by_bytes.update((text.encode(), first + rank) for text, rank in made.items())
    for text in (text for text in normal if len(text) > 1):
        if text not in made or len(merge_parts(text.encode(), by_bytes, first + made[text])) != 2:
            raise NotByScores(f"ignore_merges, with the piece {text!r:.60}, which merging does not make")


def read_unigram(model: dict[str, Any], added: AddedTokens, settings: TextSettings, findings: Findings) -> Pieces:
    """Pieces with their log-probabilities; an entry that is not [text, score] is a ModelError."""
    given = field(model, "vocab", list, "model", [])
    for i, entry in enumerate(given):
        if not (type(entry) is list and len(entry) == 2 and type(entry[0]) is str):
            raise wrong_entry(i, entry)
    values = [score for _, score in given]
    if not {*map(type, values)} <= {float, int}:
        raise wrong_entry(*next((i, entry) for i, entry in enumerate(given) if type(entry[1]) not in (float, int)))
    unk_id = field(model, "unk_id", int, "model")
    if unk_id is None:
        raise refuse("model.unk_id", "no unknown piece")
    if not 0 <= unk_id < len(given):
        raise ModelError(f"model.unk_id is {unk_id}: it must be the id of one of the {len(given)} pieces")
    if settings.symbols:
        raise refuse("pre_tokenizer", "Split before a Unigram model")
    texts = [text for text, _ in given]
    known = {*texts}
    texts += [text for text in added if text not in known]
    check_texts(texts, may_be_empty=False)
    if settings.splits and SPACE not in known and not field(model, "byte_fallback", bool, "model", False):
        raise refuse("pre_tokenizer", f"Metaspace that splits, with no piece for {SPACE!r}")
    if len(known) < len(given):
        raise refuse("model.vocab", f"the piece {twice(text for text, _ in given)!r:.60}, which occurs twice")
    has_bytes = field(model, "byte_fallback", bool, "model", False)
    unknown = texts[unk_id]
    check_special(unknown, "model.unk_id")
    kinds = with_entries(types_of(texts, added, unknown, has_bytes, []), len(given))
    try:
        scores = [*map(float, values)] + [0.0] * (len(texts) - len(given))
    except OverflowError:  # a whole number of hundreds of digits
        scores = [inf]
    if not all(map(isfinite, scores)):
        raise ModelError("model.vocab: a score is not a finite number")
    reserved = [*BYTE_TEXTS] * has_bytes + [unknown] * (unknown not in added.texts)
    report_reserved(reserved + looked_for_otherwise(added, settings, known), findings)
    if NORMAL not in kinds:
        raise ModelError("model.vocab has no normal piece")
    exact = array("d", scores[: len(given)]).tobytes()
    if SINGLE & {*findings.allow} and not settings.cuts and min(scores[: len(given)]) == lowest_normal(scores, kinds):
        exact = b""
    if min(scores) < -LARGEST_FLOAT or max(scores) > LARGEST_FLOAT:
        scores = [min(max(score, -LARGEST_FLOAT), LARGEST_FLOAT) for score in scores]
    entries = [*zip(texts, scores, kinds, strict=True)]
    return Pieces("unigram", entries, unknown, has_bytes, exact_scores=exact)


def looked_for_otherwise(added: AddedTokens, settings: TextSettings, known: Container[str]) -> list[str]:
    """Special tokens that are looked for in another form, and are pieces too, which their own text becomes there."""
    if not rewrites(settings):
        return []
    return [text for text in added.special if added.rules[text]["normalized"] and text in known]


def report_reserved(reserved: list[str], findings: Findings) -> None:
    """Report pieces that no text becomes here."""
    if reserved:
        findings.add(
            "reserved",
            f"no text that spells a reserved piece, such as {reserved[0]!r}, which it becomes there",
            spells_none([text.replace(SPACE, " ").strip() or text for text in reserved]),
        )


def wrong_entry(i: int, entry: object) -> ModelError:
    """The error for an entry of a Unigram model."""
    return ModelError(f"model.vocab[{i}] is {entry!r:.80}: it must be a text and its score")


def rewrites(settings: TextSettings, is_normalized: bool = True) -> bool:
    """Whether the normalizer changes texts, so that a normalized added token may be looked for in another form.

    is_normalized: False: whether it may make the token of other texts.
    """
    has_prefix = is_normalized and settings.prefix and not settings.unless_space
    return has_prefix or bool(settings.charsmap or settings.rules or settings.form or settings.steps)


def twice(texts: Iterable[str]) -> str:
    """The first text that occurs twice."""
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return ""


def with_entries(kinds: list[int], n_entries: int) -> list[int]:
    """The types of pieces, where added tokens among the first ones, which are entries of the model, match text too."""
    if USER_DEFINED not in kinds[:n_entries]:
        return kinds
    return [NORMAL if kind == USER_DEFINED and i < n_entries else kind for i, kind in enumerate(kinds)]


def lowest_normal(scores: list[float], kinds: list[int]) -> float:
    """The lowest score of a normal piece, by which SentencePiece measures unknown characters."""
    return min(score for score, kind in zip(scores, kinds, strict=True) if kind == NORMAL)


def read_words(model: dict[str, Any], added: AddedTokens, settings: TextSettings, findings: Findings) -> Pieces:
    """The pieces of a model of whole words."""
    if settings.symbols:
        raise refuse("pre_tokenizer", "Split at symbols before a model of words")
    unknown = field(model, "unk_token", str, "model")
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    if unknown is None:
        raise ModelError(f"model.unk_token is {type_name(unknown)}: it must be a piece")
    check_unknown(unknown, texts)
    report_reserved(looked_for_otherwise(added, settings, field(model, "vocab", dict, "model", {})), findings)
    kinds = types_of(texts, added, unknown, False, [])
    spaced = next((text for text in added.normalized if SPACE in text and text in added.special), None)
    if spaced is not None:
        raise refuse("added_tokens", f"{spaced!r:.60}, special and normalized, in a model of words")
    if settings.cuts:
        kinds = with_entries(kinds, len(model.get("vocab") or {}))
    else:
        findings.demand(  # writing the model reports the condition
            "unknown", "model.type WordLevel: unknown words side by side are one id here and several there"
        )
        if added.others:  # the unknown words on its two sides would be side by side here
            raise refuse("added_tokens", f"{added.others[0]!r:.60}, which is not special, in a model of words")
    entries = [
        (text, -float(i) if kind == NORMAL else 0.0, kind)
        for i, (text, kind) in enumerate(zip(texts, kinds, strict=True))
    ]
    return Pieces("word", entries, unknown)
