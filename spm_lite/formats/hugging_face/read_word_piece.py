"""WordPiece of a file: BERT's rules for words, or the rules of our own models."""

from __future__ import annotations

import re
from operator import neg
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.components import split_string
from spm_lite.formats.hugging_face.read_cuts import read_cuts, report_made
from spm_lite.formats.hugging_face.read_pieces import check_unknown, with_entries
from spm_lite.formats.hugging_face.read_text_parts import TextSettings, add_rule, charsmap_of, flat, plain
from spm_lite.formats.hugging_face.read_vocabulary import AddedTokens, check_spaced, check_texts, texts_by_id, types_of
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.normalize.rules.named_rules import charsmap_of as charsmap_of_name
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER
from spm_lite.specs import BERT_RULES, NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import Piece

IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")
AT_SPACES = plain(split_string(" ", "Removed"))


def read_wordpiece(
    parts: dict[str, Any], model: dict[str, Any], added: AddedTokens, findings: Findings
) -> tuple[list[Piece], TrainerSpec, NormalizerSpec, tuple[tuple[str, str, bool], ...]]:
    """(pieces, training settings, rules, cuts) of a WordPiece model. Without cuts, words are those of our own rules."""
    unknown = field(model, "unk_token", str, "model")
    texts = texts_by_id(field(model, "vocab", dict, "model", {}), added)
    check_texts(texts)
    if unknown is None:
        raise ModelError("model.unk_token is missing: WordPiece needs it")
    check_unknown(unknown, texts)
    if unknown not in added.texts and unknown.isalnum():
        raise refuse("model.unk_token", f"{unknown!r:.60}, which is a word of text too")
    kinds = with_entries(types_of(texts, added, unknown, False, []), len(model.get("vocab") or {}))
    entries: list[Piece] = [*zip(texts, map(neg, map(float, range(len(texts)))), kinds, strict=True)]
    cuts: tuple[tuple[str, str, bool], ...] = ()
    try:
        normalizer, by_punctuation = read_rules(parts)
    except ModelError:
        settings = read_cuts(parts)
        name = "user_defined" if settings.steps else "identity"
        normalizer = NormalizerSpec(name, b"", False, False, False, steps=tuple(settings.steps))
        cuts, by_punctuation = settings.cuts, False
        report_made(settings, entries, added, findings)
    if unknown not in added.texts and not by_punctuation:
        findings.add(
            "reserved",
            f"no text that spells the unknown piece {unknown!r:.40}, which it becomes there",
            spells_none([unknown]),
        )
    if normalizer.name in BERT_RULES:
        check_spaced(added.normalized)
    whole = [text for text in added.normalized if added.rules[text]["single_word"]]
    if whole and normalizer.name in BERT_RULES:
        findings.add(
            "single word",
            f"no ideograph or control character beside {examples(whole)}, which changes first there",
            lambda text: IDEOGRAPH.search(text) is None and not any(map(is_control, text)),
        )
    longest = field(model, "max_input_chars_per_word", int, "model", 100)
    if longest < 0:
        raise ModelError(f"model.max_input_chars_per_word is {longest}, below 0")
    spec = TrainerSpec(
        model_type="wordpiece",
        vocab_size=len(entries),
        byte_fallback=False,
        unk_piece=unknown,
        continuation_prefix=field(model, "continuing_subword_prefix", str, "model", "##"),
        max_word_length=min(longest, 2**31 - 1),
        split_by_punctuation=by_punctuation,
    )
    return entries, spec, normalizer, cuts


def is_control(sign: str) -> bool:
    """Whether BERT may drop a character: one of Unicode's categories C."""
    import unicodedata

    return sign not in "\t\n\r" and unicodedata.category(sign)[0] == "C"


def read_rules(parts: dict[str, Any]) -> tuple[NormalizerSpec, bool]:
    """(rules for text, whether punctuation is cut) of a file."""
    rules = flat(parts.get("normalizer"), "normalizer", "normalizer")
    cuts = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    kinds = [step["type"] for step in cuts]
    if [step["type"] for step in rules] == ["BertNormalizer"] and kinds == ["BertPreTokenizer"]:
        name = bert_rules(rules[0])
        return NormalizerSpec(name, charsmap_of_name(name), False, True, True), True
    if not cuts or plain(cuts[0]) != AT_SPACES or kinds[1:] not in ([], ["Punctuation"]):
        raise refuse("pre_tokenizer", f"{', '.join(kinds) or 'none'} before WordPiece")
    if kinds[1:] and cuts[1].get("behavior", "Isolated") != "Isolated":
        raise refuse("pre_tokenizer", f"Punctuation that is {cuts[1]['behavior']!r:.40}")
    settings = TextSettings()
    if rules and rules[0]["type"] in FORMS:
        settings.form = str(rules.pop(0)["type"]) + OLDER
    for step in rules:
        own = plain(step)
        if own["type"] == "Precompiled" and len(rules) == 1:
            settings.charsmap = charsmap_of(step)
        elif own["type"] == "Replace":
            add_rule(own, settings)
        else:
            raise refuse("normalizer", f"the component {own['type']} before WordPiece")
    blob = settings.charsmap or (compile_rules(settings.rules) if settings.rules else b"")
    name = "user_defined" if blob else "identity"
    return NormalizerSpec(name, blob, False, False, True, unicode_form=settings.form), bool(kinds[1:])


def bert_rules(step: dict[str, Any]) -> str:
    """The name of BERT's rule set. Raises ModelError, naming it, for a setting that neither has."""
    place = "normalizer.BertNormalizer"
    lowercase = field(step, "lowercase", bool, place, True)
    for key in ("clean_text", "handle_chinese_chars"):
        if not field(step, key, bool, place, True):
            raise refuse(f"{place}.{key}", "false")
    strips = field(step, "strip_accents", bool, place, lowercase)
    if strips and not lowercase:
        raise refuse(f"{place}.strip_accents", "true, with lowercase false")
    return "bert_cased" if not lowercase else "bert_uncased" if strips else "bert_lowercase"
