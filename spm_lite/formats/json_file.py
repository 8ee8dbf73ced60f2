"""A JSON file as Python objects, in memory that has a limit; and its fields, each of the type that it must have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.files.saved_values import check
from spm_lite.formats.json_sizes import json_sizes
from spm_lite.vocab.other_formats import refuse_others

MOST_BYTES = 1 << 29  # of a file
MOST_DEEP = 64
MOST_OBJECTS = 250_000  # nearly all are added tokens
MOST_ARRAYS = 6_000_000  # nearly all are merges, or pieces with their scores
MOST_VALUES = 30_000_000
JSON_NAMES = {dict: "an object", list: "an array", str: "a string", bool: "true or false", int: "a whole number"}


def parse(data: bytes, name: str, parse_float: Callable[[str], float] | None = None) -> dict[str, Any]:
    """The object that a file holds. name: of the file, in messages. Raises ModelError for any other content.

    parse_float: reads numbers that are not whole; None: each becomes the nearest double.
    """
    if len(data) > MOST_BYTES:
        raise ModelError(f"{name} has {len(data)} bytes: at most {MOST_BYTES} are read")
    deep, n_objects, n_arrays, n_values = json_sizes(data)
    for what, found, limit in (
        ("levels of nesting", deep, MOST_DEEP),
        ("objects, as added tokens are", n_objects, MOST_OBJECTS),
        ("arrays, as merges are", n_arrays, MOST_ARRAYS),
        ("values", n_values, MOST_VALUES),
    ):
        if found > limit:
            raise ModelError(f"{name} has {found} {what}: at most {limit} are read")
    try:
        value = json.loads(data, parse_float=parse_float)
    except (ValueError, RecursionError) as error:
        refuse_others(data, name)
        raise ModelError(f"{name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ModelError(f"{name} is not an object, but {type_name(value)}")
    return value


def type_name(value: Any) -> str:
    """The type of a value, for people."""
    return "null" if value is None else JSON_NAMES.get(type(value), "a number")


def field(part: dict[str, Any], key: str, kind: type, place: str, default: Any = None) -> Any:
    """A field of an object; the default if it is missing or null. Raises ModelError if it has another type.

    place: where the object stands, in messages.
    """
    value = part.get(key)
    if value is None:
        return default
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ModelError(f"{place}.{key} is {type_name(value)}: it must be {JSON_NAMES.get(kind, 'a number')}")
    return value


def check_form(value: Any, form: Any, place: str) -> None:
    """Raise ModelError for a value that has not the form, as `check` of saved values does. place: of the value."""
    try:
        check(value, form, place)
    except ValueError as error:
        raise ModelError(str(error)) from None


def refuse(place: str, what: str) -> ModelError:
    """The error for a component that no model of ours does. what: its name, and why."""
    return ModelError(f"{place}: {what}, which no model of spm_lite has")
