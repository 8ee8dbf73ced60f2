"""Return types of the drop-in, and the conversion of a text with its pieces to each of them.

Methods with a fixed return type (EncodeAsIds ...) are made here from the general calls, with the protocols that type
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeVar, overload

from spm_lite.base.system.arrays import Int32Array
from spm_lite.decode.decoded_text import DecodedText
from spm_lite.encode.encoded_text import EncodedText
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.sentencepiece.call_arguments import StateError, Text
from spm_lite.sentencepiece.immutable import ImmutableNBestSentencePieceText, ImmutableSentencePieceText
from spm_lite.sentencepiece.text_message import write_decoded, write_encoded, write_nbest, write_text
from spm_lite.texts.batch import as_numpy
from spm_lite.vocab.messages import read_message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


ReturnType: TypeAlias = type[int] | type[str] | type[bytes] | str
OLD_IMMUTABLE = "immutable_proto"  # of 0.2.1: allowed as out_type only; 0.2.3 refuses it as return_type
RETURN_TYPES: tuple[ReturnType, ...] = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
LISTS: tuple[ReturnType, ...] = (int, str, bytes, "numpy")  # types to which flags (BOS, EOS ...) can be applied
UNSIGNED = 2**32 - 1


class PiecesOfText(Protocol):
    """A text with its pieces: an EncodedText, a DecodedText or an EditedText."""

    @property
    def text(self) -> Text: ...
    def ids(self) -> list[int]: ...
    def pieces(self) -> list[bytes]: ...
    def piece_strings(self) -> list[str]: ...
    def surfaces(self) -> Any: ...
    def byte_offsets(self) -> list[tuple[int, int]]: ...
    def char_offsets(self) -> list[tuple[int, int]]: ...


def resolve(return_type: Any, out_type: Any, default: ReturnType) -> ReturnType:
    """The return type of a call, given under either name or by default. Raises OptionError."""
    if out_type is not None:
        if return_type is not None:
            raise OptionError("Cannot specify both out_type and return_type. Use return_type instead.")
        if isinstance(out_type, str) and out_type == OLD_IMMUTABLE:
            return OLD_IMMUTABLE
        return_type = out_type
    if return_type is None:
        if default == OLD_IMMUTABLE:  # the constructor accepted it as out_type
            return default
        return_type = default  # checked below as well: it is an attribute that callers may set
    if isinstance(return_type, str) and return_type == OLD_IMMUTABLE:
        raise OptionError("immutable_proto is deprecated and no longer supported. Use return_type='proto' instead.")
    if return_type not in RETURN_TYPES:
        raise OptionError(f"Invalid return_type: {return_type!r}. Must be one of {RETURN_TYPES}")
    known: ReturnType = return_type
    return known


def as_array(ids: Any) -> NDArray[np.int32]:
    """Ids as an array that cannot be written to. The result of an encoder is not copied."""
    import numpy as np

    array = as_numpy(ids, "int32") if isinstance(ids, Int32Array) else np.array(ids, dtype=np.int32)
    array.flags.writeable = False
    return array


def serialized(result: PiecesOfText, score: float | None = None) -> bytes:
    """Serialize a result as a SentencePieceText."""
    if isinstance(result, EncodedText):
        return write_encoded(result, score)
    if isinstance(result, DecodedText):
        return write_decoded(result)
    text = result.text if isinstance(result.text, bytes) else result.text.encode()
    return write_text(text, result.pieces(), result.ids(), result.surfaces(), result.byte_offsets(), score)


def offset_mapping(result: PiecesOfText, as_bytes: bool) -> dict[str, Any]:
    """Ids, pieces and offsets: bytes and byte offsets, or str and code points."""
    ids = result.ids()
    return {
        "ids": [piece_id & UNSIGNED for piece_id in ids] if -1 in ids else ids,
        "pieces": result.pieces() if as_bytes else result.piece_strings(),
        "offsets": result.byte_offsets() if as_bytes else result.char_offsets(),
    }


def as_return_type(
    result: PiecesOfText, kind: ReturnType, return_bytes: bool = False, score: float | None = None
) -> Any:
    """Convert a result to a return type. return_bytes: the form of an offset mapping."""
    if kind is int:
        return result.ids()
    if kind is str:
        return result.piece_strings()
    if kind is bytes:
        return result.pieces()
    if kind == "numpy":
        return as_array(result.ids())
    if kind == "offset_mapping":
        return offset_mapping(result, return_bytes)
    data = serialized(result, score)
    if kind == "serialized_proto":
        return data
    if kind == "proto":
        return public_message("SentencePieceText", data)
    return ImmutableSentencePieceText(data)


def shown_nbest(results: list[tuple[PiecesOfText, float]], kind: ReturnType) -> Any:
    """Convert several results with their scores to one n-best message."""
    data = write_nbest([serialized(result, score) for result, score in results])
    if kind == "serialized_proto":
        return data
    if kind == "proto":
        return public_message("NBestSentencePieceText", data)
    return ImmutableNBestSentencePieceText(data)


def public_message(name: str, data: bytes) -> Any:
    """Parse a message for the caller; its class can be pickled."""
    import spm_lite.sentencepiece_pb2  # noqa: F401  (registers the classes for pickle)

    return read_message(name, data)


def ConvertToFlatbuffer(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise StateError: spm_lite neither reads nor writes models in FlatBuffers form, which serves another runtime."""
    raise StateError(
        "UNIMPLEMENTED: spm_lite does not write models in FlatBuffers form. The model file itself is the same for "
        "sentencepiece: convert it there, with its ConvertToFlatbuffer"
    )


convert_to_flatbuffer = ConvertToFlatbuffer


Result = TypeVar("Result")
Class = TypeVar("Class")


class Encodes(Protocol[Result]):
    """Encode with a fixed return type. kwargs: the other arguments of Encode."""

    @overload
    def __call__(self, input: Text, **kwargs: Any) -> Result: ...
    @overload
    def __call__(self, input: list[str] | list[bytes] | list[Text], **kwargs: Any) -> list[Result]: ...


class Samples(Protocol[Result]):
    """Encode with sampling and a fixed return type."""

    @overload
    def __call__(
        self,
        input: Text,
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Any,
    ) -> Result: ...
    @overload
    def __call__(
        self,
        input: list[str] | list[bytes] | list[Text],
        nbest_size: int | None = None,
        alpha: float | None = None,
        **kwargs: Any,
    ) -> list[Result]: ...


class Lists(Protocol[Result]):
    """NBestEncode with a fixed return type."""

    @overload
    def __call__(self, input: Text, nbest_size: int | None = None, **kwargs: Any) -> Result: ...
    @overload
    def __call__(
        self,
        input: list[str] | list[bytes] | list[Text],
        nbest_size: int | None = None,
        **kwargs: Any,
    ) -> list[Result]: ...


class Scores(Protocol[Result]):
    """SampleEncodeAndScore with a fixed return type."""

    @overload
    def __call__(
        self,
        input: Text,
        num_samples: int | None = None,
        alpha: float | None = None,
        **kwargs: Any,
    ) -> Result: ...
    @overload
    def __call__(
        self,
        input: list[str] | list[bytes] | list[Text],
        num_samples: int | None = None,
        alpha: float | None = None,
        **kwargs: Any,
    ) -> list[Result]: ...


class Decodes(Protocol):
    """Decode; a sequence of sequences gives a list of results."""

    def __call__(self, input: Any, return_type: ReturnType | None = None, **kwargs: Any) -> Any: ...


def fixed(kwargs: dict[str, Any], return_type: ReturnType) -> dict[str, Any]:
    """Add the return type to the arguments of a call. Raises ArgumentTypeError if they hold one already."""
    key = "out_type" if return_type == OLD_IMMUTABLE else "return_type"
    if key in kwargs:
        raise ArgumentTypeError(
            f"{key}={kwargs[key]!r}: this name gives {return_type!r}; use Encode or Decode for others"
        )
    return {**kwargs, key: return_type}


def documented(call: Any, general: str, return_type: ReturnType | None, sampling: str = "") -> Any:
    """Give a call a docstring that names the general call and the fixed arguments."""
    name = getattr(return_type, "__name__", repr(return_type))
    form = f" with {sampling}return_type={name}" if return_type else ""
    call.__doc__ = f"Short for `{general}`{form}. All other arguments are the same as in `{general}`."
    return call


def encodes(return_type: ReturnType) -> Any:
    def call(self: Any, input: Any, **kwargs: Any) -> Any:
        return self.Encode(input, **fixed(kwargs, return_type))

    return documented(call, "Encode", return_type)


def samples(return_type: ReturnType) -> Any:
    def call(self: Any, input: Any, nbest_size: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        options = fixed(kwargs, return_type)
        return self.Encode(input, nbest_size=nbest_size, alpha=alpha, enable_sampling=True, **options)

    return documented(call, "Encode", return_type, "enable_sampling=True, ")


def lists(return_type: ReturnType) -> Any:
    def call(self: Any, input: Any, nbest_size: Any = None, **kwargs: Any) -> Any:
        return self.NBestEncode(input, nbest_size=nbest_size, **fixed(kwargs, return_type))

    return documented(call, "NBestEncode", return_type)


def parallel(return_type: ReturnType) -> Any:
    def call(self: Any, input: Any, **kwargs: Any) -> Any:
        return self.ParallelEncode(input, **fixed(kwargs, return_type))

    return documented(call, "ParallelEncode", return_type)


def scores(return_type: ReturnType) -> Any:
    def call(self: Any, input: Any, num_samples: Any = None, alpha: Any = None, **kwargs: Any) -> Any:
        options = fixed(kwargs, return_type)
        return self.SampleEncodeAndScore(input, num_samples=num_samples, alpha=alpha, **options)

    return documented(call, "SampleEncodeAndScore", return_type)


def decodes(return_type: ReturnType | None = None) -> Any:
    if return_type is None:

        def decode(self: Any, input: Any, return_type: Any = None, **kwargs: Any) -> Any:
            return self.Decode(input, return_type=return_type, **kwargs)

        return documented(decode, "Decode", None)

    def call(self: Any, input: Any, **kwargs: Any) -> Any:
        return self.Decode(input, **fixed(kwargs, return_type))

    return documented(call, "Decode", return_type)


def name_methods(kind: type[Class]) -> type[Class]:
    """Name the functions made above as in their class; where a function has two names, by the capitalized one."""
    for name, value in reversed(list(vars(kind).items())):
        if getattr(value, "__module__", "") == __name__:
            value.__name__ = name
            value.__qualname__ = f"{kind.__qualname__}.{name}"
    return kind
