"""Options of `train` that exclude each other, and what keeps a model from being lossless."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE_LEVEL, SPACE, TRAINED_TYPES, type_meant
from spm_lite.near_names import near_names
from spm_lite.specs import CHOICES, WORDPIECE_ONLY, NormalizerSpec, TrainerSpec
from spm_lite.training.options.meta_pieces import SYMBOL_LISTS
from spm_lite.training.options.superword_options import check_superwords

STRICT = "strict"  # value of `lossless`: lossless with the original library too
WHITESPACE = "remove_extra_whitespaces"
SUBWORD_TYPES = ("unigram", "bpe", "byte_bpe", "wordpiece")
PATTERN_TYPES = ("byte_bpe", "bpe", "unigram")
SOME_SIZE = 8000  # in remedies
NAMED_PIECES = ("unk_piece", "bos_piece", "eos_piece", "pad_piece")


@dataclass(frozen=True)
class Loss:
    """An option that keeps a model from being lossless."""

    reason: str
    remedy: dict[str, Any]  # the same options without it


def guess(given: str, known: Iterable[str]) -> str:
    """` (did you mean ...?)` if `given` is near one or two valid names, else an empty str."""
    near = " or ".join(map(repr, near_names(given, known)))
    return f" (did you mean {near}?)" if near else ""


def check_combinations(trainer: TrainerSpec) -> None:
    """Raise OptionError for options that exclude each other, and for values that do not exist."""
    model_type = trainer.model_type
    if model_type == "byte":
        raise OptionError(
            "model_type='byte': a byte model has nothing to learn. spm_lite.byte_tokenizer() makes one",
            remedies=[{"model_type": name} for name in ("byte_bpe", "bpe", "unigram")],
        )
    if model_type not in TRAINED_TYPES:
        meant = type_meant(model_type)
        near = [meant] if meant else near_names(model_type, TRAINED_TYPES)
        hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        raise OptionError(
            f"model_type={model_type!r}{hint}: must be one of {', '.join(TRAINED_TYPES)}",
            remedies=[{"model_type": name} for name in dict.fromkeys([*near, *TRAINED_TYPES])],
        )
    is_subword = model_type in SUBWORD_TYPES
    if trainer.use_all_vocab and is_subword:
        others = other_types(trainer, "word", "char")
        raise OptionError(
            f"vocab_size='all' and model_type={model_type!r}: only word and char models can keep everything. Give a "
            f"number of pieces{or_give(others)}",
            remedies=[{"vocab_size": SOME_SIZE, "hard_vocab_limit": False}, *others],
            original="--use_all_vocab=true is valid for WORD/CHAR model.",
        )
    if trainer.pretokenization_delimiter and not is_subword:
        others = other_types(trainer, "unigram", "bpe")
        raise OptionError(
            f"pretokenization_delimiter={trainer.pretokenization_delimiter!r} and model_type={model_type!r}: only "
            f"unigram and bpe models can have one. Leave it out{or_give(others)}",
            remedies=[{"pretokenization_delimiter": ""}, *others],
        )
    if trainer.split_pattern:
        check_pattern(trainer)
    if trainer.whole_characters and model_type not in BYTE_LEVEL:
        others = other_types(trainer, "byte_bpe")
        raise OptionError(
            f"whole_characters=True and model_type={model_type!r}: pieces of these models are whole characters anyway. "
            f"Leave it out{or_give(others)}",
            remedies=[{"whole_characters": False}, *others],
        )
    for name in ("split_digits", "graphemes"):
        if not is_subword and limits_pieces(trainer, name):
            others = other_types(trainer, "unigram", "bpe", "byte_bpe")
            raise OptionError(
                f"{name}={getattr(trainer, name)} and model_type={model_type!r}: words and characters are taken whole. "
                f"Leave it out{or_give(others)}",
                remedies=[{name: False}, *others],
            )
    if trainer.auto_character_coverage:
        check_auto_coverage(trainer)
    check_superwords(trainer)
    for name, values in CHOICES.items():
        value = getattr(trainer, name)
        if value not in values:
            raise OptionError(
                f"{name}={value!r}{guess(value, values)}: must be one of {', '.join(values)}",
                remedies=[{name: other} for other in values],
            )
        if value != values[0] and model_type != "unigram" and name not in WORDPIECE_ONLY:
            others = other_types(trainer, "unigram")
            raise OptionError(
                f"{name}={value!r} and model_type={model_type!r}: only unigram models can have it. Leave it "
                f"out{or_give(others)}",
                remedies=[{name: values[0]}, *others],
            )
    if trainer.vocab_size == 0 and not trainer.use_all_vocab:
        raise OptionError("vocab_size must be given: it is the number of pieces of the model, as in vocab_size=8000")


def other_types(trainer: TrainerSpec, *model_types: str) -> list[dict[str, Any]]:
    """The changes to those model types that no other option excludes: a remedy must not lead round in a circle."""
    changed = [dataclasses.replace(trainer, model_type=name) for name in model_types]
    return [{"model_type": spec.model_type} for spec in changed if fits_its_type(spec)]


def fits_its_type(trainer: TrainerSpec) -> bool:
    """Whether every option is one that models of this type can have."""
    model_type = trainer.model_type
    choices = {name: values for name, values in CHOICES.items() if name not in WORDPIECE_ONLY}
    has_choice = any(getattr(trainer, name) != values[0] for name, values in choices.items())
    is_excluded = (
        trainer.use_all_vocab if model_type in SUBWORD_TYPES else bool(trainer.pretokenization_delimiter),
        trainer.auto_character_coverage and model_type != "bpe",
        bool(trainer.split_pattern or trainer.whole_characters) and model_type not in BYTE_LEVEL,
        has_choice and model_type != "unigram",
        model_type not in SUBWORD_TYPES and any(limits_pieces(trainer, name) for name in ("split_digits", "graphemes")),
    )
    return not any(is_excluded)


def limits_pieces(trainer: TrainerSpec, name: str) -> bool:
    """Whether an option is given that only learned pieces can keep; each digit alone is one of words and characters."""
    value = getattr(trainer, name)
    return bool(value) and not (name == "split_digits" and value is True)


def or_give(others: list[dict[str, Any]]) -> str:
    """`, or give model_type=...` for changes of the model type; empty if there are none."""
    return ", or give " + " or ".join(f"model_type={other['model_type']!r}" for other in others) if others else ""


def check_pattern(trainer: TrainerSpec) -> None:
    """Raise OptionError for a split pattern that is not read, or for a model type that takes none."""
    from spm_lite.formats.split_patterns import NAMED, named_or_given

    without: dict[str, Any] = {"split_pattern": ""}
    shown = f"split_pattern={trainer.split_pattern!r:.60}"
    if trainer.model_type not in PATTERN_TYPES:
        others = other_types(trainer, "byte_bpe")
        raise OptionError(
            f"{shown} and model_type={trainer.model_type!r}: only {', '.join(PATTERN_TYPES)} models take a pattern. "
            f"Leave it out{or_give(others)}",
            remedies=[without, *others],
        )
    try:
        named_or_given(trainer.split_pattern)
    except OptionError as error:
        reason = str(error).removeprefix(f"pattern={trainer.split_pattern!r:.80}: ")
        raise OptionError(
            f"{shown}: {reason}. Give a pattern, or one of {', '.join(NAMED)}", remedies=[without]
        ) from None


def check_auto_coverage(trainer: TrainerSpec) -> None:
    """Raise OptionError for an option that excludes character_coverage="auto"."""
    is_bytes = trainer.model_type in BYTE_LEVEL
    without: dict[str, Any] = {"character_coverage": 1.0 if is_bytes else TrainerSpec.character_coverage}
    if trainer.model_type != "bpe":
        others = other_types(trainer, "bpe")
        raise OptionError(
            f"character_coverage='auto' and model_type={trainer.model_type!r}: only bpe models can have it. Leave "
            f"it out{or_give(others)}",
            remedies=[without, *others],
        )
    if not trainer.byte_fallback:
        raise OptionError(
            "character_coverage='auto' requires byte_fallback=True: it weighs characters against the bytes that "
            "spell them. Leave out one of the two",
            remedies=[without, {"byte_fallback": True}],
            original="--auto_character_coverage requires --byte_fallback=true.",
        )
    if trainer.required_chars:
        raise OptionError(
            f"character_coverage='auto' and required_chars={trainer.required_chars!r}: give one of the two",
            remedies=[without, {"required_chars": ""}],
        )


def check_lossless(lossless: bool | str, losses: list[Loss]) -> None:
    """Raise OptionError if a model that must be lossless loses something. lossless: the option as given."""
    if losses:
        without: dict[str, Any] = {}
        for loss in losses:
            without |= loss.remedy
        # Rules bring the removal of whitespace with them.
        reasons = [loss.reason for loss in losses if not ("normalization" in without and WHITESPACE in loss.remedy)]
        raise OptionError(
            f"lossless={lossless!r} contradicts {' and '.join(reasons)}. Leave out "
            f"{'one of the two' if len(reasons) == 1 else 'the one or the others'}, or give lossless=False",
            remedies=[without, {"lossless": False}],
        )


def reasons_for_loss(
    trainer: TrainerSpec, normalizer: NormalizerSpec, denormalizer: NormalizerSpec | None
) -> list[Loss]:
    """The options that keep a model from being lossless."""
    from spm_lite.normalize.rules.strict import NAME

    losses: list[Loss] = []
    if trainer.model_type == "wordpiece":
        return [Loss("model_type='wordpiece' (spaces are in no piece)", {"model_type": "unigram"})]
    if trainer.model_type in BYTE_LEVEL:
        return losses
    is_strict = denormalizer is not None and normalizer.name == denormalizer.name == NAME
    if normalizer.has_rules and not is_strict:
        losses.append(Loss(f"normalization ({normalizer.name})", {"normalization": "identity"}))
    if denormalizer is not None and not is_strict:
        losses.append(Loss("denormalization", {"denormalization": None}))
    if normalizer.remove_extra_whitespaces:
        losses.append(Loss(f"{WHITESPACE}=True", {WHITESPACE: False}))
    if not trainer.byte_fallback:
        losses.append(Loss("byte_fallback=False", {"byte_fallback": True}))
    if trainer.model_type == "word":
        reason = "model_type='word' (an unknown word has no piece for its space)"
        losses.append(Loss(reason, {"model_type": "char" if trainer.use_all_vocab else "unigram"}))
    if trainer.treat_whitespace_as_suffix and normalizer.add_dummy_prefix:
        reason = "treat_whitespace_as_suffix=True with add_dummy_prefix=True (decoding keeps the added space)"
        losses.append(Loss(reason, {"treat_whitespace_as_suffix": False}))
    return losses + lossy_symbols(trainer, is_strict)


def lossy_symbols(trainer: TrainerSpec, is_strict: bool) -> list[Loss]:
    """The special pieces whose texts keep a model from being lossless."""
    from spm_lite.normalize.rules.strict import ESCAPE

    def why(text: str, may_have_space: bool = False) -> str:
        """What is wrong with a text; empty if nothing is."""
        if SPACE in text and (text == SPACE or not may_have_space):  # the space has a piece anyway
            return f"the symbol {text!r}, which holds {SPACE!r} (U+2581)"
        if is_strict and ESCAPE in text:
            return f"the symbol {text!r}, which holds U+F0000, the beginning of an escaped U+2581"
        return ""

    losses = []
    for name in SYMBOL_LISTS:
        symbols = getattr(trainer, name)
        # There it stands for a space of the text alone, but not where sentencepiece finds the symbol in raw text.
        may_have_space = name == "user_defined_symbols" and not is_strict
        without = {name: [text for text in symbols if not why(text, may_have_space)]}
        losses += [Loss(why(text, may_have_space), without) for text in symbols if why(text, may_have_space)]
    default = TrainerSpec()
    for name in NAMED_PIECES:
        text = getattr(trainer, name)
        if why(text):
            losses.append(Loss(why(text), {name: getattr(default, name)}))
    return losses
