"""Check the arguments of the native API: each function returns the value in its proper form or raises a typed error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, MappingView, Set
from operator import index

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, IdError, OptionError, SpmLiteError, TextError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

MAX_THREADS = 256
UNITS = {"k": 1_000, "m": 1_000_000}  # of short numbers
SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # of bytes
SIZES |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
SIZE = r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*([KMGT]?I?B?)"
MOST_BYTES = 2**62  # a larger size counts as this
LEAST_WEIGHT = 1e-100
SOME_IDS = "a list of ids, such as [12, 7]"  # for messages
SURROGATES = "surrogatepass"  # Python's name of this error handler
BOOLS = ("bool", "bool_")  # names of Python's and numpy's type: numpy need not be imported


def as_flag(value: Any, name: str) -> bool:
    """`value` as a bool. Anything but a bool of Python or numpy is refused: the string "no" would count as true."""
    if type(value).__name__ in BOOLS:
        return bool(value)
    raise ArgumentTypeError(f"{name}={value!r:.40}: must be True or False, not {type(value).__name__}")


def as_python(value: Any) -> Any:
    """A bool or number of another library, such as numpy, as one of Python; anything else unchanged."""
    kind = type(value)
    if kind in (bool, int, float, str, type(None)):
        return value
    if kind.__name__ in BOOLS:
        return bool(value)
    from numbers import Integral, Real

    if isinstance(value, Integral) and not isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, (int, float)) else value


def as_int(value: Any, name: str) -> int:
    """`value`, an integer of any type, as an int; bool and float are refused."""
    if type(value).__name__ not in BOOLS:
        try:
            return index(value)
        except TypeError:
            pass
    raise ArgumentTypeError(f"{name} is an integer, not {type(value).__name__} {value!r:.40}")


def number_in(text: str) -> int:
    """The whole number that a text spells: `8000`, `8_000`, `8k` for it, `2m` for 2,000,000. Raises ValueError."""
    from re import fullmatch

    if fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?[kKmM]", text):
        return round(float(text[:-1]) * UNITS[text[-1].lower()])
    return int(text)


def as_size(value: Any, name: str, remedies: list[dict[str, Any]] | None = None) -> int:
    """A number of bytes, at most MOST_BYTES, of an int or a text such as "512MB".

    remedies: for messages; with them, None is a value too. Raises OptionError, ArgumentTypeError.
    """
    if isinstance(value, str):
        from re import fullmatch

        match = fullmatch(SIZE, value.strip().upper())
        if match is None or match[2] not in SIZES:
            raise OptionError(
                f"{name}={value!r:.40}: must be bytes, or a text such as '512MB' (10^6) or '1.5GB'",
                remedies=remedies or [],
            )
        return int(min(float(match[1].replace("_", "")) * SIZES[match[2]], float(MOST_BYTES)))
    value = as_python(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return min(value, MOST_BYTES)
    kinds = "int, str or None" if remedies else "int or str"
    raise ArgumentTypeError(
        f"{name}={value!r:.40}: must be {kinds}, not {type(value).__name__}", remedies=remedies or []
    )


def as_id(piece_id: Any, vocab_size: int) -> int:
    """`piece_id` as an int. Raises IdError if it is outside the vocabulary."""
    if piece_id.__class__ is int and 0 <= piece_id < vocab_size:  # nearly all are: saves half of such a call
        return piece_id
    number = as_int(piece_id, "an id")
    if not 0 <= number < vocab_size:
        raise IdError(f"id {number} is outside the vocabulary: ids are 0 to {vocab_size - 1}")
    return number


def usable_cpus() -> int:
    """The number of CPUs that this process may use."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def default_threads() -> int:
    """The number of threads where none is given: all usable CPUs, or fewer if OMP_NUM_THREADS says so.

    Engines such as Spark and Ray give each of their many workers its share of the CPUs by that variable. A value that
    is not a list of positive numbers counts as unset, as for OpenMP; of a list, the first number counts.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    cpus = usable_cpus()
    return min(cpus, int(wanted)) if wanted.isdecimal() and int(wanted) else cpus


def as_num_threads(num_threads: int | None) -> int:
    """The number of threads to use, at most MAX_THREADS; None means `default_threads`."""
    if num_threads is None:
        return min(default_threads(), MAX_THREADS)
    number = as_int(num_threads, "num_threads")
    if number < 1:
        raise OptionError(f"num_threads {number} is below 1; None means all usable CPUs")
    return min(number, MAX_THREADS)


def as_cache_bytes(cache_bytes: int) -> int:
    """The size of a cache in bytes; 0: no cache."""
    number = as_int(cache_bytes, "cache_bytes")
    if not 0 <= number < 2**62:
        raise OptionError(f"cache_bytes={number}: must be 0, for no cache, or more, and below 2^62")
    return number


def as_iterable(value: Any, name: str, wanted: str = "a list", in_order: bool = True) -> Any:
    """`value`, if it is a series of items, and not an object that can be iterated over for another reason.

    wanted: what to pass, for messages. in_order: whether the order of the items matters, so that sets are refused.
    """
    if value.__class__ is list or value.__class__ is tuple:  # nearly all are
        return value
    refuse_accidental(value, name, wanted, in_order)
    is_series = isinstance(value, Iterable) or hasattr(type(value), "__getitem__")  # `iter` may begin work
    if not is_series or getattr(value, "ndim", 1) == 0:
        raise ArgumentTypeError(f"{name} is {type(value).__name__}, which cannot be iterated over: pass {wanted}")
    return value


def refuse_accidental(value: Any, name: str, wanted: str, in_order: bool = True) -> None:
    """Raise ArgumentTypeError for an object whose iteration does not give what the caller means."""
    kind = type(value).__name__
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"{name} is {kind}: pass {wanted}")
    if isinstance(value, Mapping):
        raise ArgumentTypeError(f"{name} is {kind}, which would give only its keys: pass {wanted}")
    if in_order and isinstance(value, Set) and not isinstance(value, MappingView):
        raise ArgumentTypeError(f"{name} is {kind}, which has no order: pass sorted(...) of it, or {wanted}")
    if hasattr(type(value), "columns") and hasattr(value, "__getitem__"):  # polars warns if a query tells its columns
        what = "one of its columns after collect()" if hasattr(value, "collect") else "one of its columns"
        raise ArgumentTypeError(f"{name} is a table ({kind}): pass {what}, or {wanted}")


def as_ids(ids: Any, text: int | None = None) -> Any:
    """`ids` as an iterable that is quick to read: arrays become lists. text: index in the batch, for messages."""
    name = "ids" if text is None else f"element {text} of the batch"
    if isinstance(ids, (str, bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"{name} is {type(ids).__name__}, not a sequence of integers: pass {SOME_IDS}")
    if hasattr(ids, "to_lists"):
        raise ArgumentTypeError(f"{name} is a Batch, the ids of many texts: use decode_batch(batch), or batch[0]")
    to_list = getattr(ids, "tolist", None)
    return as_iterable(ids if to_list is None else to_list(), name, SOME_IDS)


def allows_surrogates(errors: Any, default: str) -> bool:
    """Whether `errors` lets lone surrogates pass. default: the value of `errors` that does not."""
    if isinstance(errors, str) and errors in (default, SURROGATES):
        return errors == SURROGATES
    raise OptionError(f"errors={errors!r:.40}: must be {default!r} or {SURROGATES!r}")


def with_surrogates(text: Any) -> Any:
    """A str with lone surrogates as bytes: UTF-8, with three ill-formed bytes for each; anything else unchanged."""
    if isinstance(text, str) and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", SURROGATES)
    return text


def text_for_encoder(text: str | bytes, errors: str) -> str | bytes:
    """A text in the form that the encoder accepts: where `errors` allows lone surrogates, they become bytes."""
    return with_surrogates(text) if allows_surrogates(errors, "strict") else text


def as_piece(piece: str | bytes) -> bytes:
    """The bytes of a piece string; in a str, surrogates of "surrogateescape" become the bytes that they replace."""
    if isinstance(piece, str):
        try:
            return piece.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise TextError(
                f"the piece {piece!r} holds a lone surrogate at character {error.start}: no piece has one"
            ) from None
    if isinstance(piece, bytes):
        return bytes(piece)
    raise ArgumentTypeError(f"a piece is str or bytes, not {type(piece).__name__}")


def as_flat(values: Any, name: str, bits: int, out_of_range: type[SpmLiteError]) -> NDArray[Any]:
    """`values` as a flat, contiguous array of signed integers of `bits` bits; no copy if it is one already.

    Raises ArgumentTypeError for values that are not integers, OptionError for an array that is not flat, and
    `out_of_range` for a number that does not fit.
    """
    import numpy as np

    if not hasattr(values, "__array__"):
        return flat_of_list(values, name, bits, out_of_range)
    array, kind = np.asarray(values), np.dtype(f"i{bits // 8}")
    if array.ndim != 1:
        raise OptionError(f"{name} has {array.ndim} dimensions: must have one, such as after ravel()")
    if array.size and array.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name} is an array of {array.dtype}: must be an array of integers")
    if array.size and not np.can_cast(array.dtype, kind):
        check_bits(int(array.min()), int(array.max()), name, bits, out_of_range)
    return np.ascontiguousarray(array, dtype=kind)


def flat_of_list(values: Any, name: str, bits: int, out_of_range: type[SpmLiteError]) -> NDArray[Any]:
    """An iterable as an array of integers, each item checked: numpy would take 1.5 as 1, "5" as 5 and True as 1."""
    import numpy as np

    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise ArgumentTypeError(f"{name} is {type(values).__name__}, not a sequence of integers")
    numbers = list(as_iterable(values, name))
    if set(map(type, numbers)) - {int}:
        numbers = [as_int(value, f"item {i} of {name}") for i, value in enumerate(numbers)]
    check_bits(min(numbers, default=0), max(numbers, default=0), name, bits, out_of_range)
    return np.array(numbers, dtype=f"i{bits // 8}")


def check_bits(lowest: int, highest: int, name: str, bits: int, out_of_range: type[SpmLiteError]) -> None:
    """Raise `out_of_range` unless both numbers fit into a signed integer of `bits` bits."""
    limit = 2 ** (bits - 1)
    for number in (lowest, highest):
        if not -limit <= number < limit:
            raise out_of_range(f"{name} holds {number}: must be {-limit}..{limit - 1}")


def as_number(value: Any, what: str) -> int | float:
    """A number of Python or of another library. Raises ArgumentTypeError for anything else."""
    from numbers import Real

    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentTypeError(f"{what} is {type(value).__name__}: it must be a number")
    try:
        return value if isinstance(value, int) else float(value)
    except OverflowError:  # a fraction; the range check of the caller speaks
        return float("-inf") if value < 0 else float("inf")


def shown_number(number: int | float) -> str:
    """A number for a message; Python refuses to write an int of very many digits."""
    is_short = isinstance(number, float) or abs(number) < 10**300
    return f"{number}" if is_short else "a number of more than 300 digits"


def as_weights(weights: Any, names: Iterable[str], noun: str) -> dict[str, int | float]:
    """A weight above 0 for each of the names, in their order. noun: what they name, such as "source".

    Raises ArgumentTypeError and OptionError for wrong weights.
    """
    if not isinstance(weights, Mapping):
        raise ArgumentTypeError(f"weights is {type(weights).__name__}: pass a dict of the names of {noun}s and numbers")
    names, remedies = [*names], [{"weights": None}]
    missing, unknown = [name for name in names if name not in weights], [name for name in weights if name not in names]
    if missing or unknown:
        which, what = (missing[0], "has no weight") if missing else (unknown[0], f"has a weight but is not a {noun}")
        raise OptionError(f"{which!r:.60} {what}: weights must name each {noun} once", remedies=remedies)
    found = {name: as_number(weights[name], f"the weight of {name!r:.60}") for name in names}
    for name, weight in found.items():
        if not LEAST_WEIGHT <= weight <= 1 / LEAST_WEIGHT:
            raise OptionError(
                f"the weight of {name!r:.60} is {shown_number(weight)}: must be above 0; leave the {noun} out if it "
                f"is to have no share. The range is {LEAST_WEIGHT} to {1 / LEAST_WEIGHT}",
                remedies=remedies,
            )
    return found
