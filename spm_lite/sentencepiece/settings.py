"""Settings of the process: seed, log level, time limit of n-best searches, folder of rule sets. And ThreadPool.

The setters are functions of the module sentencepiece. The engine has no such state: the drop-in passes the values on.
Random generators are here too: one for each thread, as in sentencepiece.
"""

from __future__ import annotations

import operator
import os
import threading
from typing import TYPE_CHECKING, SupportsIndex

from spm_lite.base.structures.random import Random
from spm_lite.errors import ArgumentTypeError
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import limit_threads

if TYPE_CHECKING:
    from logging import Logger


NO_SEED = 2**32 - 1  # sentencepiece's value for "no seed"
DEFAULT_NBEST_TIMEOUT = 30_000  # milliseconds
INT_RANGE = (-(2**31), 2**31 - 1)
LEVELS = (20, 30, 40, 50)  # of `logging`, by sentencepiece's number


class Seeding:
    """A seed, as it was set once. A thread begins a new generator for each Seeding, even of an equal seed."""

    __slots__ = ("seed",)

    def __init__(self, seed: int | None) -> None:
        self.seed = seed  # None: every thread takes one from the system


# Each is one object and replaced as a whole, so that no lock is needed, which a fork might copy locked.
_seeding = Seeding(None)
_nbest_timeout = DEFAULT_NBEST_TIMEOUT
_data_dir: str | None = None
_min_log_level = 0


def set_random_generator_seed(seed: SupportsIndex, /) -> None:
    """Set the seed of all sampling, 0 <= seed < 2^32 - 1; 2^32 - 1 itself changes nothing.

    Raises ArgumentTypeError outside this range, where sentencepiece raises TypeError.
    """
    global _seeding
    number = as_number(seed, "seed", 0, NO_SEED)
    if number != NO_SEED:
        _seeding = Seeding(number)


def seeding() -> Seeding:
    """The seeding of the process now."""
    return _seeding


def random_seed() -> int | None:
    """The seed that was set last; None: none was set."""
    return _seeding.seed


def forget_copied_generator() -> None:
    """In a forked process: begin a new generator, unless a seed was set. The parent draws from the copied one."""
    global _seeding
    if _seeding.seed is None:
        _seeding = Seeding(None)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=forget_copied_generator)


def set_min_log_level(v: SupportsIndex, /) -> None:
    """Log from this level on: 0 info, 1 warning, 2 error, 3 fatal. Sets the level of the logger "spm_lite"."""
    global _min_log_level
    _min_log_level = as_number(v, "log level", *INT_RANGE)
    logger().setLevel(logging_level())


def logger() -> Logger:
    """The logger "spm_lite"."""
    import logging  # here, since importing it takes longer than loading most models

    return logging.getLogger("spm_lite")


def log(level: int, text: str) -> bool:
    """Write a record to the logger, if the program handles its records; whether it does."""
    import logging

    found: Logger | None = logger()
    while found is not None:
        if any(not isinstance(handler, logging.NullHandler) for handler in found.handlers):
            logger().log(level, "%s", text)
            return True
        found = found.parent if found.propagate else None
    return False


def min_log_level() -> int:
    """The log level that was set last, by sentencepiece's number."""
    return _min_log_level


def logging_level() -> int:
    """The log level by the number of `logging`."""
    return LEVELS[min(max(_min_log_level, 0), len(LEVELS) - 1)]


def set_nbest_timeout(timeout_ms: SupportsIndex, /) -> None:
    """Limit the time of one n-best search, in milliseconds; 0 and below: no limit."""
    global _nbest_timeout
    _nbest_timeout = as_number(timeout_ms, "timeout_ms", *INT_RANGE)


def nbest_timeout_ms() -> int:
    """The time limit of one n-best search in milliseconds; 0 and below: none."""
    return _nbest_timeout


def set_data_dir(data_dir: str | bytes | os.PathLike[str], /) -> None:
    """Read named rule sets from this folder, as `<name>.bin`, instead of using the built-in ones."""
    global _data_dir
    try:
        _data_dir = os.fsdecode(data_dir)
    except TypeError:
        raise ArgumentTypeError(f"data_dir is {data_dir!r:.80}: must be the path of a folder") from None


def data_dir() -> str | None:
    """The folder that was set; None: the built-in rule sets are used."""
    return _data_dir


class ThreadPool:
    """The number of threads that a batch may use. The threads themselves live only during a call."""

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ("_size",)

    def __init__(self, num_threads: SupportsIndex, /) -> None:
        """num_threads: limited to 1..1024; below 0: the number of CPUs that this process may use."""
        number = as_number(num_threads, "num_threads", *INT_RANGE)
        self._size = limit_threads(number)

    def num_threads(self) -> int:
        """The number of threads."""
        return self._size


def as_number(value: SupportsIndex, name: str, low: int, high: int) -> int:
    """Return an integer in a range. Raises ArgumentTypeError for any other value."""
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


class ThreadState(threading.local):
    """The generator of a thread, and the seeding that it began with."""

    seeding: settings.Seeding | None = None  # until the first draw
    random: Random


_state = ThreadState()


def thread_random() -> Random:
    """The generator of this thread.

    A new one begins after each `set_random_generator_seed`. Without a seed, one begins in a forked process too: there
    sentencepiece goes on with a copy, so that forked workers draw alike if their parent drew before.
    """
    seeding = settings.seeding()
    if _state.seeding is not seeding:
        _state.random = Random(seeding.seed)
        _state.seeding = seeding
    return _state.random
