"""The drop-in face: the names and the behaviour of the package sentencepiece, over the engine of spm_lite.

Where it differs from sentencepiece 0.2.3 on purpose: errors are also of a kind of ours and say more; paths may be
PathLike; the names and forms of 0.2.1 that 0.2.3 dropped are there; `ParallelEncode` gives just what `Encode` gives;
sampling with a seed gives the same on every machine, but not what sentencepiece draws, and so does the choice of lines
where `input_sentence_size` limits them; compiled rules are placed otherwise in a model that is trained, with the same
effect; `ConvertToFlatbuffer` only raises.
"""

TYPE_CHECKING = False  # as typing has it, without the cost of importing that
if TYPE_CHECKING:
    from spm_lite.sentencepiece.flatbuffer import ConvertToFlatbuffer, convert_to_flatbuffer
    from spm_lite.sentencepiece.immutable import (
        ImmutableNBestSentencePieceText,
        ImmutableSentencePieceText,
        ImmutableSentencePieceText_ImmutableSentencePiece,
    )
    from spm_lite.sentencepiece.processor import SentencePieceProcessor
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

_PLACES = {  # which module has which names; what trains needs nothing of what encodes
    "flatbuffer": ("ConvertToFlatbuffer", "convert_to_flatbuffer"),
    "immutable": (
        "ImmutableNBestSentencePieceText",
        "ImmutableSentencePieceText",
        "ImmutableSentencePieceText_ImmutableSentencePiece",
    ),
    "standalone_normalizer": ("SentencePieceNormalizer",),
    "processor": ("SentencePieceProcessor",),
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
