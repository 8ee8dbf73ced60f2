"""SentencePiece-style subword tokenizers: train, encode and decode without loss."""

from typing import TYPE_CHECKING, Any

from spm_lite._version import __version__
from spm_lite.batch import Batch
from spm_lite.errors import (
    ArgumentTypeError,
    FileError,
    FilePermissionError,
    IdError,
    MissingFileError,
    ModelError,
    OptionError,
    SpmLiteError,
    TextError,
    TrainingError,
)
from spm_lite.tokenizer import Tokenizer

if TYPE_CHECKING:
    from spm_lite.report import TrainingReport
    from spm_lite.training import train

__all__ = [
    "ArgumentTypeError",
    "Batch",
    "FileError",
    "FilePermissionError",
    "IdError",
    "MissingFileError",
    "ModelError",
    "OptionError",
    "SpmLiteError",
    "TextError",
    "Tokenizer",
    "TrainingError",
    "TrainingReport",
    "__version__",
    "train",
]

_ON_FIRST_USE = {
    "train": "spm_lite.training",
    "TrainingReport": "spm_lite.report",
}  # programs that only encode need neither


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_ON_FIRST_USE[name]), name)
    return value
