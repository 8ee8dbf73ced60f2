"""The drop-in: names and behaviour of the package sentencepiece, on the engine of spm_lite.

Differences from sentencepiece 0.2.3, all on purpose:
- Errors are also of a class of spm_lite, and their messages say more.
- Paths may be PathLike.
- The rule sets nfc, nfd and nfkd, and each with _cf, are built in. sentencepiece has them only as tables.
- Names and return types that 0.2.1 had and 0.2.3 dropped are there.
- `ParallelEncode` returns exactly what `Encode` returns.
- Sampling with a seed is the same on every machine, but draws other samples than sentencepiece. So does the choice of
  lines where `input_sentence_size` limits them.
- Without a seed, a forked process begins a new random generator; sentencepiece's goes on with a copy of its parent's.
- A trained model stores its compiled rules in another layout, with the same effect.
- `ConvertToFlatbuffer` only raises an error.
"""

TYPE_CHECKING = False  # as in typing, without the cost of importing it
if TYPE_CHECKING:
    from spm_lite.sentencepiece.immutable import (
        ImmutableNBestSentencePieceText,
        ImmutableSentencePieceText,
        ImmutableSentencePieceText_ImmutableSentencePiece,
    )
    from spm_lite.sentencepiece.processing.processor import SentencePieceProcessor
    from spm_lite.sentencepiece.returns import ConvertToFlatbuffer, convert_to_flatbuffer
    from spm_lite.sentencepiece.settings import (
        SetDataDir,
        SetMinLogLevel,
        SetNBestTimeout,
        SetRandomGeneratorSeed,
        ThreadPool,
        set_data_dir,
        set_min_log_level,
        set_nbest_timeout,
        set_random_generator_seed,
    )
    from spm_lite.sentencepiece.standalone_normalizer import SentencePieceNormalizer
    from spm_lite.sentencepiece.trainer import SentencePieceTrainer

__all__ = [
    "ConvertToFlatbuffer",
    "ImmutableNBestSentencePieceText",
    "ImmutableSentencePieceText",
    "ImmutableSentencePieceText_ImmutableSentencePiece",
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceTrainer",
    "SetDataDir",
    "SetMinLogLevel",
    "SetNBestTimeout",
    "SetRandomGeneratorSeed",
    "ThreadPool",
    "convert_to_flatbuffer",
    "set_data_dir",
    "set_min_log_level",
    "set_nbest_timeout",
    "set_random_generator_seed",
]

_PLACES = {  # module: its names, imported at first use, so that training imports nothing of encoding
    "returns": ("ConvertToFlatbuffer", "convert_to_flatbuffer"),
    "immutable": (
        "ImmutableNBestSentencePieceText",
        "ImmutableSentencePieceText",
        "ImmutableSentencePieceText_ImmutableSentencePiece",
    ),
    "standalone_normalizer": ("SentencePieceNormalizer",),
    "processing.processor": ("SentencePieceProcessor",),
    "settings": (
        "SetDataDir",
        "SetMinLogLevel",
        "SetNBestTimeout",
        "SetRandomGeneratorSeed",
        "ThreadPool",
        "set_data_dir",
        "set_min_log_level",
        "set_nbest_timeout",
        "set_random_generator_seed",
    ),
    "trainer": ("SentencePieceTrainer",),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _PLACES.items():
        if name in names:
            value: object = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
