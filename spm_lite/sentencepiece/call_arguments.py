"""Arguments of the drop-in face: taken as sentencepiece takes them, refused with the same class of error."""

from __future__ import annotations

from collections.abc import Mapping, Set
from operator import index
from typing import Any, NoReturn, TypeAlias

from spm_lite.arguments import usable_cpus
from spm_lite.errors import ArgumentTypeError, IdError
from spm_lite.sentencepiece.error_kinds import ArgumentRuntimeError, TextTypeError

Text: TypeAlias = str | bytes
MAX_THREADS = 1024
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
NO_IDS = "Input must be an integer buffer, list of integers, or a sequence of integers."


class IdTypeError(IdError, ArgumentTypeError):
    """An id that no 32 bits can hold."""


def as_text(value: Any) -> Text:
    """One text."""
    if isinstance(value, (str, bytes)):
        return value
    raise ArgumentTypeError(f"Input must be str or bytes, not {type(value).__name__} {value!r:.40}")


def check_texts(values: list[Any]) -> None:
    """Raise ArgumentTypeError for a list with something else than texts in it."""
    for i, value in enumerate(values):
        if not isinstance(value, (str, bytes)):
            raise ArgumentTypeError(
                f"List elements must be str or bytes, but element {i} is {type(value).__name__} {value!r:.40}"
            )


def as_bool(value: Any, name: str) -> bool:
    """A flag: whatever has a truth value of its own; None is false. An empty list or a str is an error."""
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
    """A number of threads, not yet limited."""
    if not isinstance(num_threads, int):
        raise ArgumentTypeError(f"num_threads must be int, not {type(num_threads).__name__} {num_threads!r:.40}")
    return num_threads


def as_num_threads(num_threads: int, thread_pool: Any) -> int:
    """How many threads a batch may use: those of the pool, or `num_threads`, -1 for all CPUs; 1 to 1024."""
    if thread_pool is not None:
        if not callable(getattr(thread_pool, "num_threads", None)):
            raise ArgumentRuntimeError(
                f"thread_pool is {type(thread_pool).__name__} {thread_pool!r:.40}: must be a ThreadPool"
            )
        num_threads = thread_pool.num_threads()
    return limit_threads(num_threads)


def limit_threads(num_threads: int) -> int:
    """1 to 1024 threads; below 0: the CPUs that this process may use."""
    return min(max(usable_cpus() if num_threads < 0 else num_threads, 1), MAX_THREADS)


def is_sequence(value: Any) -> bool:
    """Whether a value counts as a sequence of something: it has a length, and is no text and no mapping or set."""
    if isinstance(value, (list, tuple)):  # nearly all are; to ask the abstract classes takes longer than decoding
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
    """One id. Raises ArgumentTypeError for what is no integer, IdTypeError for one of more than 32 bits."""
    try:
        number = int(index(value))
    except TypeError:
        refuse_ids(value)
    if not INT32_MIN <= number <= INT32_MAX:
        raise IdTypeError(f"{NO_IDS} {number} has more than 32 bits")
    return number


def as_ids(value: Any) -> list[int]:
    """The ids of a sequence or buffer; those of an array that have more than 32 bits become the nearest that fits."""
    if not is_sequence(value) or getattr(getattr(value, "dtype", None), "kind", "") == "b":  # a mask is no list of ids
        refuse_ids(value)
    items = as_list(value)
    if isinstance(value, (list, tuple)):
        return [as_id(item) for item in items]
    return [as_id(min(max(item, INT32_MIN), INT32_MAX) if isinstance(item, int) else item) for item in items]


def as_pieces(value: Any) -> list[bytes]:
    """The pieces of a sequence, as UTF-8."""
    if isinstance(value, (str, bytes)):
        raise ArgumentTypeError(f"Input must be a list or tuple of str or bytes. This is {value!r:.40}")
    # A list is taken for what is in it, whatever a class made of it gives out.
    items = list.copy(value) if isinstance(value, list) else as_list(value)
    check_texts(items)
    return [piece_bytes(item) for item in items]


def piece_bytes(piece: Text | bytearray) -> bytes:
    """The UTF-8 of a piece; what stands for ill-formed bytes in a str becomes those bytes again."""
    if isinstance(piece, (bytes, bytearray)):
        return bytes(piece)  # of a subclass too, as numpy's are; the compiled code takes bytes itself only
    try:
        return piece.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise TextTypeError(f"the piece {piece!r:.40} holds a lone surrogate at character {error.start}") from None


def refuse_ids(value: Any) -> NoReturn:
    """Raise the error for what are no ids."""
    raise ArgumentTypeError(f"{NO_IDS} This is {type(value).__name__} {value!r:.40}")
