"""What holds for a whole process: seed, log level, time limit of n-best searches, folder of rule sets; thread pools.

The setters are the functions of the module sentencepiece; the engine has no such state, so the face hands it on.
"""

from __future__ import annotations

import operator
import os
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from spm_lite.errors import ArgumentTypeError
from spm_lite.sentencepiece.call_arguments import limit_threads

if TYPE_CHECKING:
    from logging import Logger

NO_SEED = 2**32 - 1  # what the original takes for "no seed was given"
DEFAULT_NBEST_TIMEOUT = 30_000  # milliseconds
INT_RANGE = (-(2**31), 2**31 - 1)
LEVELS = (20, 30, 40, 50)  # of `logging`, by the original's number


class RandomState(NamedTuple):
    """The seed, and how often one was set: whoever has seen a smaller generation starts a new generator."""

    generation: int
    seed: int | None  # None: from the system


# Each is one object, replaced whole, so that readers need no lock.
_random = RandomState(0, None)
_one_at_a_time = Lock()
_nbest_timeout = DEFAULT_NBEST_TIMEOUT
_data_dir: str | None = None
_min_log_level = 0


def set_random_generator_seed(seed: SupportsIndex, /) -> None:
    """Set the seed of all sampling, 0 <= seed < 2^32 - 1; 2^32 - 1 itself changes nothing.

    Raises ArgumentTypeError outside of that, as the original raises TypeError.
    """
    global _random
    number = as_number(seed, "seed", 0, NO_SEED)
    if number != NO_SEED:
        with _one_at_a_time:  # so that no two seeds are of one generation
            _random = RandomState(_random.generation + 1, number)


def random_state() -> RandomState:
    """The seed and its generation, read at once."""
    return _random


def random_seed() -> int | None:
    """The seed that was set last; None: none was."""
    return _random.seed


def set_min_log_level(v: SupportsIndex, /) -> None:
    """Log from this level on: 0 info, 1 warning, 2 error, 3 fatal. It is the level of `logging`'s logger "spm_lite"."""
    global _min_log_level
    _min_log_level = as_number(v, "log level", *INT_RANGE)
    logger().setLevel(logging_level())


def logger() -> Logger:
    """The logger "spm_lite", quiet unless the program says where it writes."""
    import logging  # which takes longer to import than most models to load

    found = logging.getLogger("spm_lite")
    if not found.handlers:
        found.addHandler(logging.NullHandler())
    return found


def min_log_level() -> int:
    """The log level that was set last, by the original's number."""
    return _min_log_level


def logging_level() -> int:
    """The same as `logging` numbers levels."""
    return LEVELS[min(max(_min_log_level, 0), len(LEVELS) - 1)]


def set_nbest_timeout(timeout_ms: SupportsIndex, /) -> None:
    """Limit the time of one n-best search, in milliseconds; 0 and below: no limit."""
    global _nbest_timeout
    _nbest_timeout = as_number(timeout_ms, "timeout_ms", *INT_RANGE)


def nbest_timeout_ms() -> int:
    """The time limit of one n-best search in milliseconds; 0 and below: none."""
    return _nbest_timeout


def set_data_dir(data_dir: str | bytes | os.PathLike[str], /) -> None:
    """Look for named rule sets in this folder, as `<name>.bin`, instead of among our own."""
    global _data_dir
    try:
        _data_dir = os.fsdecode(data_dir)
    except TypeError:
        raise ArgumentTypeError(f"data_dir is {data_dir!r:.80}: must be the path of a folder") from None


def data_dir() -> str | None:
    """The folder that was set; None: the rule sets are ours."""
    return _data_dir


class ThreadPool:
    """How many threads a batch may use. The threads themselves live only as long as a call."""

    __slots__ = ("_size",)

    def __init__(self, num_threads: SupportsIndex, /) -> None:
        """num_threads: 1..1024, beyond that the nearest of them; below 0: the CPUs that this process may use."""
        number = as_number(num_threads, "num_threads", *INT_RANGE)
        self._size = limit_threads(number)

    def num_threads(self) -> int:
        """The number of threads."""
        return self._size


def as_number(value: SupportsIndex, name: str, low: int, high: int) -> int:
    """An integer in a range. Raises ArgumentTypeError for any other value, and outside the range as well."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}={value!r:.40}: must be an int, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ArgumentTypeError(f"{name}={number}: must be {low}..{high}")
    return number


SetRandomGeneratorSeed = set_random_generator_seed
SetMinLogLevel = set_min_log_level
SetNBestTimeout = set_nbest_timeout
SetDataDir = set_data_dir
