"""What all parts share: arguments, the result line, hostile texts, small models."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite

BITS = [
    "the", " cat", " sat", "  ", " ", "\u2581", "日本語", "東京", "한국", "ไทยภาษา", "é", "e\u0301\u0323",
    "👨\u200d👩\u200d👧", "🌍", "\0", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "ﬁ", "①",
    "x = y", "https://a.b/c?d", "1234", "<s>", "<sep>", "aaaa", "\ufeff", "\U0001f1e9\U0001f1ea", "\uffff",
]  # fmt: skip
LATER = 50  # details that a result keeps


class Result:
    """Counts of one part."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.calls = self.faults = self.losses = self.growth_bytes = 0
        self.details: list[str] = []
        self.lock = threading.Lock()

    def count(self, calls: int = 0, faults: int = 0) -> None:
        """Add to the counts; from any thread."""
        with self.lock:
            self.calls += calls
            self.faults += faults

    def lose(self, what: str) -> None:
        """Note a loss: something torn, hung, crashed or different; from any thread."""
        with self.lock:
            self.losses += 1
        if len(self.details) < LATER:
            self.details.append(what[:400])

    def end(self) -> int:
        """Print the result as one line of JSON; return the exit code."""
        names = ("part", "calls", "faults", "losses", "growth_bytes", "details")
        print(json.dumps({name: getattr(self, name) for name in names}), flush=True)
        return 1 if self.losses else 0


def run(part: str, attack: Callable[[Result, random.Random, Iterator[int]], None], argv: list[str] | None) -> int:
    """Run one part: for some seconds or rounds, from a seed."""
    parser = argparse.ArgumentParser(prog=part)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, help="so many rounds, however long they take")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    result = Result(part)
    attack(result, random.Random(given.seed), rounds(given.seconds, given.rounds))
    return result.end()


def rounds(seconds: float, number: int | None) -> Iterator[int]:
    """Yield the numbers of the rounds."""
    end = time.monotonic() + seconds
    i = 0
    while i < number if number is not None else time.monotonic() < end:
        yield i
        i += 1


def wait(pid: int, patience: float) -> int | None:
    """The exit code of a child; None: it hangs, and is killed.

    It hangs if it does next to nothing for so many seconds, or uses that much CPU time. On a busy machine a child may
    wait far longer for its turn.
    """
    end, spent = time.monotonic() + patience, 0.0
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            before, spent = spent, cpu_seconds(pid)
            if spent - before < patience / 1000 or spent > patience:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None
            end += patience
        time.sleep(0.0005)


def cpu_seconds(pid: int) -> float:
    """User and system time of a process; 0.0 where the system does not tell."""
    path = Path(f"/proc/{pid}/stat")
    fields = path.read_text().rpartition(")")[2].split() if path.exists() else [0] * 13
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def text(rng: random.Random, size: int = 14) -> str:
    """A hostile text."""
    return "".join(rng.choices(BITS, k=rng.randrange(size)))


def ill_formed(rng: random.Random, size: int = 14) -> bytes:
    """Hostile bytes, often not UTF-8."""
    data = bytearray(text(rng, size).encode())
    for _ in range(rng.randrange(3)):
        data[rng.randrange(len(data) + 1) : 0] = rng.randbytes(1)
    return bytes(data)


def corpus(rng: random.Random, n: int = 120) -> list[str]:
    """Texts to train on. An address as the first of some texts is refused: it may be meant as a file."""
    texts = [text(rng, 20) for _ in range(n)]
    return [f"{line} ." if "://" in line and " " not in line else line for line in texts] + [
        "the cat sat on the mat",
        "東京で日本語",
    ] * 5


def long_corpus(rng: random.Random) -> list[str]:
    """Many lines of made words, which calls take some time and memory for, and a `corpus`."""
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 9))) for _ in range(30000)]
    return [" ".join(rng.choices(words, k=8)) for _ in range(6000)] + corpus(rng, 50)


def model(rng: random.Random, **options: Any) -> spm_lite.Tokenizer:
    """A small model of any type."""
    kind = rng.choice(["unigram", "bpe", "char", "word", "byte_bpe"])
    given: dict[str, Any] = {"model_type": kind, "vocab_size": rng.choice([350, 420, 600]), "hard_vocab_limit": False}
    if kind in ("unigram", "bpe") and rng.random() < 0.3:
        given["user_defined_symbols"] = ["<sep>"]
    if kind != "byte_bpe" and rng.random() < 0.3:
        given["normalization"] = rng.choice(["nfkc", "nmt_nfkc", "nfc", "nfd"])
    return spm_lite.train(corpus(rng), **{"num_threads": rng.choice([1, 2]), **given, **options})
