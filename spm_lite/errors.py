"""The errors of spm_lite: subclasses of SpmLiteError, each also of the built-in error that callers expect.

A message names the thing, its value, the limit, and what to do. `remedies` say the last to programs.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.printable import visible  # here: a message must not need a module that cannot be opened any more

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class SpmLiteError(Exception):
    """The base class of every error that spm_lite raises on purpose.

    Attributes:
        remedies: changes of options that avoid the error, as dicts of option and value, the best first; (): none.
        original: the message of sentencepiece in this case; "": it is the same, or there is none.
    """

    remedies: tuple[dict[str, Any], ...] = ()  # see RemediableError
    original: str = ""

    def __str__(self) -> str:
        """The message. What a terminal might obey in names and texts from outside is escaped."""
        return visible(super().__str__(), but="\n")


class RemediableError(SpmLiteError):
    """An error of `train` that other options may avoid.

    remedies: one or more ways out, the best first. Each holds the options to change, with their new values; the same
    call with them succeeds, or fails for another reason. Empty if only another text helps.
    """

    def __init__(self, *args: object, remedies: Iterable[dict[str, Any]] = (), original: str = "") -> None:
        super().__init__(*args)
        if remedies:
            self.remedies = tuple(remedies)
        if original:
            self.original = original


class ModelError(SpmLiteError, ValueError):
    """A model file that cannot be used: damaged, truncated, of another format, or contradicting itself."""


class TextError(SpmLiteError, ValueError):
    """A text that cannot be used: it holds a lone surrogate, or more bytes than one text may have."""


class OptionError(RemediableError, ValueError):
    """An option that is misspelled, out of range, or in contradiction with another."""


class TrainingError(RemediableError, ValueError):
    """A corpus that does not allow what was asked: empty, or too small or too varied for `vocab_size`."""


class ArgumentTypeError(RemediableError, TypeError):
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
