"""Errors: what they are subclasses of, what they carry, and that a terminal obeys nothing in their messages."""

import pickle

import pytest

import spm_lite
from spm_lite import errors

BUILT_IN = {
    "ModelError": ValueError, "TextError": ValueError, "OptionError": ValueError, "TrainingError": ValueError,
    "ArgumentTypeError": TypeError, "IdError": IndexError, "FileError": OSError,
    "MissingFileError": FileNotFoundError, "FilePermissionError": PermissionError,
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_is_also_the_error_that_callers_expect(name: str) -> None:
    error = getattr(errors, name)
    assert getattr(spm_lite, name) is error and error.__module__ == "spm_lite"
    assert issubclass(error, BUILT_IN[name]) and issubclass(error, errors.SpmLiteError)


def test_a_message_holds_nothing_that_a_terminal_obeys() -> None:
    assert str(errors.ModelError("a\x1b[2Jb\nc")) == "a\\x1b[2Jb\nc"


def test_remedies_and_the_original_message_are_carried() -> None:
    plain = errors.OptionError("x")
    assert (plain.remedies, plain.original) == ((), "")
    error = errors.TrainingError("x", remedies=[{"vocab_size": 300}], original="y")
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (str(one), one.remedies, one.original) == ("x", ({"vocab_size": 300},), "y")
