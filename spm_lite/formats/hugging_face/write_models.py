"""The `model` of a tokenizer.json for each model type, and what text must meet for its ids to be the same.

WordPiece models bring their normalizer and pre-tokenizer here; write_normalizer has that of models of text.

Models of bytes are spelled in the byte alphabet of GPT-2. WordPiece models get BERT's own rules for words if they have
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import inf, nextafter

from spm_lite._typing import TYPE_CHECKING
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.errors import OptionError
from spm_lite.formats.gpt2_files import spell
from spm_lite.formats.hugging_face.components import (
    RESERVED,
    Entry,
    Part,
    all_splits,
    entries_of,
    escaped,
    joined,
    spelled,
    split_regex,
    split_string,
    symbols_of,
    texts_of,
    unused,
)
from spm_lite.formats.hugging_face.near_ties import cut_at
from spm_lite.formats.hugging_face.write_normalizer import form_parts, rules_part
from spm_lite.formats.json_numbers import read_float
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.formats.text_splits import escaped_sign, step_of_split
from spm_lite.kinds import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.specs import BERT_RULES, NormalizerSpec

if TYPE_CHECKING:
    from spm_lite.specs import WordRules
    from spm_lite.vocab.merge_list import MergeList
    from spm_lite.vocab.model_file import ModelFile


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def byte_entries(file: ModelFile) -> list[Entry]:
    """The pieces of a model of bytes, spelled; special pieces as they are."""
    return entries_of(file.vocab, spell)


def byte_model(file: ModelFile, entries: list[Entry], findings: Findings) -> tuple[Part, Part | None]:
    """(model, pre-tokenizer) of a model of type byte_bpe or byte."""
    pattern = file.vocab.split_pattern
    rules = file.settings.normalizer.precompiled_charsmap
    if rules and rules != charsmap_of("nfc"):
        raise OptionError("a model of bytes with rules for text other than nfc: tokenizer.json is not written of it")
    symbols = [file.vocab.text(i).decode() for i, (_, _, kind) in enumerate(entries) if kind == USER_DEFINED]
    if file.vocab.merge_list is not None:
        merges = listed_merges(file.vocab.merge_list, entries)
    else:
        refuse_unused(entries, findings)
        merges = all_splits(entries) if file.model_type == "byte_bpe" else []
        add_ties(entries, merges, lambda text: spell(text.encode()), findings)
    parts = []
    if symbols:
        add_symbols(file, symbols, findings)
    if pattern is not None:
        parts.append(split_regex(spelled(pattern)))
    parts += cut_parts(file)
    if symbols:
        parts.append(split_regex("|".join(map(escaped, sorted(symbols, key=lambda text: (-len(text), text))))))
    looks_up = bool(symbols) or pattern is not None or bool(file.vocab.splits)
    if file.vocab.merge_list is not None:
        looks_up = bool(symbols) or file.vocab.merge_list.whole_pieces
    model = bpe_model(file, entries, merges, looks_up)
    if file.vocab.merge_list is None:
        model["fuse_unk"] = False
    if file.vocab.byte_fallback:
        raise OptionError("a model of bytes with byte fallback: tokenizer.json can have only one of the two")
    return model, joined("pre_tokenizer", [*parts, BYTE_LEVEL])


def cut_parts(file: ModelFile) -> list[Part]:
    """The ways in which a model cuts a text, as pre-tokenizers."""
    return [step_of_split(text, behavior, invert) for text, behavior, invert in file.vocab.splits]


def late_parts(file: ModelFile, words: list[Part]) -> list[Part]:
    """The pre-tokenizers of a model that cuts its texts. words: those among its steps; a Metaspace is the last.

    The cut before its sign, which comes first then, is its own again.
    """
    cuts = cut_parts(file)
    if not words or cuts[0] != {
        **split_regex(escaped_sign(words[-1]["replacement"]), "MergedWithNext"),
        "invert": False,
    }:
        return [*words, *cuts]
    return [*words[:-1], {**words[-1], "split": True}, *cuts[1:]]


def add_symbols(file: ModelFile, symbols: list[str], findings: Findings) -> None:
    """Report what text between user-defined symbols becomes: the piece that it is as a whole, if merging makes none."""
    normal = [i for i in range(file.vocab.size) if file.vocab.type(i) == NORMAL]
    best_first = sorted(normal, key=lambda i: (-file.vocab.score(i), i))
    ranks = {file.vocab.text(i): rank for rank, i in enumerate(best_first)}
    of_symbols = [symbol.encode() for symbol in symbols]
    found = [
        spell(piece)
        for piece, rank in ranks.items()
        if len(piece) > 1
        and (len(merge_parts(piece, ranks, rank)) != 2 or any(symbol in piece for symbol in of_symbols))
    ]
    if found:
        is_free = spells_none(found)
        findings.add(
            "whole pieces",
            f"no piece that merging does not make, such as {examples(found)}, alone between user-defined symbols",
            lambda text: is_free(spell(text.encode())),
        )
    reserved = [spell(file.vocab.text(i)) for i in range(file.vocab.size) if file.vocab.type(i) in RESERVED]
    if reserved:
        is_plain = spells_none(reserved)
        findings.add(
            "reserved",
            f"no text that spells a special piece, such as {examples(reserved)}",
            lambda text: is_plain(spell(text.encode())),
        )


def bert_rules_of(file: ModelFile) -> str | None:
    """The rule set of BERT that a model has; None: it has other rules."""
    blob = file.settings.normalizer.precompiled_charsmap
    return next((name for name in BERT_RULES if blob and charsmap_of(name) == blob), None)


def word_rules(file: ModelFile) -> WordRules:
    """The rules for words. Raises OptionError for one that tokenizer.json cannot express."""
    rules = file.vocab.word_rules
    if rules is None:
        raise OptionError(f"a model of type {file.model_type!r} has no rules for words")
    if rules.unknown_by_char:
        raise OptionError(
            "unknown='char': in tokenizer.json a word that no pieces cover is unknown as a whole. Train the model with "
            "unknown='word'"
        )
    if file.settings.normalizer.add_dummy_prefix:
        raise OptionError("a wordpiece model that puts a space before a text: tokenizer.json would cut it off")
    return rules


def wordpiece_model(file: ModelFile, entries: list[Entry], findings: Findings) -> tuple[Part, Part | None, Part | None]:
    """(model, normalizer, pre-tokenizer) of a wordpiece model."""
    rules = word_rules(file)
    unknown = unknown_text(entries)
    if unknown is None:
        raise OptionError("the model has no unknown piece, which a wordpiece model of tokenizer.json needs")
    refuse_unused(entries, findings)
    model = {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": rules.continuation_prefix,
        "max_input_chars_per_word": rules.max_word_length,
        "vocab": {text: i for i, (text, _, _) in enumerate(entries) if text},
    }
    if file.vocab.splits:
        return model, None, None
    name = bert_rules_of(file) if rules.bert_words else None
    if rules.bert_words and (name is None or not rules.split_by_punctuation):
        raise OptionError(
            "words are cut around ideographs as BERT does, but the rules for text are not BERT's, or punctuation is "
            "not cut: tokenizer.json cannot express that"
        )
    if name is not None:
        normalizer: Part | None = {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": False if name == "bert_lowercase" else None,
            "lowercase": name != "bert_cased",
        }
        return model, normalizer, {"type": "BertPreTokenizer"}
    cuts = [split_string(" ", "Removed")]
    if rules.split_by_punctuation:
        cuts.append({"type": "Punctuation", "behavior": "Isolated"})
    rules_first = [*form_parts(file, findings), *rules_part(file.settings.normalizer)]
    return model, joined("normalizer", rules_first), joined("pre_tokenizer", cuts)


Normalize = Callable[[str], str]


def unknown_text(entries: list[Entry]) -> str | None:
    """The text of the unknown piece."""
    return next((text for text, _, kind in entries if kind == UNKNOWN), None)


def bpe_model(file: ModelFile, entries: list[Entry], merges: list[tuple[str, str]], looks_up: bool) -> Part:
    """A model of type BPE. looks_up: a stretch that is a piece as a whole is that piece, whatever the merges say."""
    listed = file.vocab.merge_list
    shown = spell if file.vocab.is_bytes else bytes.decode
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown_text(entries),
        "continuing_subword_prefix": (shown(listed.continuing_prefix) if listed is not None else "") or None,
        "end_of_word_suffix": (shown(listed.word_suffix) if listed is not None else "") or None,
        "fuse_unk": True if listed is None else listed.fuse_unknown,
        "byte_fallback": file.vocab.byte_fallback,
        "ignore_merges": looks_up,
        "vocab": {text: i for i, (text, _, _) in enumerate(entries) if text},
        "merges": merges,
    }


def merged_model(
    file: ModelFile, entries: list[Entry], normalize: Normalize, findings: Findings
) -> tuple[Part, Part | None]:
    """(model, pre-tokenizer) of a model of type bpe or char."""
    symbols = symbols_of(entries, file.settings.normalizer.escape_whitespaces)
    if file.vocab.merge_list is not None:
        merges = listed_merges(file.vocab.merge_list, entries)
        if not symbols:
            return bpe_model(file, entries, merges, file.vocab.merge_list.whole_pieces), None
        add_whole_pieces(file, entries, normalize, findings)
        return bpe_model(file, entries, merges, True), split_regex("|".join(map(escaped, symbols)))
    merges = [] if file.model_type == "char" else all_splits(entries)
    refuse_unused(entries, findings)
    if file.model_type == "bpe":
        refuse_stranded(entries, normalize, findings)
        add_ties(entries, merges, normalize, findings)
    if not symbols:
        return bpe_model(file, entries, merges, False), None
    add_whole_pieces(file, entries, normalize, findings)
    return bpe_model(file, entries, merges, True), split_regex("|".join(map(escaped, symbols)))


def listed_merges(merges: MergeList, entries: list[Entry]) -> list[tuple[str, str]]:
    """Both parts of each merge of a list. Merges to unused pieces, which no text becomes, are left out."""
    never = {i for i, (_, _, kind) in enumerate(entries) if kind == UNUSED}
    return [(entries[left][0], entries[right][0]) for left, right, whole in merges if whole not in never]


def refuse_unused(entries: list[Entry], findings: Findings) -> None:
    """Refuse unused pieces: no option of tokenizer.json keeps a piece from text."""
    found = unused(entries)
    if found:
        findings.refuse(
            "unused",
            f"the model has {len(found)} unused pieces, such as {found[0]!r:.40}, which tokenizer.json cannot express",
        )


def refuse_stranded(entries: list[Entry], normalize: Normalize, findings: Findings) -> None:
    """Refuse pieces with a character that is not a piece: they can be merged here, and not there."""
    characters = {text for text in texts_of(entries, NORMAL, USER_DEFINED) if len(text) == 1}
    found = [text for text in texts_of(entries, NORMAL) if len(text) > 1 and not characters.issuperset(text)]
    if found:
        is_free = spells_none(found)
        findings.refuse(
            "stranded",
            f"the pieces {examples(found)} have characters that are not pieces themselves, so tokenizers never gives "
            "them",
            lambda text: is_free(normalize(text)),
        )


def add_ties(entries: list[Entry], merges: Iterable[tuple[str, str]], normalize: Normalize, findings: Findings) -> None:
    """Report mergeable pieces with one score: the place decides between them here, and the rank there."""
    by_score: dict[float, list[str]] = defaultdict(list)
    scores = {text: score for text, score, kind in entries if kind == NORMAL}
    for text in dict.fromkeys(left + right for left, right in merges):
        by_score[scores[text]].append(text)
    groups = [texts for texts in by_score.values() if len(texts) > 1 and not are_all_runs(texts)]
    if not groups:
        return

    def is_met(text: str) -> bool:
        normalized = normalize(text)
        return all(sum(piece in normalized for piece in group) < 2 for group in groups)

    findings.add("ties", f"no two of the pieces with one score, such as {examples(groups[0])}", is_met)


def are_all_runs(texts: list[str]) -> bool:
    """Whether texts are the runs of one character in all lengths from 2 on: which of them merges does not matter."""
    return len(set("".join(texts))) == 1 and sorted(map(len, texts)) == list(range(2, len(texts) + 2))


def plain_encoder(file: ModelFile) -> Callable[[str], list[int]]:
    """What encodes normalized text: no rule changes it, and nothing is added."""
    spec = NormalizerSpec(add_dummy_prefix=False, remove_extra_whitespaces=False)
    normalizer = make_normalizer(spec, may_be_compact=file.vocab.is_well_formed)
    encoder = Encoder(normalizer, make_segmenter(file.vocab, file.model_type, normalizer.compact), 0)
    return lambda text: encoder.encode(text.replace(SPACE, " "))


def add_whole_pieces(file: ModelFile, entries: list[Entry], normalize: Normalize, findings: Findings) -> None:
    """Report what text between two user-defined symbols becomes there: the piece that it is as a whole."""
    encode = plain_encoder(file)
    found = [text for i, (text, _, kind) in enumerate(entries) if kind == NORMAL and encode(text) != [i]]
    if found:
        is_free = spells_none(found)
        findings.add(
            "whole pieces",
            f"no piece that merging does not make, such as {examples(found)}, alone between user-defined symbols",
            lambda text: is_free(normalize(text)),
        )
    reserved = texts_of(entries, *RESERVED)
    is_plain = spells_none(reserved)
    findings.add(
        "reserved",
        f"no text that spells a special or byte piece, such as {examples(reserved)}",
        lambda text: is_plain(text) and is_plain(normalize(text)),
    )


def unigram_model(file: ModelFile, entries: list[Entry], normalize: Normalize, findings: Findings) -> Part:
    """The model of type unigram. findings: the conditions under which ids are equal are added."""
    refuse_unused(entries, findings)
    unk_id = next((i for i, (_, _, kind) in enumerate(entries) if kind == UNKNOWN), None)
    if unk_id is None:
        raise OptionError("the model has no unknown piece, which a unigram model of tokenizer.json needs")
    normal = [score for _, score, kind in entries if kind == NORMAL]
    if not normal:
        raise OptionError(
            "the model has no normal piece, so tokenizer.json cannot express what an unknown character costs"
        )
    exact = memoryview(file.vocab.exact_scores).cast("d")
    lowest = min(exact) if exact else min(normal)

    def score_of(text: str, score: float, kind: int) -> float:
        if kind == USER_DEFINED:
            return as_float32(0.1 * (len(text.encode()) - 1))
        # Any smaller score of a reserved piece would change the cost of unknown characters.
        return score if kind == NORMAL else lowest

    if file.vocab.byte_fallback:
        is_free = spells_none(texts_of(entries, BYTE))
        findings.add(
            "reserved",
            f"no text that spells a byte piece, such as {texts_of(entries, BYTE)[0]!r}",
            lambda text: is_free(normalize(text)),
        )
    return {
        "type": "Unigram",
        "unk_id": unk_id,
        "vocab": [
            (text, written_score(exact[i]) if i < len(exact) else score_of(text, score, kind))
            for i, (text, score, kind) in enumerate(entries)
        ],
        "byte_fallback": file.vocab.byte_fallback,
    }


def written_score(score: float) -> float:
    """The number to write so that the package tokenizers reads a score: its parser may miss the last bit."""
    for near in (score, nextafter(score, inf), nextafter(score, -inf)):
        if read_float(repr(near)) == score:
            return near
    return score


def as_float32(number: float) -> float:
    import struct

    found: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return found


def word_model(
    file: ModelFile, entries: list[Entry], normalize: Normalize, findings: Findings
) -> tuple[Part, Part | None]:
    """(model, pre-tokenizer) of a word model. findings: the conditions under which ids are equal are added."""
    if file.vocab.byte_fallback:
        raise OptionError(
            "a word model with byte fallback: tokenizer.json has no bytes for unknown words. Train it with "
            "byte_fallback=False"
        )
    unknown = unknown_text(entries)
    if unknown is None:
        raise OptionError("the model has no unknown piece, which a word model of tokenizer.json needs")
    refuse_unused(entries, findings)
    known = {text for text, _, kind in entries if kind not in (UNKNOWN, UNUSED)}
    added = [file.vocab.text(token[0]).decode() for token in file.settings.added_tokens]
    is_free = spells_none({*added, *(form for form in (normalize(text).strip(SPACE) for text in added) if form)})

    between = cut_at(texts_of(entries, CONTROL, UNKNOWN))

    def is_apart(normalized: str) -> bool:
        are_unknown = [word not in known for word in words_of(normalized)]
        return not any(one and next_one for one, next_one in pairwise(are_unknown))

    def is_met(text: str) -> bool:
        if not is_free(text) or not is_free(normalize(text)):
            return False  # an added token is found within a word, and leaves parts of it
        parts = [normalize(part) for part in between(text)]  # where special tokens are allowed
        return is_apart(normalize(text)) and all(is_apart(part) and is_apart(part.lstrip(SPACE)) for part in parts)

    model = {
        "type": "WordLevel",
        "vocab": {text: i for i, (text, _, _) in enumerate(entries) if text},
        "unk_token": unknown,
    }
    if file.vocab.splits:
        return model, None
    findings.add("unknown words", "no two unknown words side by side", is_met)
    return model, split_string(SPACE, "MergedWithNext")


def words_of(normalized: str) -> list[str]:
    """The words of a normalized text: U+2581 begins each, also where it is written at the end of words."""
    first, *others = normalized.split(SPACE)
    return [word for word in (first, *(SPACE + part for part in others)) if word]
