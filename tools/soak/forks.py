"""Forks while other threads are inside calls with several threads: every child works and ends."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from common import Result, corpus, run, wait
from public_calls import Calls, Inputs, digest, every, threaded

GENEROUS = 60.0  # seconds in which a child does nothing if it hangs
N_THREADS = 4  # that call while the main thread forks
ALL_CALLS = 200  # one child in so many makes every call; the others, a few
RIGHT, WRONG, FAILED = 0, 2, 3


class Work:
    """The calls, and the digests of what they return."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        lines = corpus(rng, 300)
        for name in ("parent", "child"):
            (folder / name).mkdir()
        parent = Inputs(lines, 60, folder / "parent")
        self.calls = threaded(parent, 8)
        self.of_child = every(Inputs(lines, 60, folder / "child"), 2)
        # Made once before any fork, so that everything is imported; `first_imports` tries the other case.
        self.digests = {name: digest(call()) for name, call in every(parent, 1).items()}
        self.writing = threading.Lock()
        self.note = folder / "note"  # why the last child failed

    def is_right(self, calls: Calls, name: str) -> bool:
        """Make a call: whether it returns what it should."""
        if name == "encode_files":  # the threads of the parent write the same files
            with self.writing:
                return digest(calls[name]()) == self.digests[name]
        return digest(calls[name]()) == self.digests[name]


def call_on(work: Work, result: Result, seed: int, is_over: threading.Event) -> None:
    """What a thread of the parent does."""
    rng = random.Random(seed)
    names = list(work.calls)
    while not is_over.is_set():
        name = rng.choice(names)
        try:
            if not work.is_right(work.calls, name):
                result.lose(f"the parent's {name} differs")
        except Exception as error:
            result.lose(f"the parent's {name}: {type(error).__name__}: {error}")
        result.count(calls=1)


def child(work: Work, number: int) -> int:
    """What a child does: calls of some kinds, in turn, or of all; return its exit code."""
    work.writing = threading.Lock()
    names = list(work.of_child)
    first = number * 3 % len(names)
    try:
        for name in names if number % ALL_CALLS == 0 else (names * 2)[first : first + 3]:
            if not work.is_right(work.of_child, name):
                work.note.write_text(f"{name} differs", encoding="utf-8")
                return WRONG
    except BaseException as error:
        work.note.write_text(f"{name}: {type(error).__name__}: {error}", encoding="utf-8", errors="replace")
        return FAILED
    return RIGHT


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Fork again and again while threads call. One child in eight ends as Python does, the others at once."""
    folder = Path(tempfile.mkdtemp())
    work = Work(rng, folder)
    is_over = threading.Event()
    seeds = [rng.randrange(2**32) for _ in range(N_THREADS)]
    threads = [threading.Thread(target=call_on, args=(work, result, seed, is_over), daemon=True) for seed in seeds]
    for thread in threads:
        thread.start()
    for number in rounds:
        pid = os.fork()
        if pid == 0:
            code = child(work, number)
            if number % 8:
                os._exit(code)
            sys.exit(code)
        result.count(faults=1)
        code = wait(pid, GENEROUS)
        if code != RIGHT:
            why = work.note.read_text(encoding="utf-8") if code in (WRONG, FAILED) else ""
            result.lose(f"child {number} {'hangs' if code is None else f'ended with {code}'} {why}")
    is_over.set()
    for thread in threads:
        thread.join()
    shutil.rmtree(folder)  # here, since a child that ends must leave it


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("forks", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
