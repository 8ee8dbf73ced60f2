"""SentencePiece-style subword tokenizers: train, encode and decode without loss."""

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
    "__version__",
]
