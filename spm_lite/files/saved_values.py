"""JSON that this package wrote, read back: a value must have the form that it was written in.

A form is a dict of forms by key, a list with the form of each item, a tuple with the forms of a row, or a `Kind`. A key
that ends in "?" may be missing, and "*" is the form of all other keys. Keys without a form hold anything.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2**63 - 1
TOO_LONG = 25  # characters of a number from which it is no 64-bit integer
SHA256 = re.compile(r"[0-9a-f]{64}")


class Kind(NamedTuple):
    """One value: what it must be, in words, and a test of it."""

    words: str
    fits: Callable[[Any], bool]


class Maybe(NamedTuple):
    """A form, or null."""

    form: Any


def whole(low: int = 0, high: int = MOST) -> Kind:
    """Integers from low to high."""
    return Kind(f"a whole number, {low} to {high}", lambda value: type(value) is int and low <= value <= high)


def choice(*values: Any) -> Kind:
    """One of some values, of the same type."""
    return Kind(
        f"one of {', '.join(map(repr, values))}",
        lambda value: any(value == v and type(value) is type(v) for v in values),
    )


def is_path(value: Any) -> bool:
    """Whether a value can name a file."""
    try:
        return type(value) is str and value != "" and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def is_spelled(value: Any) -> bool:
    """Whether a value is a text without lone surrogates."""
    try:
        return type(value) is str and value.encode() is not None
    except UnicodeEncodeError:
        return False


COUNT = whole()
NUMBER = Kind("a number", lambda value: type(value) in (int, float))  # `parse` takes none that is not finite
TEXT = Kind("a text", lambda value: type(value) is str)
SPELLED = Kind("a text without lone surrogates", is_spelled)
FLAG = Kind("true or false", lambda value: type(value) is bool)
PATH = Kind("the name of a file", is_path)
DIGEST = Kind("a SHA-256 in hex", lambda value: type(value) is str and SHA256.fullmatch(value) is not None)
BYTES = Kind("a text of bytes (Latin-1)", lambda value: type(value) is str and all(char < "\u0100" for char in value))


def parse(data: str | bytes) -> Any:
    """The value of some JSON. Raises ValueError for anything else, for a key that comes twice, and for numbers that
    no 64 bits hold."""
    try:
        return json.loads(
            data,
            object_pairs_hook=without_twins,
            parse_constant=refuse_number,
            parse_float=as_float,
            parse_int=as_int64,
        )
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of some pairs, whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twin = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twin!r:.60} comes twice")
    return found


def refuse_number(text: str) -> Any:
    """Raise ValueError for a number that JSON does not have, or that has no place in 64 bits."""
    raise ValueError(f"{text:.25} is not a finite number of 64 bits")


def as_float(text: str) -> float:
    found = float(text)
    return found if math.isfinite(found) else refuse_number(text)


def as_int64(text: str) -> int:
    return found if len(text) < TOO_LONG and -MOST <= (found := int(text)) <= MOST else refuse_number(text)


def check(value: Any, form: Any, place: str) -> None:
    """Raise ValueError for a value that has not the form, naming the place in it. place: of the value itself."""
    if isinstance(form, Maybe):
        if value is not None:
            check(value, form.form, place)
    elif isinstance(form, Kind):
        if not form.fits(value):
            raise ValueError(f"{place} is {value!r:.60}, not {form.words}")
    elif isinstance(form, dict):
        check_object(value, form, place)
    elif type(value) is not list:
        raise ValueError(f"{place} is {value!r:.60}, not a list")
    elif isinstance(form, tuple):
        if len(value) != len(form):
            raise ValueError(f"{place} has {len(value)} values, not {len(form)}")
        for number, (one, its_form) in enumerate(zip(value, form, strict=True)):
            check(one, its_form, f"{place}[{number}]")
    elif not (isinstance(form[0], Kind) and all(map(form[0].fits, value))):  # of many values a place takes time
        for number, one in enumerate(value):
            check(one, form[0], f"{place}[{number}]")


def check_object(value: Any, form: dict[str, Any], place: str) -> None:
    """Raise ValueError for an object whose keys or values have not the form."""
    if type(value) is not dict:
        raise ValueError(f"{place} is {value!r:.60}, not an object")
    for key, its_form in form.items():
        name = key.removesuffix("?")
        if name in value:
            check(value[name], its_form, f"{place}.{name}")
        elif name == key != "*":
            raise ValueError(f"{place} has no {name!r}")
    if "*" in form:
        known = {key.removesuffix("?") for key in form}
        for key in value.keys() - known:
            check(value[key], form["*"], f"{place}.{key:.60}")
