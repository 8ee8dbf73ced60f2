"""Forks while other threads are inside calls with several threads: every child works and ends."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from common import Result, corpus, run, text

import spm_lite

GENEROUS = 60.0  # seconds after which a child counts as hung: a guard, far longer than its work
TEXTS = [text(random.Random(seed), 30) for seed in range(2000)]


def calls_of(tok: spm_lite.Tokenizer) -> list[Callable[[], Any]]:
    """The calls that use several threads."""
    batch = tok.encode_batch(TEXTS)
    few = corpus(random.Random(1), 40)
    return [
        lambda: tok.encode_batch(TEXTS, num_threads=8),
        lambda: tok.encode_lists(TEXTS, num_threads=8),
        lambda: tok.decode_batch(batch, num_threads=8),
        lambda: tok.count_batch(TEXTS, num_threads=8),
        lambda: tok.spans_batch(TEXTS, num_threads=8),
        lambda: tok.decode_spans_batch(batch, num_threads=8),
        lambda: tok.sample_batch(TEXTS[:200], alpha=0.5, seed=1, num_threads=8),
        lambda: tok.nbest_batch(TEXTS[:100], 3, num_threads=8),
        lambda: spm_lite.CountTable.count(TEXTS, num_threads=8),
        lambda: spm_lite.train(few, model_type="bpe", vocab_size=350, hard_vocab_limit=False, num_threads=8),
        lambda: spm_lite.train(few, model_type="unigram", vocab_size=350, hard_vocab_limit=False, num_threads=8),
        lambda: spm_lite.evaluate(tok, TEXTS[:500], num_threads=8),
    ]


def child(tok: spm_lite.Tokenizer, expected: list[list[int]], calls: list[Callable[[], Any]], number: int) -> None:
    """What a child does: encode with threads, and one call of another kind."""
    code = 1
    with suppress(BaseException):
        is_right = tok.encode_batch(TEXTS[:50], num_threads=2).to_lists() == expected
        calls[number % len(calls)]()
        code = 0 if is_right else 2
    os._exit(code)


def wait(pid: int) -> int | None:
    """The exit code of a child; None: it hangs, and is killed."""
    end = time.monotonic() + GENEROUS
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.0005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return None


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Fork again and again while four threads call; one child in ten makes calls of its own, the others only end."""
    tok = spm_lite.train(corpus(rng), model_type="unigram", vocab_size=340, hard_vocab_limit=False)
    calls = calls_of(tok)
    expected = [tok.encode(one) for one in TEXTS[:50]]
    is_over = threading.Event()

    def work(seed: int) -> None:
        own = random.Random(seed)
        while not is_over.is_set():
            own.choice(calls)()
            result.calls += 1

    for call in calls:  # what they import is there before any fork; `first_imports` tries the others
        call()
    threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(4)]
    for thread in threads:
        thread.start()
    for number in rounds:
        pid = os.fork()
        if pid == 0:
            if number % 10:
                os._exit(0)
            child(tok, expected, calls, number // 10)
        result.faults += 1
        code = wait(pid)
        if code != 0:
            result.lose(f"child {number} {'hangs' if code is None else f'ended with {code}'}")
    is_over.set()
    for thread in threads:
        thread.join()


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("forks", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
