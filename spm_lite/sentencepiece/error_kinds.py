"""What the drop-in raises: errors of ours that are also the class which programs for sentencepiece catch.

sentencepiece 0.2.3 raises ValueError, TypeError and IndexError, and RuntimeError for all else. Kinds of ours that are
one of the first three stay as they are; the rest gets a RuntimeError as second parent here.
"""

from __future__ import annotations

from spm_lite.errors import (
    ArgumentTypeError,
    FileError,
    FilePermissionError,
    MissingFileError,
    ModelError,
    OptionError,
    SpmLiteError,
    TextError,
    TrainingError,
)


class StateError(SpmLiteError, RuntimeError):
    """Something that this object cannot do: it holds no model, or one of another type."""


class ModelRuntimeError(ModelError, RuntimeError):
    """A model that cannot be used."""


class FileRuntimeError(FileError, RuntimeError):
    """A file that cannot be read or written."""


class MissingFileRuntimeError(MissingFileError, FileRuntimeError):
    """A file that does not exist."""


class FilePermissionRuntimeError(FilePermissionError, FileRuntimeError):
    """A file that may not be read or written."""


class TextRuntimeError(TextError, RuntimeError):
    """A text that cannot be taken."""


class ArgumentRuntimeError(ArgumentTypeError, RuntimeError):
    """An argument of a type that sentencepiece cannot take either, but calls a RuntimeError."""


class TextTypeError(TextError, TypeError):
    """A text within a list that cannot be taken."""


class OptionRuntimeError(OptionError, RuntimeError):
    """An option that is misspelled, out of range, or in contradiction with another."""


class TrainingRuntimeError(TrainingError, RuntimeError):
    """A corpus that does not allow what was asked."""


RUNTIME_ERRORS = (  # the kind and its twin, and the status that sentencepiece puts in front; the first that fits
    (ModelError, ModelRuntimeError, "INTERNAL"),
    (MissingFileError, MissingFileRuntimeError, "NOT_FOUND"),
    (FilePermissionError, FilePermissionRuntimeError, "PERMISSION_DENIED"),
    (FileError, FileRuntimeError, "FAILED_PRECONDITION"),
    (TextError, TextRuntimeError, "INTERNAL"),
    (OptionError, OptionRuntimeError, "INTERNAL"),
    (TrainingError, TrainingRuntimeError, "INTERNAL"),
)


class RuntimeErrors:
    """A context that turns errors of the engine into those that sentencepiece raises as RuntimeError."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, SpmLiteError) or isinstance(error, RuntimeError):
            return
        for own, twin, status in RUNTIME_ERRORS:
            if isinstance(error, own):
                raise twin(f"{status}: {error}") from error.__cause__  # the error of a caller's function, say


_runtime_errors = RuntimeErrors()  # without state, so one serves all; contextlib's would cost a microsecond a call


def as_runtime_errors() -> RuntimeErrors:
    """The context of this name."""
    return _runtime_errors
