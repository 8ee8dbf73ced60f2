"""Writing a tokenizer.json: a model as tokenizers 0.23 reads it, and what a text must meet to get the same ids."""

from __future__ import annotations

import json
from typing import Any

from spm_lite.formats.hugging_face.components import Entry, Part, entries_of, joined, metaspace
from spm_lite.formats.hugging_face.near_ties import add_near_ties
from spm_lite.formats.hugging_face.write_models import (
    BYTE_LEVEL,
    bert_rules_of,
    byte_entries,
    byte_model,
    late_parts,
    merged_model,
    unigram_model,
    word_model,
    wordpiece_model,
)
from spm_lite.formats.hugging_face.write_normalizer import (
    add_canonical_order,
    add_text_conditions,
    decoder_parts,
    form_parts,
    normalizer_parts,
    prefix_parts,
    step_parts,
)
from spm_lite.formats.hugging_face.write_special_pieces import (
    add_spelled,
    added_token,
    special_entries,
    template,
    wanted_template,
)
from spm_lite.formats.proof.conditions import Findings
from spm_lite.kinds import SPACE
from spm_lite.normalize.component_steps import is_late
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN


def tokenizer_parts(
    tok: Any,
    findings: Findings,
    *,
    bos: bool | None = None,
    eos: bool | None = None,
    match_special: bool = True,
    lists_special: bool = True,
) -> dict[str, Any]:
    """The content of a tokenizer.json.

    findings: gets the conditions. bos, eos: whether the template adds these pieces; None: as BERT does in wordpiece
    models. match_special: whether text that spells a special piece becomes it. lists_special: whether the file names
    the special tokens; if it does and they are not matched, a switch outside of the file says so.
    Raises OptionError for a model that the format cannot express.
    """
    file = tok._file
    entries = byte_entries(file) if file.vocab.is_bytes else entries_of(file.vocab)
    added = {i: text for i, (text, _, _) in enumerate(entries) if file.vocab.is_added(i)}
    found = dict(sorted((special_entries(entries) | added).items()))
    special = {i: text for i, text in found.items() if not file.vocab.is_added(i)}
    listed = {i: text for i, text in found.items() if lists_special or i not in special}
    add_spelled(file, special, match_special, tok.normalize, findings)
    normalizer, pre_tokenizer, decoder, model = components(tok, entries, findings)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(file, i, text) for i, text in listed.items()],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": template(file, *wanted_template(file, bos, eos)),
        "decoder": decoder,
        "model": model,
    }


def components(
    tok: Any, entries: list[Entry], findings: Findings
) -> tuple[Part | None, Part | None, Part | None, Part]:
    """Normalizer, pre-tokenizer, decoder and model."""
    file = tok._file
    if file.vocab.is_bytes:
        model, cut = byte_model(file, entries, findings)
        normalizer = None
        if file.settings.normalizer.precompiled_charsmap:
            normalizer = {"type": "NFC"}
            add_canonical_order(tok, findings)
        elif file.settings.normalizer.unicode_form:
            (normalizer,) = form_parts(file, findings)
        elif file.settings.normalizer.steps:
            steps = [step for step in step_parts(file)[0] if not is_late(step)]
            normalizer = joined("normalizer", steps)
            if len(steps) < len(file.settings.normalizer.steps):
                cut = {**BYTE_LEVEL, "add_prefix_space": True, "use_regex": file.vocab.split_pattern == GPT2_PATTERN}
        return normalizer, cut, BYTE_LEVEL, model
    if file.vocab.word_rules is None or bert_rules_of(file) is None:
        add_text_conditions(tok, findings)
    if file.vocab.word_rules is not None:
        model, normalizer, cut = wordpiece_model(file, entries, findings)
        rules = file.vocab.word_rules
        decoder = {"type": "WordPiece", "prefix": rules.continuation_prefix, "cleanup": rules.cleanup}
        if file.vocab.splits:
            steps, words = step_parts(file)
            normalizer, cut = joined("normalizer", steps), joined("pre_tokenizer", late_parts(file, words))
        return normalizer, cut, decoder, model
    cut = None
    if file.model_type == "unigram":
        model = unigram_model(file, entries, tok.normalize, findings)
        if not file.vocab.exact_scores:
            add_near_ties(tok, model["vocab"], findings)
    elif file.model_type == "word":
        model, cut = word_model(file, entries, tok.normalize, findings)
    else:
        model, cut = merged_model(file, entries, tok.normalize, findings)
    steps, words = step_parts(file)
    if file.vocab.splits:
        normalizer, cuts = joined("normalizer", steps), late_parts(file, words)
    elif words:
        normalizer, cuts = joined("normalizer", steps), [*words, {**metaspace(SPACE, "always"), "split": True}]
    else:
        normalizer = joined("normalizer", [*form_parts(file, findings), *steps, *normalizer_parts(file)])
        cuts = [*prefix_parts(file), *([] if cut is None else [cut])]
        if file.vocab.scores_restart:  # each word is solved alone
            *cuts, last = cuts or [metaspace(SPACE, "never")]
            cuts.append({**last, "split": True})
    return normalizer, joined("pre_tokenizer", cuts), joined("decoder", decoder_parts(file, findings)), model


def json_text(parts: dict[str, Any]) -> str:
    """The text of a tokenizer.json: a line for each part."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
