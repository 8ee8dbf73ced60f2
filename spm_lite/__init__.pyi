"""What `import spm_lite` gives, for type checkers and editors; a program imports most of it at first use."""

from spm_lite._version import __version__ as __version__
from spm_lite.evaluation.aligned_texts import (
    AlignedGroup as AlignedGroup,
    Alignment as Alignment,
    align as align,
)
from spm_lite.evaluation.audit_texts import (
    as_tokenizer as as_tokenizer,
    audit as audit,
)
from spm_lite.evaluation.prediction.verdicts import Verdict as Verdict
from spm_lite.evaluation.audit_result import (
    Audit as Audit,
    Fault as Fault,
)
from spm_lite.evaluation.locks.lock_file import Lock as Lock
from spm_lite.evaluation.locks.lock_making import lock as lock
from spm_lite.evaluation.locks.lock_result import LockCheck as LockCheck
from spm_lite.evaluation.fair_figures import FairSweep as FairSweep
from spm_lite.evaluation.size_sweep import (
    Sweep as Sweep,
    sweep as sweep,
)
from spm_lite.decode.batch_stream import BatchStream as BatchStream
from spm_lite.decode.stream import (
    ByteStream as ByteStream,
    TextStream as TextStream,
)
from spm_lite.errors import (
    ArgumentTypeError as ArgumentTypeError,
    FileError as FileError,
    FilePermissionError as FilePermissionError,
    IdError as IdError,
    MissingFileError as MissingFileError,
    ModelError as ModelError,
    OptionError as OptionError,
    SpmLiteError as SpmLiteError,
    TextError as TextError,
    TrainingError as TrainingError,
)
from spm_lite.evaluation.quality import (
    Quality as Quality,
    evaluate as evaluate,
)
from spm_lite.formats.proof.conversion import Conversion as Conversion
from spm_lite.formats.proof.conversion import SplitPattern as SplitPattern
from spm_lite.texts.batch import Batch as Batch
from spm_lite.vocab.vocab_file import read_vocab as read_vocab
from spm_lite.vocab.vocab_map import VocabMap as VocabMap
from spm_lite.pictures.explanation import Explanation as Explanation
from spm_lite.progress.meter import Progress as Progress
from spm_lite.sentencepiece import *  # noqa: F403  found here too, but not of this package's names
from spm_lite.sentencepiece.install import install_as_sentencepiece as install_as_sentencepiece
from spm_lite.tokenizer.chats import EncodedChat as EncodedChat
from spm_lite.tokenizer.growing_text import GrowingText as GrowingText
from spm_lite.tokenizer.prefix_cache import PrefixCache as PrefixCache
from spm_lite.tokenizer.results import (
    CacheInfo as CacheInfo,
    EncodedFiles as EncodedFiles,
    Extended as Extended,
    ModelInfo as ModelInfo,
    Revised as Revised,
    Segmentation as Segmentation,
)
from spm_lite.tokenizer.roundtrip import RoundTripReport as RoundTripReport
from spm_lite.tokenizer.segmentations import Lattice as Lattice
from spm_lite.tokenizer.specials import (
    Control as Control,
    Text as Text,
)
from spm_lite.tokenizer.convert_files import (
    Converted as Converted,
    convert as convert,
)
from spm_lite.tokenizer.tokenizer import (
    Tokenizer as Tokenizer,
    load as load,
)
from spm_lite.tokenizer.untrained import byte_tokenizer as byte_tokenizer
from spm_lite.training.balance.balance_result import Balance as Balance
from spm_lite.training.count_table import CountTable as CountTable
from spm_lite.training.extension.joined_vocabularies import merge as merge
from spm_lite.training.report import TrainingReport as TrainingReport
from spm_lite.training.run import train as train

__all__ = [
    "AlignedGroup",
    "Alignment",
    "ArgumentTypeError",
    "Audit",
    "Balance",
    "Batch",
    "BatchStream",
    "ByteStream",
    "CacheInfo",
    "Control",
    "Conversion",
    "Converted",
    "CountTable",
    "EncodedChat",
    "EncodedFiles",
    "Explanation",
    "Extended",
    "FairSweep",
    "Fault",
    "FileError",
    "FilePermissionError",
    "GrowingText",
    "IdError",
    "Lattice",
    "Lock",
    "LockCheck",
    "MissingFileError",
    "ModelError",
    "ModelInfo",
    "OptionError",
    "PrefixCache",
    "Progress",
    "Quality",
    "Revised",
    "RoundTripReport",
    "Segmentation",
    "SplitPattern",
    "SpmLiteError",
    "Sweep",
    "Text",
    "TextError",
    "TextStream",
    "Tokenizer",
    "TrainingError",
    "TrainingReport",
    "Verdict",
    "VocabMap",
    "__version__",
    "align",
    "as_tokenizer",
    "audit",
    "byte_tokenizer",
    "convert",
    "evaluate",
    "install_as_sentencepiece",
    "load",
    "lock",
    "merge",
    "read_vocab",
    "sweep",
    "train",
]
