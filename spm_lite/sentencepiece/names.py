"""Methods with a fixed return type (EncodeAsIds ...), made from the general calls, and the protocols that type them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, overload

from spm_lite.errors import ArgumentTypeError
from spm_lite.sentencepiece.call_arguments import Text
from spm_lite.sentencepiece.returns import OLD_IMMUTABLE, ReturnType

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


def named(kind: type[Class]) -> type[Class]:
    """Name the functions made above as in their class; where a function has two names, by the capitalized one."""
    for name, value in reversed(list(vars(kind).items())):
        if getattr(value, "__module__", "") == __name__:
            value.__name__ = name
            value.__qualname__ = f"{kind.__qualname__}.{name}"
    return kind
