"""Ctrl-C at a random moment of each public call: it ends with KeyboardInterrupt or its result, and works again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import Result, long_corpus, run, wait
from public_calls import Inputs, digest, every

DONE, STOPPED, WRONG, OTHER, BROKEN = 0, 10, 11, 12, 13
ENDS = {WRONG: "another result", OTHER: "another error", BROKEN: "broken later"}
SHORTEST, LONGEST = 1e-4, 2.0  # seconds from the call to the signal
LATE = 120.0  # seconds, as `wait` counts: a call that has not ended so long after the signal has not heard it
N_THREADS = (1, 2)


def try_call(call: Callable[[], Any], expected: str, delay: float) -> tuple[int, str]:
    """Make a call that is interrupted, and once more: how that ended."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    found, why = DONE, ""
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            if digest(call()) != expected:
                return WRONG, ""
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        found = STOPPED
    except BaseException as error:
        return OTHER, f"{type(error).__name__}: {error}"
    try:
        return (found, why) if digest(call()) == expected else (BROKEN, "another result")
    except BaseException as error:
        return BROKEN, f"{type(error).__name__}: {error}"


def end_of(call: Callable[[], Any], expected: str, delay: float) -> tuple[int | None, str]:
    """How a child ends that makes the call, and what it says; None: it hangs."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code, why = try_call(call, expected, delay)
        os.write(writer, why[:1000].encode(errors="replace"))
        os._exit(code)
    os.close(writer)
    code = wait(pid, LATE)
    with os.fdopen(reader, "rb") as file:
        return code, file.read().decode(errors="replace")


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """A round interrupts every call once, with 1 and 2 threads in turn."""
    folder = Path(tempfile.mkdtemp())
    inputs = Inputs(long_corpus(rng), 400, folder)
    calls = {n: every(inputs, n) for n in N_THREADS}
    expected, seconds = {}, {}
    for name, call in calls[1].items():  # which also imports everything
        begun = time.monotonic()
        expected[name] = digest(call())
        seconds[name] = min(max(time.monotonic() - begun, 2 * SHORTEST), LONGEST)
    for number in rounds:
        for name, call in calls[N_THREADS[number % 2]].items():
            delay = rng.uniform(SHORTEST, seconds[name])
            code, why = end_of(call, expected[name], delay)
            result.count(calls=1, faults=code == STOPPED)
            if code not in (DONE, STOPPED):
                ended = "hangs" if code is None else ENDS.get(code, f"ended with {code}")
                result.lose(f"{name}, interrupted after {delay:.4f} s: {ended} {why}")
    shutil.rmtree(folder)


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("interrupts", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
