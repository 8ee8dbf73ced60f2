"""Argument checks of the drop-in: what sentencepiece accepts, and for the rest its class of error.

sentencepiece 0.2.3 raises ValueError, TypeError and IndexError, and RuntimeError for all else. Classes of spm_lite that
derive from one of the first three stay as they are. For the rest, a subclass here has RuntimeError as second parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from operator import index
from typing import Any, NoReturn, TypeAlias

from spm_lite.arguments import default_threads
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


class StateError(SpmLiteError, RuntimeError):
    """A call that this object cannot carry out: it holds no model, or one of another type."""


class ModelRuntimeError(ModelError, RuntimeError):
    """A model that cannot be used."""


class FileRuntimeError(FileError, RuntimeError):
    """A file that cannot be read or written."""


class MissingFileRuntimeError(MissingFileError, FileRuntimeError):
    """A file that does not exist."""


class FilePermissionRuntimeError(FilePermissionError, FileRuntimeError):
    """A file that may not be read or written."""


class TextRuntimeError(TextError, RuntimeError):
    """A text that cannot be encoded."""


class ArgumentRuntimeError(ArgumentTypeError, RuntimeError):
    """An argument of a wrong type for which sentencepiece raises RuntimeError."""


class TextTypeError(TextError, TypeError):
    """A text within a list that cannot be encoded."""


class OptionRuntimeError(OptionError, RuntimeError):
    """An option that is misspelled, out of range, or contradicts another."""


class TrainingRuntimeError(TrainingError, RuntimeError):
    """A corpus from which the model asked for cannot be trained."""


RUNTIME_ERRORS = (  # error, its RuntimeError, the prefix of sentencepiece's message; the first match counts
    (ModelError, ModelRuntimeError, "INTERNAL"),
    (MissingFileError, MissingFileRuntimeError, "NOT_FOUND"),
    (FilePermissionError, FilePermissionRuntimeError, "PERMISSION_DENIED"),
    (FileError, FileRuntimeError, "FAILED_PRECONDITION"),
    (TextError, TextRuntimeError, "INTERNAL"),
    (OptionError, OptionRuntimeError, "INTERNAL"),
    (TrainingError, TrainingRuntimeError, "INTERNAL"),
)


class RuntimeErrors:
    """A context that turns errors of the engine into their RuntimeError subclasses."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, SpmLiteError) or isinstance(error, RuntimeError):
            return
        for own, twin, status in RUNTIME_ERRORS:
            if isinstance(error, own):
                words = f"{error.original} {error}" if error.original else str(error)
                raised = twin(f"{status}: {words}")
                raised.remedies = error.remedies
                raise raised from error.__cause__  # an error of the caller's function, for instance


_runtime_errors = RuntimeErrors()  # stateless, so shared; contextlib's would cost 1 µs a call


def as_runtime_errors() -> RuntimeErrors:
    """The shared RuntimeErrors context."""
    return _runtime_errors


Text: TypeAlias = str | bytes
MAX_THREADS = 1024
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
NO_IDS = "Input must be an integer buffer, list of integers, or a sequence of integers."


class IdTypeError(IdError, ArgumentTypeError):
    """An id that does not fit into 32 bits."""


def checked_text(value: Any) -> Text:
    """Return one text. Raises ArgumentTypeError for other types."""
    if isinstance(value, (str, bytes)):
        return value
    raise ArgumentTypeError(f"Input must be str or bytes, not {type(value).__name__} {value!r:.40}")


def check_texts(values: list[Any]) -> None:
    """Raise ArgumentTypeError if an element of a list is not text."""
    for i, value in enumerate(values):
        if not isinstance(value, (str, bytes)):
            raise ArgumentTypeError(
                f"List elements must be str or bytes, but element {i} is {type(value).__name__} {value!r:.40}"
            )


def as_bool(value: Any, name: str) -> bool:
    """A flag: any value whose type defines __bool__; None is false. A list or a str is an error."""
    if value is None or hasattr(type(value), "__bool__"):
        return bool(value)
    raise ArgumentTypeError(f"{name}={value!r:.40}: must be True or False, not {type(value).__name__}")


def as_int(value: Any, name: str) -> int:
    """An integer of any type."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}={value!r:.40}: must be an integer, not {type(value).__name__}") from None


def as_float(value: Any, name: str) -> float:
    """A number."""
    if hasattr(type(value), "__float__") or hasattr(type(value), "__index__"):
        return float(value)
    raise ArgumentTypeError(f"{name}={value!r:.40}: must be a number, not {type(value).__name__}")


def check_num_threads(num_threads: Any) -> int:
    """Return a number of threads, not yet limited. Raises ArgumentTypeError unless it is an int."""
    if not isinstance(num_threads, int):
        raise ArgumentTypeError(f"num_threads must be int, not {type(num_threads).__name__} {num_threads!r:.40}")
    return num_threads


def as_num_threads(num_threads: int, thread_pool: Any) -> int:
    """The number of threads of a batch, 1 to 1024: of the pool if there is one, else `num_threads` (-1: all CPUs)."""
    if thread_pool is not None:
        if not callable(getattr(thread_pool, "num_threads", None)):
            raise ArgumentRuntimeError(
                f"thread_pool is {type(thread_pool).__name__} {thread_pool!r:.40}: must be a ThreadPool"
            )
        num_threads = thread_pool.num_threads()
    return limit_threads(num_threads)


def limit_threads(num_threads: int) -> int:
    """Limit a number of threads to 1..1024; below 0: as many as num_threads=None means."""
    return min(max(default_threads() if num_threads < 0 else num_threads, 1), MAX_THREADS)


def is_sequence(value: Any) -> bool:
    """Whether a value counts as a sequence: it has a length, and is not a text, a mapping or a set."""
    if isinstance(value, (list, tuple)):  # testing the abstract classes takes longer than decoding
        return True
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping, Set))


def as_list(value: Any) -> list[Any]:
    """The items of a sequence or buffer."""
    if isinstance(value, (list, tuple, range, bytearray)):
        return list(value)
    to_list = getattr(value, "tolist", None)
    items: Any = value if to_list is None else to_list()
    if isinstance(items, list):
        return items
    if not hasattr(items, "__getitem__"):
        refuse_ids(items)
    return [items[i] for i in range(len(items))]


def as_id(value: Any) -> int:
    """Return one id. Raises ArgumentTypeError if it is not an integer, IdTypeError if it does not fit into 32 bits."""
    try:
        number = int(index(value))
    except TypeError:
        refuse_ids(value)
    if not INT32_MIN <= number <= INT32_MAX:
        raise IdTypeError(f"{NO_IDS} {number} has more than 32 bits")
    return number


def as_ids(value: Any) -> list[int]:
    """The ids of a sequence or buffer. Those of an array that do not fit into 32 bits become the nearest that fits."""
    if not is_sequence(value) or getattr(getattr(value, "dtype", None), "kind", "") == "b":  # b: a mask, no ids
        refuse_ids(value)
    items = as_list(value)
    if isinstance(value, (list, tuple)):
        return [as_id(item) for item in items]
    return [as_id(min(max(item, INT32_MIN), INT32_MAX) if isinstance(item, int) else item) for item in items]


def as_pieces(value: Any) -> list[bytes]:
    """The pieces of a sequence, as UTF-8."""
    if isinstance(value, (str, bytes)):
        raise ArgumentTypeError(f"Input must be a list or tuple of str or bytes. This is {value!r:.40}")
    # A subclass of list may override iteration: take the elements that are stored.
    items = list.copy(value) if isinstance(value, list) else as_list(value)
    check_texts(items)
    return [piece_bytes(item) for item in items]


def piece_bytes(piece: Text | bytearray) -> bytes:
    """The UTF-8 of a piece. Surrogates of ill-formed bytes (surrogateescape) become these bytes again."""
    if isinstance(piece, (bytes, bytearray)):
        return bytes(piece)  # numpy's are a subclass, and the compiled code takes bytes itself only
    try:
        return piece.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise TextTypeError(f"the piece {piece!r:.40} holds a lone surrogate at character {error.start}") from None


def refuse_ids(value: Any) -> NoReturn:
    """Raise ArgumentTypeError for a value that holds no ids."""
    raise ArgumentTypeError(f"{NO_IDS} This is {type(value).__name__} {value!r:.40}")
