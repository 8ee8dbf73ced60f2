"""Training options of the drop-in: keyword arguments or flags -> the specs of a model message.

Each value becomes text first, whatever its type; the field of the message is then parsed from that text. So a message
holds exactly the options that were given, and the model records these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import MODEL_TYPES
from spm_lite.near_names import near_names
from spm_lite.sentencepiece.call_arguments import OptionRuntimeError
from spm_lite.sentencepiece.normalizer_rules import TABLE_NAME, named_rules, table_rules
from spm_lite.training.options.other_names import OTHER_LIBRARIES
from spm_lite.vocab import messages

DEPRECATED = (  # accepted and ignored
    "accept_language",
    "self_test_sample_size",
    "mining_sentence_size",
    "training_sentence_size",
    "train_extremely_large_corpus",
    "enable_differential_privacy",
    "differential_privacy_noise_level",
    "differential_privacy_clipping_threshold",
)
ALIASES = {"normalization_rule_name": "name"}
DEFAULT_RULES = "nmt_nfkc"
BOOLS = {
    **dict.fromkeys(("", "true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
INTEGER = re.compile(r"\s*[+-]?[0-9]{1,40}\s*", re.ASCII)
NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\s*", re.ASCII | re.IGNORECASE)
HEX_NUMBER = re.compile(r"\s*[+-]?0x[0-9a-f.]+(p[+-]?[0-9]+)?\s*", re.ASCII | re.IGNORECASE)
SPECIAL_NUMBER = re.compile(r"\s*[+-]?(inf|infinity|nan)\s*", re.ASCII | re.IGNORECASE)


@dataclass
class TrainingRequest:
    """The options of one training, sorted into messages."""

    trainer: Any = field(default_factory=lambda: messages.message_class("TrainerSpec")())
    normalizer: Any = field(default_factory=lambda: messages.message_class("NormalizerSpec")())
    denormalizer: Any = field(default_factory=lambda: messages.message_class("NormalizerSpec")())
    min_log_level: int | None = None  # None: not given
    deprecated: tuple[str, ...] = ()  # names of ignored options
    odd: tuple[str, ...] = ()  # warnings about values that sentencepiece takes as their Python text


def split_flags(text: str) -> dict[str, str]:
    """The options in a string of flags `--name=value`, split at single spaces; of equal names the first counts."""
    options: dict[str, str] = {}
    for flag in text.split(" ") if text else ():
        name, _, value = flag.removeprefix("--").partition("=")
        options.setdefault(name, value)
    return options


def option_text(value: Any) -> str:
    """Convert a value to text: a list to one record of comma-separated values, anything else by str()."""
    if not isinstance(value, list):
        return str(value)
    return ",".join(record_field(str(item), len(value)) for item in value)


def record_field(text: str, n_fields: int) -> str:
    """A field as `csv.writer` spells it, which takes no NUL before Python 3.11: in quotes only where it needs them."""
    if not re.search('[",\r\n]', text) and (text or n_fields > 1):
        return text
    return '"' + text.replace('"', '""') + '"'


def split_record(text: str) -> Iterator[str]:
    """The fields of one record of comma-separated values.

    A field that starts with a quote ends at the closing quote; "" in it is a quote. Text between the closing quote and
    the next comma is ignored. A comma at the end adds no field.

    >>> list(split_record('a,"b,""c"" d"x,'))
    ['a', 'b,"c" d']
    """
    while text:
        if text.startswith('"'):
            closed = re.match(r'"((?:[^"]|"")*)("?)', text)
            assert closed is not None  # the pattern matches any text that starts with a quote
            yield closed[1].replace('""', '"')
            text = text[closed.end() :].partition(",")[2]
        else:
            part, _, text = text.partition(",")
            yield part


def read_options(options: Mapping[str, Any]) -> TrainingRequest:
    """Parse options into specs; only types are checked. Of two names for one option the first counts.

    Raises OptionError for a value that cannot be parsed, OptionRuntimeError for an unknown name.
    """
    request = TrainingRequest()
    seen: set[str] = set()
    for given_name, value in options.items():
        name = ALIASES.get(given_name, given_name)
        if isinstance(value, (tuple, set, frozenset, dict, bytes)):
            request.odd += (
                f"{given_name} is {type(value).__name__}, whose Python text {str(value)!r:.80} is taken, as in "
                "sentencepiece: pass a list or a str",
            )
        if name not in seen:
            read_option(request, name, option_text(value))
        seen.add(name)
    return request


def read_option(request: TrainingRequest, name: str, text: str) -> None:
    """Parse the text of one option, and set it in `request`."""
    if name == "minloglevel":
        request.min_log_level = read_log_level(text)
    elif name == "denormalization_rule_tsv":
        request.denormalizer.normalization_rule_tsv = text
    elif name in DEPRECATED:
        request.deprecated += (name,)
    else:
        for message in (request.trainer, request.normalizer):
            if name in message.DESCRIPTOR.fields_by_name:
                set_field(message, name, text)
                return
        raise unknown_option(request, name)


def unknown_option(request: TrainingRequest, name: str) -> OptionRuntimeError:
    """The error for an unknown name, with its name here or the nearest valid one, if there is one."""
    known = [field.name for spec in (request.trainer, request.normalizer) for field in spec.DESCRIPTOR.fields]
    known += [*ALIASES, "minloglevel", "denormalization_rule_tsv"]
    hint = OTHER_LIBRARIES.get(name, "")
    if hint:
        hint = f" {hint[0].upper()}{hint[1:]}"
    elif near := " or ".join(map(repr, near_names(name, known))):
        hint = f" Did you mean {near}?"
    return OptionRuntimeError(f'NOT_FOUND: unknown field name "{name:.80}" in TrainerSpec.{hint}')


def read_log_level(text: str) -> int:
    """Parse the value of minloglevel."""
    if not INTEGER.fullmatch(text) or abs(int(text)) >= 2**31:
        raise OptionRuntimeError(f'INTERNAL: cannot parse minloglevel="{text:.80}" as int.')
    return int(text)


def set_field(message: Any, name: str, text: str) -> None:
    """Parse text by the type of a field, and set the field. Raises OptionError."""
    default = getattr(message, name)
    try:
        encoded = text.encode()  # first, so that every protobuf refuses a lone surrogate with the same error
        if name == "model_type":
            message.model_type = read_model_type(text)
        elif isinstance(default, bool):
            setattr(message, name, read_bool(text, name))
        elif isinstance(default, int):
            setattr(message, name, read_number(text, name, int))
        elif isinstance(default, float):
            setattr(message, name, read_number(text, name, float))
        elif isinstance(default, bytes):
            setattr(message, name, encoded)
        elif isinstance(default, str):
            setattr(message, name, text)
        else:
            del getattr(message, name)[:]
            getattr(message, name).extend(split_record(text))
    except UnicodeEncodeError as error:
        raise OptionError(
            f"INVALID_ARGUMENT: {name}={text!r:.80} holds a lone surrogate at position {error.start}"
        ) from None
    except ValueError as error:
        if isinstance(error, OptionError):
            raise
        raise cannot_parse(text, name, "int") from None  # a number that the field cannot hold


def read_model_type(text: str) -> int:
    """The number of a model type in the message."""
    if text.lower() not in MODEL_TYPES:
        raise OptionError(
            f'INVALID_ARGUMENT: unknown enumeration value of "{text:.80}" as model_type. There are '
            f"{', '.join(MODEL_TYPES)}"
        )
    return MODEL_TYPES[text.lower()]


def read_bool(text: str, name: str) -> bool:
    """Parse a boolean."""
    if text.lower() not in BOOLS:
        raise cannot_parse(text, name, "bool")
    return BOOLS[text.lower()]


def read_number(text: str, name: str, kind: type[int] | type[float]) -> int | float:
    """Parse an integer in decimal digits, or a float in any form that C reads."""
    if kind is int and INTEGER.fullmatch(text):
        return int(text)
    if kind is float and (NUMBER.fullmatch(text) or SPECIAL_NUMBER.fullmatch(text)):
        return float(text)
    if kind is float and HEX_NUMBER.fullmatch(text):
        return float.fromhex(text)
    raise cannot_parse(text, name, "int")


def cannot_parse(text: str, name: str, kind: str) -> OptionError:
    """The error for a value that cannot be parsed; sentencepiece says "int" of all numbers."""
    return OptionError(f'INVALID_ARGUMENT: cannot parse "{text:.80}" as {kind}. It was given for {name}')


def complete_normalizer(spec: Any) -> None:
    """Compile the rules that a spec names, by table or by name, into the spec. Raises the errors of rule_sets."""
    if spec.normalization_rule_tsv:
        check_no_rules(spec)
        spec.precompiled_charsmap = table_rules(spec.normalization_rule_tsv)
        spec.name = TABLE_NAME
        return
    spec.name = spec.name or DEFAULT_RULES
    if not spec.precompiled_charsmap:
        spec.precompiled_charsmap = named_rules(spec.name)


def complete_denormalizer(spec: Any) -> None:
    """Compile the table of denormalization rules into the spec, whose flags then leave all spaces as they are."""
    spec.name = TABLE_NAME
    spec.precompiled_charsmap = table_rules(spec.normalization_rule_tsv, "denormalization_rule_tsv")
    for flag in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        setattr(spec, flag, False)


def check_no_rules(spec: Any) -> None:
    """Raise OptionRuntimeError for a spec that holds compiled rules as well as the path of a table."""
    if spec.precompiled_charsmap:
        raise OptionRuntimeError(
            "INTERNAL: precompiled_charsmap is already defined. Rules come from it or from normalization_rule_tsv="
            f"{spec.normalization_rule_tsv!r:.80}: give one of the two"
        )
