"""Little memory: public calls under a limit of memory, raised step by step, give MemoryError or the right result."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import Result, long_corpus, run
from public_calls import Inputs, digest, every

import spm_lite

STEP = 20_000  # bytes
MOST_ROOM = 2**26  # bytes; a round in two has a random room below that
DONE, NO_MEMORY, WRONG, OTHER, BROKEN = 0, 10, 11, 12, 13
ENDS = {WRONG: "another result", OTHER: "another error", BROKEN: "broken later, when there was memory again"}
THREADS = (1, 2, 8)


def used(kind: int) -> int:
    """The bytes that count towards a limit now."""
    name = "VmSize:" if kind == resource.RLIMIT_AS else "VmData:"
    with Path("/proc/self/status").open() as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def use_no_store() -> None:
    """Let the allocator of glibc give back what it has in store, and get larger blocks from the system."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(-3, 2**16)  # M_MMAP_THRESHOLD
        libc.mallopt(-2, 0)  # M_TOP_PAD
        libc.malloc_trim(0)


def try_call(call: Callable[[], Any], expected: str, kind: int, room: int) -> tuple[int, str]:
    """Make a call under a limit, and once more without it if there was no memory: how that ended."""
    use_no_store()
    free = resource.getrlimit(kind)
    found, why = DONE, ""
    resource.setrlimit(kind, (used(kind) + room, free[1]))
    try:
        result = call()
    except MemoryError:
        found = NO_MEMORY
    except Exception as error:
        # An error that says so is as good: a file that cannot be read for want of memory, say.
        is_that = isinstance(error, spm_lite.SpmLiteError) and "memory" in str(error).lower()
        found, why = NO_MEMORY if is_that else OTHER, f"{type(error).__name__}: {error}"
    resource.setrlimit(kind, free)
    if found == DONE:
        return (DONE, "") if digest(result) == expected else (WRONG, repr(result)[:200])
    if found == OTHER:
        return OTHER, why
    try:
        return (NO_MEMORY, "") if digest(call()) == expected else (BROKEN, "another result")
    except Exception as error:
        return BROKEN, f"{type(error).__name__}: {error}"


def end_of(call: Callable[[], Any], expected: str, kind: int, room: int) -> tuple[int, str]:
    """How a child ends that makes the call with `room` bytes more than it has, and what it says."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code, why = try_call(call, expected, kind, room)
        os.write(writer, why[:1000].encode(errors="replace"))
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        why = file.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), why


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """A round tries every call once, with 1, 2 and 8 threads in turn, and more memory from round to round."""
    folder = Path(tempfile.mkdtemp())
    inputs = Inputs(long_corpus(rng), 400, folder)
    calls = {n: every(inputs, n) for n in THREADS}
    expected = {name: digest(call()) for name, call in calls[1].items()}  # which also imports everything
    for number in rounds:
        n, step = THREADS[number % 3], number // 3
        kind = resource.RLIMIT_AS if step % 4 < 3 else resource.RLIMIT_DATA
        for name, call in calls[n].items():
            room = STEP * (step // 2) if step % 2 == 0 else int(MOST_ROOM ** rng.uniform(0.4, 1.0))
            result.count(calls=1)
            code, why = end_of(call, expected[name], kind, room)
            result.count(faults=code == NO_MEMORY)
            if code not in (DONE, NO_MEMORY):
                ended = ENDS.get(code, f"ended with {code}")
                limit = "addresses" if kind == resource.RLIMIT_AS else "data"
                result.lose(f"{name}, {n} threads, {room} bytes of {limit}: {ended} {why}")
    shutil.rmtree(folder)


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("memory_steps", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
