"""SentencePiece-style subword tokenizers: train, encode and decode without loss.

    tok = spm_lite.train("corpus.txt", vocab_size=8000)     # files or texts; help(spm_lite.train) has the options
    tok = spm_lite.load("tokenizer.json")                   # also a model, a folder, .tiktoken, .gguf ...
    ids = tok.encode("some text")                           # tok.decode(ids) == "some text"
    tok.save("m.model")

help(spm_lite.Tokenizer) begins with a table of all that a tokenizer does.

A text goes through the rooms (folders) in this order; train goes the second way, and ends where the first one begins:

    text  -> texts     -> normalize -> encode.chunks   -> encode.segment -> ids    -> decode -> text
    files -> normalize -> counts    -> bpe, unigram .. -> pieces         -> vocab  -> model file

    base        machine, tries, UTF-8             tokenizer      the class `Tokenizer`
    progress    how far a call is                 training       `train`: counts, trainers, options
    texts       Python's values and UTF-8, ids    evaluation     `evaluate`, `audit`, `sweep`
    files       documents and ids in files        engines        Spark, Ray, datatrove, datasets, shards
    lattice     n-best, sampling, entropy         transformers   tokenizers of transformers, faster
    formats     files of other programs           cli            the command line
    pictures    a text in pieces, drawn           sentencepiece  the drop-in for sentencepiece
"""

import sys as _sys

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
    "FileCount",
    "FileCounts",
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

_ON_FIRST_USE = {  # name -> its module, which takes time to import
    "AlignedGroup": "spm_lite.evaluation.aligned_texts",
    "Alignment": "spm_lite.evaluation.aligned_texts",
    "Audit": "spm_lite.evaluation.audit_result",
    "Balance": "spm_lite.training.balance.balance_result",
    "Batch": "spm_lite.texts.batch",
    "BatchStream": "spm_lite.decode.batch_stream",
    "ByteStream": "spm_lite.decode.stream",
    "CacheInfo": "spm_lite.tokenizer.results",
    "Lattice": "spm_lite.tokenizer.segmentations",
    "Lock": "spm_lite.evaluation.locks.lock_file",
    "LockCheck": "spm_lite.evaluation.locks.lock_result",
    "ModelInfo": "spm_lite.tokenizer.results",
    "Control": "spm_lite.tokenizer.specials",
    "Conversion": "spm_lite.formats.proof.conversion",
    "Converted": "spm_lite.tokenizer.convert_files",
    "CountTable": "spm_lite.training.count_table",
    "EncodedChat": "spm_lite.tokenizer.chats",
    "EncodedFiles": "spm_lite.tokenizer.results",
    "Explanation": "spm_lite.pictures.explanation",
    "Extended": "spm_lite.tokenizer.results",
    "FairSweep": "spm_lite.evaluation.fair_figures",
    "Fault": "spm_lite.evaluation.audit_result",
    "FileCount": "spm_lite.tokenizer.file_counts",
    "FileCounts": "spm_lite.tokenizer.file_counts",
    "GrowingText": "spm_lite.tokenizer.growing_text",
    "PrefixCache": "spm_lite.tokenizer.prefix_cache",
    "Progress": "spm_lite.progress.meter",
    "Quality": "spm_lite.evaluation.quality",
    "Revised": "spm_lite.tokenizer.results",
    "RoundTripReport": "spm_lite.tokenizer.roundtrip",
    "Segmentation": "spm_lite.tokenizer.results",
    "SplitPattern": "spm_lite.formats.proof.conversion",
    "Sweep": "spm_lite.evaluation.size_sweep",
    "Text": "spm_lite.tokenizer.specials",
    "TextStream": "spm_lite.decode.stream",
    "Tokenizer": "spm_lite.tokenizer.tokenizer",
    "TrainingReport": "spm_lite.training.report",
    "Verdict": "spm_lite.evaluation.prediction.verdicts",
    "VocabMap": "spm_lite.vocab.vocab_map",
    "align": "spm_lite.evaluation.aligned_texts",
    "as_tokenizer": "spm_lite.evaluation.audit_texts",
    "audit": "spm_lite.evaluation.audit_texts",
    "byte_tokenizer": "spm_lite.tokenizer.untrained",
    "convert": "spm_lite.tokenizer.convert_files",
    "evaluate": "spm_lite.evaluation.quality",
    "install_as_sentencepiece": "spm_lite.sentencepiece.install",
    "load": "spm_lite.tokenizer.tokenizer",
    "lock": "spm_lite.evaluation.locks.lock_making",
    "merge": "spm_lite.training.extension.joined_vocabularies",
    "read_vocab": "spm_lite.vocab.vocab_file",
    "sweep": "spm_lite.evaluation.size_sweep",
    "train": "spm_lite.training.run",
}

_PARTS = {  # classes of what results hold; they bear the name of the package, so a pickle finds them here
    "Change": "spm_lite.evaluation.requirements",
    "Changed": "spm_lite.tokenizer.growing_text",
    "Drift": "spm_lite.tokenizer.growing_text",
    "Failure": "spm_lite.evaluation.requirements",
    "FairChoice": "spm_lite.evaluation.fair_figures",
    "FairFigures": "spm_lite.evaluation.fair_figures",
    "GrownPiece": "spm_lite.vocab.vocab_map",
    "LockDifference": "spm_lite.evaluation.locks.lock_result",
    "PrefixInfo": "spm_lite.tokenizer.prefix_cache",
    "Rows": "spm_lite.vocab.vocab_map",
    "SizeFigures": "spm_lite.evaluation.size_sweep",
}
_DROP_IN = (  # names of sentencepiece, found here too, so that `import spm_lite as spm` is all that a program changes
    "ConvertToFlatbuffer", "ImmutableNBestSentencePieceText", "ImmutableSentencePieceText",
    "ImmutableSentencePieceText_ImmutableSentencePiece", "SentencePieceNormalizer", "SentencePieceProcessor",
    "SentencePieceTrainer", "SetDataDir", "SetMinLogLevel", "SetNBestTimeout", "SetRandomGeneratorSeed", "ThreadPool",
    "convert_to_flatbuffer", "set_data_dir", "set_min_log_level", "set_nbest_timeout", "set_random_generator_seed",
)  # fmt: skip
_MOVED = {  # modules that pickles of version 0.2.0 name, and where their contents are now
    "spm_lite.model.messages": "spm_lite.vocab.messages",
    "spm_lite.pictures.steps.diagram": "spm_lite.pictures.diagram",
}
_ELSEWHERE = {  # names of other libraries -> what to write
    **dict.fromkeys(
        ("from_bytes", "from_file", "from_hf", "from_huggingface", "from_str", "from_tiktoken", "open"),
        "spm_lite.load(path)",
    ),
    **dict.fromkeys(
        (
            "AutoTokenizer",
            "PreTrainedTokenizerFast",
            "encoding_for_model",
            "encoding_name_for_model",
            "from_pretrained",
            "get_encoding",
            "list_encoding_names",
        ),
        "spm_lite.load(path) with a file or folder that is here; nothing is downloaded by name",
    ),
    **dict.fromkeys(("Trainer", "train_from_iterator"), "spm_lite.train(texts, vocab_size=n)"),
    "Encoding": "spm_lite.Tokenizer",
    **dict.fromkeys(
        ("compare", "diff"), "spm_lite.audit({'a': path, 'b': path}, texts); 'spm-lite compare' is a command"
    ),
    **dict.fromkeys(("encode", "decode", "tokenize", "count"), "a method of spm_lite.load(path)"),
    **dict.fromkeys(("save", "export", "to_hf"), "a method of a Tokenizer, or spm_lite.convert(path, target)"),
    **dict.fromkeys(
        (
            "SentencePieceTokenizer",
            "BPE",
            "Unigram",
            "BertWordPieceTokenizer",
            "ByteLevelBPETokenizer",
            "CharBPETokenizer",
            "SentencePieceBPETokenizer",
            "SentencePieceUnigramTokenizer",
            "WordLevel",
            "WordPiece",
        ),
        "spm_lite.Tokenizer, which spm_lite.load(path) gives",
    ),
    "AddedToken": "a str: add_pieces([name]) of a Tokenizer, with control=True for a special token",
    **dict.fromkeys(("BpeTrainer", "UnigramTrainer", "WordPieceTrainer"), "spm_lite.train(texts, vocab_size=n)"),
    **dict.fromkeys(("SentencePieceTrainer_Train", "fit", "learn"), "spm_lite.train(texts, vocab_size=n)"),
}


def __getattr__(name: str) -> object:
    module = _ON_FIRST_USE.get(name) or _PARTS.get(name) or ("spm_lite.sentencepiece" if name in _DROP_IN else None)
    if module is None:
        hint = f": use {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        if not hint and not name.startswith("_"):
            from spm_lite.near_names import near_names

            near = " or ".join(near_names(name, __all__))
            hint = f"; did you mean {near}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    from importlib import import_module

    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _MovedModule(type(_sys)):
    """A module under the name that it had in version 0.2.0."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module

        return getattr(import_module(_MOVED[self.__name__]), name)


_sys.modules.update({name: _MovedModule(name) for name in _MOVED})
