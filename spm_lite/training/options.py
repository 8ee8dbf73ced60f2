"""Check the options of `train`: names, types, ranges, and contradictions between them."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeAlias

from spm_lite.arguments import as_iterable
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError
from spm_lite.kinds import MODEL_TYPES, SPACE
from spm_lite.specs import CHOICES, NormalizerSpec, TrainerSpec

Rules: TypeAlias = str | os.PathLike[str] | Mapping[str, str] | Iterable[tuple[str, str]]

MAX_PIECE_SIZE = 7999  # bytes: the original refuses a model with a longer piece
LARGEST = 2**31 - 1
RANGES: dict[str, tuple[float, float]] = {
    "vocab_size": (1, LARGEST),
    "character_coverage": (0.98, 1.0),
    "input_sentence_size": (0, LARGEST),
    "seed_sentencepiece_size": (0, LARGEST),
    "shrinking_factor": (0.5, 0.95),
    "num_sub_iterations": (1, 10),
    "max_sentence_length": (10, 2**30),
    "max_sentencepiece_length": (1, 512),
    "unk_id": (-1, LARGEST),
    "bos_id": (-1, LARGEST),
    "eos_id": (-1, LARGEST),
    "pad_id": (-1, LARGEST),
    "num_threads": (1, 1024),
    "seed": (-(2**63), 2**64 - 1),
}
NORMALIZER_OPTIONS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
STRICT = "strict"  # value of `lossless`: lossless with the original library too
TRAINER_FIELDS = {field.name: field for field in dataclasses.fields(TrainerSpec)}
TYPES = {"bool": bool, "int": int, "float": (int, float), "str": str, "int | None": (int, type(None))}


@dataclasses.dataclass(frozen=True)
class Options:
    """All options of a training, checked."""

    trainer: TrainerSpec
    normalizer: NormalizerSpec
    denormalizer: NormalizerSpec | None
    notes: tuple[str, ...]  # decisions made for the user, in words


def check_options(
    normalization: Rules = "identity",
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    **options: Any,
) -> Options:
    """The specs of these options. Raises OptionError (wrong type: ArgumentTypeError) naming option and value."""
    check_names(options)
    asked = {name: check_value(name, value) for name, value in options.items()}
    normalizer = normalizer_spec(normalization, asked)
    denormalizer = None
    if denormalization is not None:
        name, blob = compiled(denormalization, "denormalization")
        denormalizer = NormalizerSpec(name, blob, False, False, False)
    if lossless == STRICT:
        normalizer, denormalizer = escaped(normalizer, denormalizer)
    trainer = TrainerSpec(**{name: value for name, value in asked.items() if name in TRAINER_FIELDS})
    return check_specs(trainer, normalizer, denormalizer, lossless)


def check_fields(trainer: TrainerSpec) -> None:
    """Raise OptionError, or ArgumentTypeError, for a field of a spec with a wrong value, as `check_options` does."""
    for name in TRAINER_FIELDS:
        check_value(name, getattr(trainer, name))


def check_specs(
    trainer: TrainerSpec,
    normalizer: NormalizerSpec,
    denormalizer: NormalizerSpec | None,
    lossless: bool | str | None,
) -> Options:
    """The Options of specs whose single fields are checked already. Raises OptionError for a contradiction."""
    check_combinations(trainer)
    if lossless is not None and not isinstance(lossless, bool) and lossless != STRICT:
        raise ArgumentTypeError(f"lossless={lossless!r:.80}: must be True, False, None or {STRICT!r}")
    losses = reasons_for_loss(trainer, normalizer, denormalizer)
    if lossless and losses:
        raise OptionError(f"lossless={lossless!r} contradicts {losses[0]}")
    notes = tuple(
        f"the symbol {text!r} holds a space, so it stands in no text: write {text.replace(' ', SPACE)!r}"
        for text in trainer.user_defined_symbols
        if " " in text
    )
    if lossless is None and losses:
        notes += (f"not lossless, because of {', '.join(losses)}",)
    return Options(
        dataclasses.replace(trainer, lossless=not losses if lossless is None else bool(lossless)),
        normalizer,
        denormalizer,
        notes,
    )


def escaped(normalizer: NormalizerSpec, denormalizer: NormalizerSpec | None) -> tuple[NormalizerSpec, NormalizerSpec]:
    """The normalizer and denormalizer of a strict model. Raises OptionError if the user gave other rules."""
    from spm_lite.normalize.rules.strict import strict_denormalizer, strict_normalizer

    if normalizer.precompiled_charsmap:
        raise OptionError(f"lossless={STRICT!r} contradicts normalization ({normalizer.name}): it has rules of its own")
    if denormalizer is not None:
        raise OptionError(f"lossless={STRICT!r} contradicts denormalization: it has rules of its own")
    asked = {name: getattr(normalizer, name) for name in NORMALIZER_OPTIONS}
    return dataclasses.replace(strict_normalizer(), **asked), strict_denormalizer()


def check_names(options: Iterable[str]) -> None:
    """Raise OptionError for an option that does not exist, with the nearest valid name."""
    known = sorted({*TRAINER_FIELDS, *NORMALIZER_OPTIONS} - {"lossless"})
    others = ["normalization", "denormalization", "lossless", "seed", "num_threads", "memory_limit", "progress"]
    others += ["input_format", "separator", "keep_newlines", "checkpoint", "keep_checkpoint", "reference_rules"]
    for name in options:
        if name not in known:
            raise OptionError(f"there is no option {name!r}{guess(name, known + others)}; see `spm-lite train --help`")


def guess(given: str, known: Iterable[str]) -> str:
    """` (did you mean ...?)` if `given` is near a valid name, else an empty str."""
    near = difflib.get_close_matches(given.lower(), list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_value(name: str, value: Any) -> Any:
    """The value of one option, checked for type and range; an iterable of symbols becomes a tuple."""
    kind = str(TRAINER_FIELDS[name].type) if name in TRAINER_FIELDS else "bool"
    if kind.startswith("tuple"):
        if isinstance(value, str):
            raise ArgumentTypeError(f"{name}={value!r:.80}: must be a list of str, such as {name}=[{value!r:.80}]")
        value = tuple(as_iterable(value, name, f"a list of str, such as {name}=['<sep>']"))
        for symbol in value:
            if not isinstance(symbol, str) or not symbol:
                raise ArgumentTypeError(f"{name} holds {symbol!r}: every symbol must be a str that is not empty")
            check_text(name, symbol)
            check_piece(name, symbol)
        return value
    value = plain(value)
    check_type(name, value, TYPES[kind], kind)
    if isinstance(value, str):
        check_text(name, value)
        if name.endswith("_piece"):
            check_piece(name, value)
    check_range(name, value)
    return value


def plain(value: Any) -> Any:
    """A number of another library, such as numpy, as a Python number; anything else unchanged."""
    if isinstance(value, Integral) and not isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, (int, float)) else value


def check_type(name: str, value: Any, types: Any, kind: str) -> None:
    """Raise ArgumentTypeError unless the value is of one of the types; a bool does not count as a number."""
    if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
        raise ArgumentTypeError(f"{name}={value!r}: must be {kind}, not {type(value).__name__}")


def checked_int(name: str, value: Any, kind: str = "int") -> int:
    """An integer argument of `train` as an int. Raises ArgumentTypeError, or OptionError if it is out of range."""
    number = plain(value)
    check_type(name, number, int, kind)
    check_range(name, number)
    return int(number)


def check_flags(**flags: Any) -> None:
    """Raise ArgumentTypeError unless all these arguments of `train` are bool."""
    for name, value in flags.items():
        check_type(name, value, bool, "bool")


def check_text(name: str, text: str) -> None:
    """Raise OptionError if a text holds a lone surrogate."""
    for position, character in enumerate(text):
        if 0xD800 <= ord(character) <= 0xDFFF:
            raise OptionError(f"{name}={text!r} holds a lone surrogate at position {position}: leave it out")


def check_piece(name: str, text: str) -> None:
    """Raise OptionError for a text that a piece cannot have: empty, too long, or with a NUL."""
    size = len(text.encode())
    if size == 0:
        raise OptionError(f"{name}='': must not be empty")
    if size > MAX_PIECE_SIZE:
        raise OptionError(f"{name} holds a text of {size} bytes: {MAX_PIECE_SIZE} is the limit of a piece")
    if "\0" in text:
        raise OptionError(f"{name} holds {text!r}: a piece must not include U+0000")


def check_range(name: str, value: Any) -> None:
    """Raise OptionError for a number outside its range, naming the range."""
    if value is None or name not in RANGES:
        return
    low, high = RANGES[name]
    if not low <= value <= high:
        raise OptionError(f"{name}={value}: must be {low}..{high}")
    if name == "input_sentence_size" and 0 < value <= 100:
        raise OptionError(f"{name}={value}: must be 0 (all lines) or above 100")


def normalizer_spec(normalization: Rules, asked: Mapping[str, Any]) -> NormalizerSpec:
    """The normalizer of these options. By default it removes extra whitespace only if its rules are lossy anyway."""
    name, blob = compiled(normalization, "normalization")
    given = {option: asked[option] for option in NORMALIZER_OPTIONS if option in asked}
    given.setdefault("remove_extra_whitespaces", bool(blob))
    if not given.get("escape_whitespaces", True):
        raise OptionError("escape_whitespaces=False: must be True for every model type")
    return NormalizerSpec(name, blob, **given)


def compiled(rules: Rules, option: str) -> tuple[str, bytes]:
    """The name and the compiled form of rules, given as a name, the path of a table, or (source, target) pairs."""
    from spm_lite.normalize.rules.named import RULE_SETS, charsmap_of, compile_rules, load_rules

    if isinstance(rules, str) and rules in RULE_SETS:
        return rules, charsmap_of(rules, option)
    if isinstance(rules, str) and not is_file_name(rules):
        if rules.endswith(".tsv") or os.sep in rules:
            raise MissingFileError(f"{option}: no file {rules!r:.200}")
        charsmap_of(rules, option)  # raises an error with the nearest name
    if isinstance(rules, str | os.PathLike):
        return "user_defined", compile_rules(load_rules(rules, option), option)
    if isinstance(rules, bytes | bytearray | memoryview) or not isinstance(rules, Iterable):
        raise ArgumentTypeError(f"{option}={rules!r:.80}: must be a name, a path, or (source, target) pairs")
    rules = rules if isinstance(rules, Mapping) else as_iterable(rules, option, "(source, target) pairs", False)
    return "user_defined", compile_rules(rules, option)


def is_file_name(name: str) -> bool:
    """Whether a file or folder of this name exists."""
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):  # too long, or not possible in a path
        return False


def check_combinations(trainer: TrainerSpec) -> None:
    """Raise OptionError for options that exclude each other, and for values that do not exist."""
    if trainer.model_type not in MODEL_TYPES:
        raise OptionError(
            f"model_type={trainer.model_type!r}{guess(trainer.model_type, MODEL_TYPES)}: there are "
            f"{', '.join(MODEL_TYPES)}"
        )
    is_subword = trainer.model_type in ("unigram", "bpe")
    if trainer.use_all_vocab and is_subword:
        raise OptionError(
            f"use_all_vocab=True and model_type={trainer.model_type!r}: "
            "--use_all_vocab=true is valid for WORD/CHAR model."
        )
    if trainer.pretokenization_delimiter and not is_subword:
        raise OptionError(
            f"pretokenization_delimiter={trainer.pretokenization_delimiter!r} and "
            f"model_type={trainer.model_type!r}: only unigram and bpe models can have one"
        )
    if trainer.auto_character_coverage:
        if trainer.model_type != "bpe":
            raise OptionError(
                f"auto_character_coverage=True and model_type={trainer.model_type!r}: only bpe models can have it"
            )
        if not trainer.byte_fallback:
            raise OptionError(
                "auto_character_coverage=True and byte_fallback=False: "
                "--auto_character_coverage requires --byte_fallback=true."
            )
        if trainer.required_chars:
            raise OptionError(
                f"auto_character_coverage=True and required_chars={trainer.required_chars!r}: give one of the two"
            )
    for name, values in CHOICES.items():
        value = getattr(trainer, name)
        if value not in values:
            raise OptionError(f"{name}={value!r}{guess(value, values)}: there are {', '.join(values)}")
        if value != values[0] and trainer.model_type != "unigram":
            raise OptionError(
                f"{name}={value!r} and model_type={trainer.model_type!r}: only unigram models can have it"
            )
    if trainer.vocab_size == 0 and not trainer.use_all_vocab:
        raise OptionError("vocab_size must be given: how many pieces the model shall have")


def reasons_for_loss(
    trainer: TrainerSpec, normalizer: NormalizerSpec, denormalizer: NormalizerSpec | None
) -> list[str]:
    """The options, in words, that keep a model from being lossless."""
    from spm_lite.normalize.rules.strict import ESCAPE, NAME

    reasons = []
    is_strict = denormalizer is not None and normalizer.name == denormalizer.name == NAME
    if normalizer.precompiled_charsmap and not is_strict:
        reasons.append(f"normalization ({normalizer.name})")
    if denormalizer is not None and not is_strict:
        reasons.append("denormalization")
    if normalizer.remove_extra_whitespaces:
        reasons.append("remove_extra_whitespaces=True")
    if not trainer.byte_fallback:
        reasons.append("byte_fallback=False")
    if trainer.model_type == "word":
        reasons.append("model_type='word' (an unknown word has no piece for its space)")
    if trainer.treat_whitespace_as_suffix and normalizer.add_dummy_prefix:
        reasons.append("treat_whitespace_as_suffix=True with add_dummy_prefix=True (decoding keeps the added space)")
    named = (trainer.unk_piece, trainer.bos_piece, trainer.eos_piece, trainer.pad_piece)
    for text in (*trainer.user_defined_symbols, *trainer.control_symbols, *named):
        if SPACE in text:
            reasons.append(f"the symbol {text!r}, which holds {SPACE!r} (U+2581)")
        elif is_strict and ESCAPE in text:
            reasons.append(f"the symbol {text!r}, which holds U+F0000, the beginning of an escaped U+2581")
    return reasons
