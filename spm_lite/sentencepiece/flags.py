"""Options of training as the drop-in's callers write them -> the specs of a model message.

What the callers give becomes text first, whatever it is; a field of a message is then read from its text. So a message
holds just what was given, and that is what the model will record.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import MODEL_TYPES
from spm_lite.model import messages
from spm_lite.sentencepiece.error_kinds import OptionRuntimeError
from spm_lite.sentencepiece.rule_sets import TABLE_NAME, named_rules, table_rules

DEPRECATED = (  # taken and left aside
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
    """What was asked for, by message."""

    trainer: Any = field(default_factory=lambda: messages.message_class("TrainerSpec")())
    normalizer: Any = field(default_factory=lambda: messages.message_class("NormalizerSpec")())
    denormalizer: Any = field(default_factory=lambda: messages.message_class("NormalizerSpec")())
    min_log_level: int | None = None  # to be set; None: not asked
    deprecated: tuple[str, ...] = ()  # names of options that nothing follows from


def split_flags(text: str) -> dict[str, str]:
    """The options in a string of flags, `--name=value` and so on, apart by single spaces; of two the first counts."""
    options: dict[str, str] = {}
    for flag in text.split(" ") if text else ():
        name, _, value = flag.removeprefix("--").partition("=")
        options.setdefault(name, value)
    return options


def option_text(value: Any) -> str:
    """The text that a value stands for: a list is one record of comma separated values, all else its str()."""
    if not isinstance(value, list):
        return str(value)
    record = io.StringIO()
    csv.writer(record, lineterminator="").writerow([str(item) for item in value])
    return record.getvalue()


def split_record(text: str) -> Iterator[str]:
    """The fields of one record of comma separated values.

    A field that starts with a quote goes on to the closing one, "" in it is a quote, and what follows up to the next
    comma is left aside. A comma at the end adds nothing.

    >>> list(split_record('a,"b,""c"" d"x,'))
    ['a', 'b,"c" d']
    """
    while text:
        if text.startswith('"'):
            closed = re.match(r'"((?:[^"]|"")*)("?)', text)
            assert closed is not None  # the pattern matches a quote and whatever follows
            yield closed[1].replace('""', '"')
            text = text[closed.end() :].partition(",")[2]
        else:
            part, _, text = text.partition(",")
            yield part


def read_options(options: Mapping[str, Any]) -> TrainingRequest:
    """The specs of these options, unchecked but for their types. Of two names for one option the first counts.

    Raises OptionError for a value that cannot be read, OptionRuntimeError for a name that there is not.
    """
    request = TrainingRequest()
    seen: set[str] = set()
    for given_name, value in options.items():
        name = ALIASES.get(given_name, given_name)
        if name not in seen:
            read_option(request, name, option_text(value))
        seen.add(name)
    return request


def read_option(request: TrainingRequest, name: str, text: str) -> None:
    """Set one option."""
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
    """The error for a name that there is not, with the nearest that there is."""
    known = [*request.trainer.DESCRIPTOR.fields_by_name, *request.normalizer.DESCRIPTOR.fields_by_name, *ALIASES]
    near = difflib.get_close_matches(name, known, 1, 0.0)[0]
    return OptionRuntimeError(f'NOT_FOUND: unknown field name "{name:.80}" in TrainerSpec. Did you mean {near!r}?')


def read_log_level(text: str) -> int:
    """The value of minloglevel."""
    if not INTEGER.fullmatch(text) or abs(int(text)) >= 2**31:
        raise OptionRuntimeError(f'INTERNAL: cannot parse minloglevel="{text:.80}" as int.')
    return int(text)


def set_field(message: Any, name: str, text: str) -> None:
    """Set a field from text, as its type wants it. Raises OptionError."""
    default = getattr(message, name)
    try:
        encoded = text.encode()  # first, so that a lone surrogate is refused alike by any protobuf
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
    """The number of a model type."""
    if text.lower() not in MODEL_TYPES:
        raise OptionError(
            f'INVALID_ARGUMENT: unknown enumeration value of "{text:.80}" as model_type. There are '
            f"{', '.join(MODEL_TYPES)}"
        )
    return MODEL_TYPES[text.lower()]


def read_bool(text: str, name: str) -> bool:
    """The value of a flag."""
    if text.lower() not in BOOLS:
        raise cannot_parse(text, name, "bool")
    return BOOLS[text.lower()]


def read_number(text: str, name: str, kind: type[int] | type[float]) -> int | float:
    """An integer in decimal digits, or a number in any form that C knows."""
    if kind is int and INTEGER.fullmatch(text):
        return int(text)
    if kind is float and (NUMBER.fullmatch(text) or SPECIAL_NUMBER.fullmatch(text)):
        return float(text)
    if kind is float and HEX_NUMBER.fullmatch(text):
        return float.fromhex(text)
    raise cannot_parse(text, name, "int")


def cannot_parse(text: str, name: str, kind: str) -> OptionError:
    """The error for a value that an option cannot have; the original says "int" of all numbers."""
    return OptionError(f'INVALID_ARGUMENT: cannot parse "{text:.80}" as {kind}. It was given for {name}')


def complete_normalizer(spec: Any) -> None:
    """Compile the rules that a spec names, by table or by name. Raises as the functions of rule_sets do."""
    if spec.normalization_rule_tsv:
        check_no_rules(spec)
        spec.precompiled_charsmap = table_rules(spec.normalization_rule_tsv)
        spec.name = TABLE_NAME
        return
    spec.name = spec.name or DEFAULT_RULES
    if not spec.precompiled_charsmap:
        spec.precompiled_charsmap = named_rules(spec.name)


def complete_denormalizer(spec: Any) -> None:
    """The same for the rules of decoding, which leave all spaces as they are."""
    spec.name = TABLE_NAME
    spec.precompiled_charsmap = table_rules(spec.normalization_rule_tsv, "denormalization_rule_tsv")
    for flag in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        setattr(spec, flag, False)


def check_no_rules(spec: Any) -> None:
    """Raise OptionRuntimeError for a spec that holds compiled rules besides the path of a table."""
    if spec.precompiled_charsmap:
        raise OptionRuntimeError(
            "INTERNAL: precompiled_charsmap is already defined. Rules come from it or from normalization_rule_tsv="
            f"{spec.normalization_rule_tsv!r:.80}: give one of the two"
        )
