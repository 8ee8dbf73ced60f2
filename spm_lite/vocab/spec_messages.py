"""Conversion of specs to and from the messages of a model file."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import fields
from typing import Any, TypeVar

from spm_lite.kinds import MODEL_TYPES
from spm_lite.specs import OWN_FIELDS, NormalizerSpec, TrainerSpec

ALWAYS_WRITTEN = ("model_type", "vocab_size")  # even with the message's default value

Spec = TypeVar("Spec", TrainerSpec, NormalizerSpec)


def specs_of(
    message: Any, model_type: str, lossless: bool, own: dict[str, Any]
) -> tuple[TrainerSpec, NormalizerSpec, NormalizerSpec | None]:
    """Trainer, normalizer and denormalizer of a ModelProto. own: fields of the normalizer from our extension."""
    return (
        spec_from_message(TrainerSpec, message.trainer_spec, model_type=model_type, lossless=lossless),
        spec_from_message(NormalizerSpec, message.normalizer_spec, **own),
        spec_from_message(NormalizerSpec, message.denormalizer_spec) if message.HasField("denormalizer_spec") else None,
    )


def as_str(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


def spec_from_message(kind: type[Spec], message: Any, **others: Any) -> Spec:
    """Convert a message to a spec; ill-formed bytes in strings become U+FFFD. others: fields not in the message."""
    values: dict[str, Any] = dict(others)
    for field in fields(kind):
        if field.name in others or field.name in OWN_FIELDS:
            continue
        value = getattr(message, field.name)
        if isinstance(field.default, float):
            value = shortest(value)
        elif isinstance(field.default, str):
            value = as_str(value)
        elif isinstance(field.default, tuple):
            value = tuple(as_str(entry) for entry in value)
        values[field.name] = value
    return kind(**values)


def shortest(value: float) -> float:
    """The number with the fewest decimal digits that gives this float32: 0.9995, not 0.9994999766."""
    for n_digits in range(1, 10):
        number = float(f"{value:.{n_digits}g}")
        with suppress(OverflowError):  # rounded up beyond the largest float32
            if as_float32(number) == as_float32(value):
                return number
    return value


def as_float32(value: float) -> bytes:
    return struct.pack("<f", value)


def fill_message(message: Any, spec: TrainerSpec | NormalizerSpec) -> None:
    """Set the fields of a message where `spec` differs from the defaults, and those in ALWAYS_WRITTEN."""
    for field in fields(spec):
        value = getattr(spec, field.name)
        if field.name in OWN_FIELDS or value is None:
            continue  # lossless is in our extension; None means "no limit", which the message cannot express
        if field.name == "model_type":
            value = MODEL_TYPES.get(value, MODEL_TYPES["bpe"])  # of a family: any type, as there are no pieces there
        if field.name == "split_digits":
            value = value is True  # for SentencePiece, each digit is a piece or none is kept apart
        if isinstance(value, tuple):
            getattr(message, field.name).extend(value)
        elif field.name in ALWAYS_WRITTEN or differs(message, field.name, value):
            setattr(message, field.name, value)


def differs(message: Any, name: str, value: Any) -> bool:
    """Whether a value differs from the default of an optional field; floats are compared as float32."""
    default = getattr(message, name)
    if isinstance(default, float):
        return as_float32(default) != as_float32(value)
    return bool(default != value)
