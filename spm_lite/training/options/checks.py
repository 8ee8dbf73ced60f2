"""Check the options of `train`: names, types, ranges, and contradictions between them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from spm_lite.arguments import as_iterable, as_python, number_in
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError, RemediableError
from spm_lite.kinds import BYTE_LEVEL, SPACE
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.training.options.contradictions import STRICT, check_combinations, check_lossless, guess, reasons_for_loss
from spm_lite.training.options.families import check_family, family_options
from spm_lite.training.options.other_names import OLD_OPTIONS, pointer
from spm_lite.training.options.superword_options import as_superwords

if TYPE_CHECKING:
    from spm_lite.normalize.normalizer import Normalizer

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
    "split_digits": (2, 512),
    "min_count": (1, LARGEST),
    "max_word_length": (1, LARGEST),
    "max_length": (1, 512),
    "coverage": (0.98, 1.0),
    "unk_id": (-1, LARGEST),
    "bos_id": (-1, LARGEST),
    "eos_id": (-1, LARGEST),
    "pad_id": (-1, LARGEST),
    "num_threads": (1, 1024),
    "seed": (-(2**63), 2**64 - 1),
}
OTHER_ARGUMENTS = (  # of `train`, beside the fields of its specs
    "normalization", "denormalization", "lossless", "seed", "num_threads", "memory_limit", "progress", "input_format",
    "column", "newline", "separator", "paragraphs", "on_error", "delimiter", "quoting", "encoding", "max_unpacked",
    "checkpoint", "reference_rules", "weights", "temperature", "share_of", "balance", "parallel", "targets",
    "target_unit", "price", "parity",
)  # fmt: skip
NORMALIZER_OPTIONS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
TRAINER_FIELDS = {field.name: field for field in dataclasses.fields(TrainerSpec)}
FLAGS = {  # options that are True or False
    *(name for name, field in TRAINER_FIELDS.items() if field.type == "bool"), *NORMALIZER_OPTIONS,
    "split_digits", "lossless", "paragraphs", "reference_rules",
}  # fmt: skip
DEFAULTS: dict[str, Any] = {
    **{field.name: field.default for field in dataclasses.fields(NormalizerSpec)},
    **{field.name: field.default for field in TRAINER_FIELDS.values()},
    "seed": 0,
    "num_threads": None,
    "max_length": None,
    "coverage": 0.9995,
}
TYPES = {
    "bool": bool,
    "bool | int": (bool, int),
    "int": int,
    "float": (int, float),
    "str": str,
    "int | None": (int, type(None)),
}


@dataclasses.dataclass(frozen=True)
class Options:
    """All options of a training, checked."""

    trainer: TrainerSpec
    normalizer: NormalizerSpec
    denormalizer: NormalizerSpec | None
    notes: tuple[str, ...]  # decisions made for the user, in words
    must_be_lossless: bool = False  # the user asked for it

    def text_normalizer(self) -> Normalizer:
        """What normalizes the texts of the training."""
        from spm_lite.normalize.from_settings import make_normalizer

        return make_normalizer(
            self.normalizer,
            may_be_compact=True,
            whitespace_as_suffix=self.trainer.treat_whitespace_as_suffix,
            lossless=self.trainer.lossless or self.trainer.model_type == "wordpiece",
        )


def check_options(
    normalization: Rules | None = None,
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    **options: Any,
) -> Options:
    """The specs of these options. Raises OptionError (wrong type: ArgumentTypeError) naming option and value."""
    check_names(options)
    given = {name: check_value(name, value) for name, value in options.items()}
    model_type = given.get("model_type")
    arguments = {"normalization": normalization, "denormalization": denormalization, "lossless": lossless}
    asked = family_options(model_type, given, {name: value for name, value in arguments.items() if value is not None})
    if normalization is None:
        normalization = "bert_cased" if model_type == "wordpiece" else "identity"
    normalizer = normalizer_spec(normalization, asked)
    denormalizer = None
    if denormalization is not None:
        name, blob = with_default(denormalization, "denormalization", None)
        denormalizer = NormalizerSpec(name, blob, False, False, False)
    if lossless == STRICT:
        normalizer, denormalizer = escaped(normalizer, denormalizer)
    trainer = TrainerSpec(**{name: value for name, value in asked.items() if name in TRAINER_FIELDS})
    if model_type in BYTE_LEVEL and trainer.vocab_size:
        trainer = check_family(trainer, given)
    return check_specs(trainer, normalizer, denormalizer, lossless)


def check_fields(trainer: TrainerSpec) -> None:
    """Raise OptionError, or ArgumentTypeError, for a field of a spec that has a wrong value."""
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
        raise ArgumentTypeError(
            f"lossless={lossless!r:.80}: must be True, False, None or {STRICT!r}", remedies=[{"lossless": None}]
        )
    losses = reasons_for_loss(trainer, normalizer, denormalizer)
    if lossless:
        check_lossless(lossless, losses)
    notes = tuple(
        f"the symbol {text!r} holds a space, so no text contains it: write {text.replace(' ', SPACE)!r}"
        for text in trainer.user_defined_symbols
        if " " in text and trainer.model_type not in BYTE_LEVEL
    )
    if lossless is None and losses:
        notes += (f"not lossless, because of {', '.join(loss.reason for loss in losses)}",)
    options = Options(
        dataclasses.replace(trainer, lossless=not losses if lossless is None else bool(lossless)),
        normalizer,
        denormalizer,
        notes,
        bool(lossless),
    )
    if trainer.split_pattern and trainer.model_type not in BYTE_LEVEL:
        from spm_lite.training.options.local_patterns import check_local

        check_local(options.trainer, options.text_normalizer())
    return options


def escaped(normalizer: NormalizerSpec, denormalizer: NormalizerSpec | None) -> tuple[NormalizerSpec, NormalizerSpec]:
    """The normalizer and denormalizer of a strict model. Raises OptionError if the user gave other rules."""
    from spm_lite.normalize.rules.strict import strict_denormalizer, strict_normalizer

    if normalizer.has_rules:
        raise OptionError(
            f"lossless={STRICT!r} contradicts normalization ({normalizer.name}): it has rules of its own. Leave out "
            "one of the two",
            remedies=[{"normalization": "identity"}, {"lossless": None}],
        )
    if denormalizer is not None:
        raise OptionError(
            f"lossless={STRICT!r} contradicts denormalization: it has rules of its own. Leave out one of the two",
            remedies=[{"denormalization": None}, {"lossless": None}],
        )
    asked = {name: getattr(normalizer, name) for name in NORMALIZER_OPTIONS}
    return dataclasses.replace(strict_normalizer(), **asked), strict_denormalizer()


def check_names(options: Iterable[str]) -> None:
    """Raise OptionError for an option that does not exist, with its name here or the nearest valid name."""
    known = sorted({*TRAINER_FIELDS, *NORMALIZER_OPTIONS} - {"lossless"})
    for name in options:
        if name in OTHER_ARGUMENTS:
            raise OptionError(f"{name} is an option of train that this function does not have: leave it out here")
        if name not in known:
            public = [other for other in (*known, *OTHER_ARGUMENTS) if other not in OLD_OPTIONS]
            hint = pointer(name, FLAGS) or guess(name, public)
            raise OptionError(f"there is no option {name!r}{hint}; see `spm-lite train --help`")


def refuse_misspelled(options: Iterable[str], own: Mapping[str, str]) -> None:
    """Raise OptionError for an unknown option that means an argument of the call, such as `heldout`.

    own: the arguments of the call beside the options of `train`, each with other names that people try for it.
    """
    for name in options:
        if name not in TRAINER_FIELDS and name not in NORMALIZER_OPTIONS + OTHER_ARGUMENTS:
            named = [argument for argument, others in own.items() if name in others.split()]
            if hint := guess(named[0] if named else name, own):
                raise OptionError(f"there is no option {name!r}{hint}")


WORDS = {"vocab_size": " or 'all'", "character_coverage": " or 'auto'"}  # what is taken besides a number


def check_value(name: str, value: Any) -> Any:
    """The value of one option, checked for type and range; an iterable of symbols becomes a tuple."""
    if name == "superwords":
        return as_superwords(value)
    kind = str(TRAINER_FIELDS[name].type) if name in TRAINER_FIELDS else "bool"
    if kind.startswith("tuple"):
        if isinstance(value, str):
            raise ArgumentTypeError(
                f"{name}={value!r:.80}: must be a list of str, such as {name}=[{value!r:.80}]",
                remedies=[{name: [value]}],
            )
        if hasattr(value, "readline"):
            raise ArgumentTypeError(
                f"{name} is an open file, whose lines end in line feeds: pass {name}=file.read().splitlines()",
                remedies=[{name: []}],
            )
        try:
            value = tuple(as_iterable(value, name, f"a list of str, such as {name}=['<sep>']"))
        except RemediableError as error:
            error.remedies += ({name: []},)
            raise
        for symbol in value:
            others = [{name: [other for other in value if isinstance(other, str) and other != symbol]}]
            if not isinstance(symbol, str) or not symbol:
                raise ArgumentTypeError(
                    f"{name} holds {symbol!r}: every symbol must be a str that is not empty", remedies=others
                )
            check_text(name, symbol, others)
            check_piece(name, symbol, others)
        return value
    value = as_python(value)
    check_type(name, value, TYPES[kind], kind)
    if isinstance(value, str):
        default = default_of(name)
        check_text(name, value, default)
        if name.endswith("_piece"):
            check_piece(name, value, default)
    check_range(name, value)
    return value


def check_type(name: str, value: Any, types: Any, kind: str) -> None:
    """Raise ArgumentTypeError unless the value is of one of the types; a bool does not count as a number."""
    takes_bool = types is bool or (isinstance(types, tuple) and bool in types)
    if not isinstance(value, types) or (isinstance(value, bool) and not takes_bool):
        meant = number_meant(value) if kind.startswith("int") else None
        raise ArgumentTypeError(
            f"{name}={value!r}: must be {kind}{WORDS.get(name, '')}, not {type(value).__name__}"
            + (f"; did you mean {meant}?" if meant is not None else ""),
            remedies=[{name: meant}] if meant is not None else default_of(name),
        )


def number_meant(value: Any) -> int | None:
    """The number that a str such as '8k' spells; None if it spells none."""
    try:
        return number_in(value) if isinstance(value, str) else None
    except ValueError:
        return None


def default_of(name: str) -> list[dict[str, Any]]:
    """The remedy of leaving an option out; none if it must be given."""
    if name in ("vocab_size", "n_new"):
        return []
    return [{name: DEFAULTS.get(name, False)}]  # what has none there is a flag


def checked_int(name: str, value: Any, kind: str = "int") -> int:
    """An integer argument of `train` or `extend` as an int. Raises ArgumentTypeError, or OptionError for the range."""
    number = as_python(value)
    check_type(name, number, int, kind)
    check_range(name, number)
    return int(number)


def checked_float(name: str, value: Any) -> float:
    """As `checked_int`, for a number that need not be whole."""
    number = as_python(value)
    check_type(name, number, (int, float), "float")
    check_range(name, number)
    return float(number)


def check_flags(**flags: Any) -> None:
    """Raise ArgumentTypeError unless all these arguments of `train` are bool."""
    for name, value in flags.items():
        check_type(name, value, bool, "bool")


def check_text(name: str, text: str, remedies: list[dict[str, Any]]) -> None:
    """Raise OptionError if a text holds a lone surrogate."""
    for position, character in enumerate(text):
        if 0xD800 <= ord(character) <= 0xDFFF:
            raise OptionError(
                f"{name}={text!r} holds a lone surrogate at position {position}: leave it out", remedies=remedies
            )


def check_piece(name: str, text: str, remedies: list[dict[str, Any]]) -> None:
    """Raise OptionError for a text that a piece cannot have: empty, too long, or with a NUL."""
    size = len(text.encode())
    if size == 0:
        raise OptionError(f"{name}='': must not be empty", remedies=remedies)
    if size > MAX_PIECE_SIZE:
        raise OptionError(f"{name} holds a text of {size} bytes: {MAX_PIECE_SIZE} is the limit", remedies=remedies)
    if "\0" in text:
        raise OptionError(f"{name} holds {text!r}: a piece must not include U+0000", remedies=remedies)


def check_range(name: str, value: Any) -> None:
    """Raise OptionError for a number outside its range, naming the range."""
    if value is None or isinstance(value, bool) or name not in RANGES:
        return
    low, high = RANGES[name]
    if name == "split_digits" and value in (0, 1):
        raise OptionError(
            f"{name}={value}: must be True, False or {low}..{high}. True makes each digit a piece",
            remedies=[{name: bool(value)}],
        )
    if not low <= value <= high:
        nearest = low if value < low else high  # nan: the highest
        percent = round(value / 100, 6) if high == 1 and low * 100 <= value <= 100 else None
        hint = "" if percent is None else f"; it is a share, not a percentage: write {name}={percent}"
        remedies = [{name: found} for found in (percent, nearest) if found is not None]
        raise OptionError(f"{name}={value}: must be {low}..{high}{hint}", remedies=remedies)
    if name == "input_sentence_size" and 0 < value <= 100:
        raise OptionError(f"{name}={value}: must be 0 (all lines) or above 100", remedies=[{name: 0}, {name: 101}])


def normalizer_spec(normalization: Rules, asked: Mapping[str, Any]) -> NormalizerSpec:
    """The normalizer of these options. By default it removes extra whitespace if its rules lose more than case."""
    from spm_lite.normalize.rules.rule_sets import KEEPS_SPACES, UNICODE_FORMS

    form = UNICODE_FORMS.get(normalization, "") if isinstance(normalization, str) else ""
    name, blob = (normalization, b"") if form else with_default(normalization, "normalization", "identity")
    given = {option: asked[option] for option in NORMALIZER_OPTIONS if option in asked}
    given.setdefault("remove_extra_whitespaces", bool(blob or form) and name not in KEEPS_SPACES)
    if not given.get("escape_whitespaces", True):
        raise OptionError(
            "escape_whitespaces=False: must be True for every model type", remedies=[{"escape_whitespaces": True}]
        )
    return NormalizerSpec(str(name), blob, **given, unicode_form=form)


def with_default(rules: Rules, option: str, default: str | None) -> tuple[str, bytes]:
    """`compiled`; an error about the rules has the remedy of leaving them out."""
    try:
        return compiled(rules, option)
    except RemediableError as error:
        error.remedies += ({option: default},)
        raise


def compiled(rules: Rules, option: str) -> tuple[str, bytes]:
    """The name and the compiled form of rules, given as a name, the path of a table, or (source, target) pairs."""
    from spm_lite.normalize.rules.named_rules import charsmap_of, compile_rules, load_rules
    from spm_lite.normalize.rules.rule_sets import RULE_SETS, RULES

    if isinstance(rules, str) and rules in RULE_SETS:
        return rules.removesuffix(RULES), charsmap_of(rules, option)
    if isinstance(rules, str) and not is_file_name(rules):
        if rules.endswith(".tsv") or os.sep in rules:
            raise MissingFileError(f"{option}: no file {rules!r:.200}")
        charsmap_of(rules, option)  # raises an error that says what the nearest set does
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
