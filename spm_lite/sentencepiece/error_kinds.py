"""Error classes of the drop-in: errors of spm_lite that are also of the class that sentencepiece raises.

sentencepiece 0.2.3 raises ValueError, TypeError and IndexError, and RuntimeError for all else. Classes of spm_lite that
derive from one of the first three stay as they are. For the rest, a subclass here has RuntimeError as second parent.
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
    """A call that this object cannot carry out: it holds no model, or one of another type."""


class ModelRuntimeError(ModelError, RuntimeError):
    """A model that cannot be used."""


class FileRuntimeError(FileError, RuntimeError):
    """A file that cannot be read or written."""


class MissingFileRuntimeError(MissingFileError, FileRuntimeError):
    """A file that does not exist."""


class FilePermissionRuntimeError(FilePermissionError, FileRuntimeError):
    """A file that may not be read or written."""


class TextRuntimeError(TextError, RuntimeError):
    """A text that cannot be encoded."""


class ArgumentRuntimeError(ArgumentTypeError, RuntimeError):
    """An argument of a wrong type for which sentencepiece raises RuntimeError."""


class TextTypeError(TextError, TypeError):
    """A text within a list that cannot be encoded."""


class OptionRuntimeError(OptionError, RuntimeError):
    """An option that is misspelled, out of range, or contradicts another."""


class TrainingRuntimeError(TrainingError, RuntimeError):
    """A corpus from which the model asked for cannot be trained."""


RUNTIME_ERRORS = (  # error, its RuntimeError, the prefix of sentencepiece's message; the first match counts
    (ModelError, ModelRuntimeError, "INTERNAL"),
    (MissingFileError, MissingFileRuntimeError, "NOT_FOUND"),
    (FilePermissionError, FilePermissionRuntimeError, "PERMISSION_DENIED"),
    (FileError, FileRuntimeError, "FAILED_PRECONDITION"),
    (TextError, TextRuntimeError, "INTERNAL"),
    (OptionError, OptionRuntimeError, "INTERNAL"),
    (TrainingError, TrainingRuntimeError, "INTERNAL"),
)


class RuntimeErrors:
    """A context that turns errors of the engine into their RuntimeError subclasses."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, SpmLiteError) or isinstance(error, RuntimeError):
            return
        for own, twin, status in RUNTIME_ERRORS:
            if isinstance(error, own):
                words = f"{error.original} {error}" if error.original else str(error)
                raised = twin(f"{status}: {words}")
                raised.remedies = error.remedies
                raise raised from error.__cause__  # an error of the caller's function, for instance


_runtime_errors = RuntimeErrors()  # stateless, so shared; contextlib's would cost 1 µs a call


def as_runtime_errors() -> RuntimeErrors:
    """The shared RuntimeErrors context."""
    return _runtime_errors
