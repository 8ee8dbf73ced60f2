"""SentencePiece-style subword tokenizers: train, encode and decode without loss."""

import spm_lite.base.system.imports_at_fork  # first: from here on a fork waits for imports of other threads
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
    import spm_lite.base.structures.double_array  # noqa: F401  fails in a source folder that is not compiled
except ImportError as _error:
    if not (_error.name or "").startswith("spm_lite."):
        raise
    raise ImportError(
        f"{__file__} is in a source folder that is not compiled: run 'pip install .' there, and Python in another "
        "folder; or compile in place with 'make build'",
        name=_error.name,
    ) from _error

TYPE_CHECKING = False  # as in `typing`, without the cost of importing that
if TYPE_CHECKING:
    from spm_lite.decode.stream import ByteStream, TextStream
    from spm_lite.evaluation.quality import Quality, evaluate
    from spm_lite.ids.batch import Batch
    from spm_lite.model.vocab_file import read_vocab
    from spm_lite.progress import Progress
    from spm_lite.sentencepiece import (
        ConvertToFlatbuffer,
        ImmutableNBestSentencePieceText,
        ImmutableSentencePieceText,
        ImmutableSentencePieceText_ImmutableSentencePiece,
        SentencePieceNormalizer,
        SentencePieceProcessor,
        SentencePieceTrainer,
        SetDataDir,
        SetMinLogLevel,
        SetNBestTimeout,
        SetRandomGeneratorSeed,
        ThreadPool,
        convert_to_flatbuffer,
        set_data_dir,
        set_min_log_level,
        set_nbest_timeout,
        set_random_generator_seed,
    )
    from spm_lite.sentencepiece.install import install_as_sentencepiece
    from spm_lite.tokenizer.calls.results import CacheInfo, EncodedFiles, Segmentation
    from spm_lite.tokenizer.calls.roundtrip import RoundTripReport
    from spm_lite.tokenizer.calls.specials import Control, Text
    from spm_lite.tokenizer.conversions import byte_tokenizer
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import CountTable
    from spm_lite.training.report import TrainingReport
    from spm_lite.training.run import train

__all__ = [
    "ArgumentTypeError",
    "Batch",
    "ByteStream",
    "CacheInfo",
    "Control",
    "ConvertToFlatbuffer",
    "CountTable",
    "EncodedFiles",
    "FileError",
    "FilePermissionError",
    "IdError",
    "ImmutableNBestSentencePieceText",
    "ImmutableSentencePieceText",
    "ImmutableSentencePieceText_ImmutableSentencePiece",
    "MissingFileError",
    "ModelError",
    "OptionError",
    "Progress",
    "Quality",
    "RoundTripReport",
    "Segmentation",
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceTrainer",
    "SetDataDir",
    "SetMinLogLevel",
    "SetNBestTimeout",
    "SetRandomGeneratorSeed",
    "SpmLiteError",
    "Text",
    "TextError",
    "TextStream",
    "ThreadPool",
    "Tokenizer",
    "TrainingError",
    "TrainingReport",
    "__version__",
    "byte_tokenizer",
    "convert_to_flatbuffer",
    "evaluate",
    "install_as_sentencepiece",
    "read_vocab",
    "set_data_dir",
    "set_min_log_level",
    "set_nbest_timeout",
    "set_random_generator_seed",
    "train",
]

_DROP_IN = "spm_lite.sentencepiece"
_ON_FIRST_USE = {  # name -> its module, which takes time to import
    "Batch": "spm_lite.ids.batch",
    "ByteStream": "spm_lite.decode.stream",
    "CacheInfo": "spm_lite.tokenizer.calls.results",
    "Control": "spm_lite.tokenizer.calls.specials",
    "CountTable": "spm_lite.training.count_table",
    "EncodedFiles": "spm_lite.tokenizer.calls.results",
    "Progress": "spm_lite.progress",
    "Quality": "spm_lite.evaluation.quality",
    "RoundTripReport": "spm_lite.tokenizer.calls.roundtrip",
    "Segmentation": "spm_lite.tokenizer.calls.results",
    "ConvertToFlatbuffer": _DROP_IN,
    "ImmutableNBestSentencePieceText": _DROP_IN,
    "ImmutableSentencePieceText": _DROP_IN,
    "ImmutableSentencePieceText_ImmutableSentencePiece": _DROP_IN,
    "SentencePieceNormalizer": _DROP_IN,
    "SentencePieceProcessor": _DROP_IN,
    "SentencePieceTrainer": _DROP_IN,
    "SetDataDir": _DROP_IN,
    "SetMinLogLevel": _DROP_IN,
    "SetNBestTimeout": _DROP_IN,
    "SetRandomGeneratorSeed": _DROP_IN,
    "Text": "spm_lite.tokenizer.calls.specials",
    "TextStream": "spm_lite.decode.stream",
    "ThreadPool": _DROP_IN,
    "Tokenizer": "spm_lite.tokenizer.tokenizer",
    "TrainingReport": "spm_lite.training.report",
    "byte_tokenizer": "spm_lite.tokenizer.conversions",
    "convert_to_flatbuffer": _DROP_IN,
    "evaluate": "spm_lite.evaluation.quality",
    "install_as_sentencepiece": "spm_lite.sentencepiece.install",
    "read_vocab": "spm_lite.model.vocab_file",
    "set_data_dir": _DROP_IN,
    "set_min_log_level": _DROP_IN,
    "set_nbest_timeout": _DROP_IN,
    "set_random_generator_seed": _DROP_IN,
    "train": "spm_lite.training.run",
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
