"""Options of model types that SentencePiece lacks: which have no meaning there, and the ids of special pieces."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE_LEVEL, CONTROL, FAMILIES
from spm_lite.specs import WORDPIECE_ONLY, TrainerSpec
from spm_lite.training.options.meta_pieces import LAST, last_pieces

NO_CHARACTERS = "each of the 256 bytes is a piece, so there is no text that the pieces do not cover"
NO_RULES = "the text is taken as it is"
ALWAYS = "the pieces are bytes of the text, so nothing is ever lost"
NO_SPACES = "text is cut into words at spaces, which are in no piece"
BY_WORDS = "words are cut at spaces and, with split_by_punctuation, at punctuation"
NO_BYTES = "a word that no pieces cover is unknown"
OPTIONS: dict[str, dict[str, tuple[Any, str]]] = {  # type -> option -> its value anyway, and why it has no other
    "byte_bpe": {
        "character_coverage": (1.0, NO_CHARACTERS),
        "required_chars": ("", NO_CHARACTERS),
        "byte_fallback": (False, NO_CHARACTERS),
        "unk_id": (-1, NO_CHARACTERS),
        "unk_piece": (TrainerSpec.unk_piece, NO_CHARACTERS),
        "unk_surface": (TrainerSpec.unk_surface, NO_CHARACTERS),
        "normalization": ("identity", NO_RULES),
        "denormalization": (None, NO_RULES),
        "add_dummy_prefix": (False, NO_RULES),
        "remove_extra_whitespaces": (False, NO_RULES),
        "lossless": (True, ALWAYS),
    },
    "wordpiece": {
        "byte_fallback": (False, NO_BYTES),
        "user_defined_symbols": ((), "name special pieces as control_symbols, and allow them where you encode"),
        "unk_surface": (TrainerSpec.unk_surface, "the unknown piece decodes to its name"),
        "denormalization": (None, "decoding joins words by spaces"),
        "lossless": (False, NO_SPACES),
        "add_dummy_prefix": (False, NO_SPACES),
        "remove_extra_whitespaces": (True, NO_SPACES),
        "treat_whitespace_as_suffix": (False, NO_SPACES),
        "allow_whitespace_only_pieces": (True, NO_SPACES),
        "split_by_whitespace": (True, BY_WORDS),
        "split_by_unicode_script": (True, BY_WORDS),
        "split_by_number": (True, BY_WORDS),
        "split_digits": (False, BY_WORDS),
    },
}
WORDPIECE_NAMES: dict[str, Any] = {  # the special pieces of BERT, unless others are given
    "pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3, "control_symbols": ("[MASK]",),
    "pad_piece": "[PAD]", "unk_piece": "[UNK]", "bos_piece": "[CLS]", "eos_piece": "[SEP]",
}  # fmt: skip
WITH_PATTERN: dict[str, Any] = {  # where a split pattern says what a piece may be, unless others are given
    "split_by_unicode_script": False, "split_by_whitespace": False, "split_by_number": False,
    "max_sentencepiece_length": 512,
}  # fmt: skip
OF_TRAINING = ("normalization", "denormalization", "lossless")  # arguments of `train` that are not fields of a spec


def family_options(model_type: Any, asked: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a training as given, with the values that its model type has anyway.

    arguments: the given ones of OF_TRAINING. Raises OptionError for an option without a meaning.
    """
    if model_type != "wordpiece":
        check_no_words(model_type, asked)
    with_pattern = WITH_PATTERN if asked.get("split_pattern") else {}
    if model_type not in OPTIONS:
        return {**with_pattern, **asked}
    for name, value in {**arguments, **asked}.items():
        if name in OPTIONS[model_type] and value != OPTIONS[model_type][name][0]:
            anyway, reason = OPTIONS[model_type][name]
            raise OptionError(
                f"{name}={value!r:.80} has no meaning for model_type={model_type!r}: {reason}. Leave it out",
                remedies=[{name: None if name in OF_TRAINING else anyway}],
            )
    anyway = {name: value for name, (value, _) in OPTIONS[model_type].items() if name not in OF_TRAINING}
    given = dict(asked)
    if model_type == "byte_bpe":  # a share of all characters that float32 cannot hold would look like an option
        del anyway["character_coverage"]
        given.pop("character_coverage", None)
    return {**anyway, **(WORDPIECE_NAMES if model_type == "wordpiece" else with_pattern), **given}


def check_no_words(model_type: Any, asked: Mapping[str, Any]) -> None:
    """Raise OptionError for an option of WordPiece that was given for another model type."""
    for name in WORDPIECE_ONLY:
        default = getattr(TrainerSpec, name)
        if asked.get(name, default) != default:
            raise OptionError(
                f"{name}={asked[name]!r:.60} and model_type={model_type or 'unigram'!r}: only wordpiece models can "
                "have it. Leave it out",
                remedies=[{name: default}],
            )


def check_family(spec: TrainerSpec, asked: Mapping[str, Any]) -> TrainerSpec:
    """The spec with the ids of its special pieces, which come last. Raises OptionError if other ids were asked."""
    if spec.model_type not in BYTE_LEVEL:
        return spec
    for name in (*LAST, "unk"):
        text = getattr(spec, f"{name}_piece")
        if len(text.encode()) == 1:
            raise OptionError(
                f"{name}_piece={text!r} is a byte piece as well: give another text",
                remedies=[{f"{name}_piece": getattr(TrainerSpec, f"{name}_piece")}],
            )
    for option in ("control_symbols", "user_defined_symbols"):
        symbols = getattr(spec, option)
        for text in symbols:
            if len(text.encode()) == 1:
                raise OptionError(
                    f"{option} holds {text!r}, which is a byte piece as well: leave it out",
                    remedies=[{option: [other for other in symbols if other != text]}],
                )
    for name in LAST:
        wanted = asked.get(f"{name}_id", -1)
        if wanted != -1:
            raise OptionError(
                f"{name}_id={wanted}: special pieces come after the merges in {spec.model_type} models, so their ids "
                f"cannot be chosen. Leave it out{as_symbol(spec, name)}; -1 means no such piece",
                remedies=[{f"{name}_id": -1}],
            )
    return with_last_ids(spec, spec.vocab_size)


def as_symbol(spec: TrainerSpec, name: str) -> str:
    """How to have a special piece that models of this type lack by default, in words."""
    if getattr(TrainerSpec, f"{name}_id") >= 0:
        return ""
    return f", and name {getattr(spec, f'{name}_piece')!r} among control_symbols"


def with_last_ids(spec: TrainerSpec, vocab_size: int) -> TrainerSpec:
    """The spec of a model of `vocab_size` pieces, with its bos_id, eos_id and pad_id; -1: there is no such piece."""
    pieces = last_pieces(spec)
    first = max(vocab_size - len(pieces), 0)  # where there is no room, `check_room` counts them
    ids = {piece.text: first + i for i, piece in enumerate(pieces) if piece.type == CONTROL}
    return dataclasses.replace(
        spec,
        vocab_size=vocab_size,
        bos_id=ids.get(spec.bos_piece, -1),
        eos_id=ids.get(spec.eos_piece, -1),
        pad_id=ids.get(spec.pad_piece, -1),
    )


def check_no_reference(spec: TrainerSpec, reference_rules: bool) -> None:
    """Raise OptionError if the original's rules are wanted for what the original lacks."""
    if reference_rules and spec.min_count > 1:
        raise OptionError(
            f"reference_rules=True and min_count={spec.min_count}: sentencepiece has no such limit; give one of them",
            remedies=[{"reference_rules": False}, {"min_count": 1}],
        )
    if reference_rules and spec.graphemes:
        raise OptionError(
            "reference_rules=True and graphemes=True: sentencepiece knows no grapheme clusters; give one of them",
            remedies=[{"reference_rules": False}, {"graphemes": False}],
        )
    if reference_rules and spec.superwords is not None:
        raise OptionError(
            "reference_rules=True and superwords: sentencepiece has no second stage; give one of them",
            remedies=[{"reference_rules": False}, {"superwords": None}],
        )
    if reference_rules and spec.split_pattern:
        raise OptionError(
            f"reference_rules=True and split_pattern={spec.split_pattern!r:.60}: sentencepiece has no patterns; give "
            "one of them",
            remedies=[{"reference_rules": False}, {"split_pattern": ""}],
        )
    if reference_rules and not isinstance(spec.split_digits, bool):
        raise OptionError(
            f"reference_rules=True and split_digits={spec.split_digits}: for sentencepiece, each digit is a piece or "
            "digits are as other characters; give one of them",
            remedies=[{"reference_rules": False}, {"split_digits": False}],
        )
    if reference_rules and spec.model_type in FAMILIES:
        raise OptionError(
            f"reference_rules=True has no meaning for model_type={spec.model_type!r}: sentencepiece has no such "
            "models. Leave it out",
            remedies=[{"reference_rules": False}],
        )
