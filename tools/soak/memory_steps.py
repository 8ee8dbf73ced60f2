"""Little memory: public calls under a limit of address space, raised step by step, give MemoryError or work."""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from common import Result, corpus, run

import spm_lite

STEP = 20_000  # bytes
DONE, NO_MEMORY, OTHER = 0, 10, 11


def calls_of(lines: list[str], n: int) -> dict[str, Callable[[], Any]]:
    """The public calls that need memory. n: threads."""
    few = lines[:3000]
    tok = spm_lite.train(few, model_type="unigram", vocab_size=600, hard_vocab_limit=False, num_threads=1)
    level = spm_lite.train(few, model_type="byte_bpe", vocab_size=600, hard_vocab_limit=False, num_threads=1)
    batch = tok.encode_batch(lines, num_threads=1)
    folder = Path(tempfile.mkdtemp())
    (folder / "text").write_text("\n".join(lines), encoding="utf-8")
    data = tok.to_bytes()
    long = " ".join(lines)
    small = {"vocab_size": 400, "hard_vocab_limit": False, "num_threads": n}
    return {
        "encode": lambda: tok.encode(long),
        "count": lambda: tok.count(long),
        "decode": lambda: tok.decode(batch.ids.tolist()),
        "encode_lists": lambda: tok.encode_lists(lines, num_threads=n),
        "encode_batch": lambda: tok.encode_batch(lines, num_threads=n),
        "byte_level": lambda: level.encode_batch(lines, num_threads=n),
        "decode_batch": lambda: tok.decode_batch(batch, num_threads=n),
        "spans_batch": lambda: tok.spans_batch(lines, num_threads=n),
        "decode_spans_batch": lambda: tok.decode_spans_batch(batch, num_threads=n),
        "count_batch": lambda: tok.count_batch(lines, num_threads=n),
        "sample_batch": lambda: tok.sample_batch(few, alpha=0.5, seed=1, num_threads=n),
        "nbest_batch": lambda: tok.nbest_batch(few[:200], 4, num_threads=n),
        "nbest": lambda: tok.nbest(few[0] * 20, 20),
        "truncate": lambda: tok.truncate(long, 5000),
        "spans": lambda: tok.spans(long),
        "CountTable.count": lambda: spm_lite.CountTable.count(lines, num_threads=n),
        "train bpe": lambda: spm_lite.train(lines, model_type="bpe", **small),
        "train unigram": lambda: spm_lite.train(few, model_type="unigram", **small),
        "train byte_bpe": lambda: spm_lite.train(few, model_type="byte_bpe", **small),
        "evaluate": lambda: spm_lite.evaluate(tok, lines, num_threads=n),
        "encode_files": lambda: tok.encode_files(folder / "text", folder / "ids.npy", num_threads=n),
        "load": lambda: spm_lite.Tokenizer.load(data).encode("a b"),
        "drop-in": lambda: spm_lite.SentencePieceProcessor(model_proto=data).encode(few),
    }


def end_of(call: Callable[[], Any], room: int) -> int:
    """How a child ends that makes the call with `room` bytes more of address space than it has."""
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with Path("/proc/self/statm").open() as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + room,) * 2)
        try:
            call()
        except MemoryError:
            os._exit(NO_MEMORY)
        except spm_lite.SpmLiteError as error:
            # An error that says so is as good: a file that cannot be read for want of memory, say.
            os._exit(NO_MEMORY if "memory" in str(error).lower() else OTHER)
        except BaseException:
            os._exit(OTHER)
        os._exit(DONE)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """A round tries every call once, with 1, 2 and 8 threads in turn and a limit one step higher."""
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 9))) for _ in range(30000)]
    lines = [" ".join(rng.choices(words, k=8)) for _ in range(12000)] + corpus(rng, 50)
    every = {n: calls_of(lines, n) for n in (1, 2, 8)}
    for calls in every.values():
        for name, call in calls.items():  # everything is imported before
            if name not in ("encode_files",):
                call()
    for number in rounds:
        n = (1, 2, 8)[number % 3]
        for name, call in every[n].items():
            # Small steps at first, then larger ones: blocks of all sizes are missed.
            room = STEP * (number // 3 + 1) * (1 if number % 2 else 1 + number)
            result.calls += 1
            code = end_of(call, room)
            result.faults += code == NO_MEMORY
            if code not in (DONE, NO_MEMORY):
                result.lose(f"{name}, {n} threads, {room} bytes: ended with {code}")


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("memory_steps", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
