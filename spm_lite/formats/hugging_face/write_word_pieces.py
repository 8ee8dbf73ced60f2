"""WordPiece models in a tokenizer.json: BERT's own rules for words where the model has them."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.formats.hugging_face.components import Part, joined, split_string
from spm_lite.formats.hugging_face.entries import Entry
from spm_lite.formats.hugging_face.write_models import refuse_unused, unknown_text
from spm_lite.formats.hugging_face.write_text_rules import rules_part
from spm_lite.formats.proof.conditions import Findings
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.specs import BERT_RULES

if TYPE_CHECKING:
    from spm_lite.specs import WordRules
    from spm_lite.vocab.model_file import ModelFile


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
        "vocab": {text: i for i, (text, _, _) in enumerate(entries)},
    }
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
            "strip_accents": None,
            "lowercase": name == "bert_uncased",
        }
        return model, normalizer, {"type": "BertPreTokenizer"}
    cuts = [split_string(" ", "Removed")]
    if rules.split_by_punctuation:
        cuts.append({"type": "Punctuation", "behavior": "Isolated"})
    return model, joined("normalizer", rules_part(file.settings.normalizer)), joined("pre_tokenizer", cuts)
