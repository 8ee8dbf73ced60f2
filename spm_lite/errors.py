"""The errors of spm_lite: subclasses of SpmLiteError, each also of the built-in error that callers expect.

A message names the thing, its value, the limit, and what to do.
"""


class SpmLiteError(Exception):
    """The base class of every error that spm_lite raises on purpose."""


class ModelError(SpmLiteError, ValueError):
    """A model file that cannot be used: damaged, truncated, of another format, or contradicting itself."""


class TextError(SpmLiteError, ValueError):
    """A text that cannot be used: it holds a lone surrogate, or more bytes than one text may have."""


class OptionError(SpmLiteError, ValueError):
    """An option that is misspelled, out of range, or in contradiction with another."""


class TrainingError(SpmLiteError, ValueError):
    """A corpus that does not allow what was asked: empty, or too small or too varied for `vocab_size`."""


class ArgumentTypeError(SpmLiteError, TypeError):
    """An argument of a type that the function does not take."""


class IdError(SpmLiteError, IndexError):
    """An id outside the vocabulary, or an index outside a batch."""


class FileError(SpmLiteError, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that does not exist."""


class FilePermissionError(FileError, PermissionError):
    """A file or folder that may not be read or written."""


for _error in (
    SpmLiteError,
    ModelError,
    TextError,
    OptionError,
    TrainingError,
    ArgumentTypeError,
    IdError,
    FileError,
    MissingFileError,
    FilePermissionError,
):
    _error.__module__ = "spm_lite"  # where users find them; a pickle names this place
