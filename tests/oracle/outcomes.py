"""The same call to sentencepiece and to ours: the same result, or an error that the same `except` catches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spm_lite.errors import SpmLiteError

BUILTINS = (ValueError, TypeError, IndexError, RuntimeError)  # what sentencepiece raises on purpose


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the error that it raises."""
    try:
        return call()
    except Exception as error:
        return error


def assert_same_outcome(ours: Callable[[], Any], theirs: Callable[[], Any]) -> Any:
    """Raise AssertionError unless both calls end alike; the result of ours."""
    expected, got = outcome(theirs), outcome(ours)
    if not isinstance(expected, Exception):
        assert got == expected and type(got) is type(expected), (got, expected)
        return got
    assert isinstance(got, SpmLiteError), (got, expected)
    kind = next(kind for kind in BUILTINS if isinstance(expected, kind))
    assert isinstance(got, kind), (type(got).__mro__, expected)
    return got
