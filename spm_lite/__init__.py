"""SentencePiece-style subword tokenizers: train, encode and decode without loss."""

from spm_lite._version import __version__
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

try:
    import spm_lite.trie.double_array  # noqa: F401  stands for all compiled modules: is this a source folder?
except ImportError as _error:
    if not (_error.name or "").startswith("spm_lite."):
        raise
    raise ImportError(
        f"{__file__} is in a source folder that is not compiled: run 'pip install .' there, and Python in another "
        "folder; or compile in place with 'make build'",
        name=_error.name,
    ) from _error

TYPE_CHECKING = False  # as typing has it, without the cost of importing that
if TYPE_CHECKING:
    from spm_lite.batch import Batch
    from spm_lite.report import TrainingReport
    from spm_lite.segmentations import Segmentation
    from spm_lite.tokenizer import Tokenizer
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
    "Segmentation",
    "SpmLiteError",
    "TextError",
    "Tokenizer",
    "TrainingError",
    "TrainingReport",
    "__version__",
    "train",
]

_ON_FIRST_USE = {  # what takes time to import, and where it is
    "Batch": "spm_lite.batch",
    "Segmentation": "spm_lite.segmentations",
    "Tokenizer": "spm_lite.tokenizer",
    "TrainingReport": "spm_lite.report",
    "train": "spm_lite.training",
}


def __getattr__(name: str) -> object:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
