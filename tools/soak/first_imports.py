"""Forks while another thread is in the first call of its kind, which imports modules: every child works and ends."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator

from common import Result, run

GENEROUS = 120  # seconds; a guard against hanging
PROGRAM = """
import os, sys, threading, time
import spm_lite
call = {call!r}
data = {data!r}
def first():
    exec(call, {{"spm_lite": spm_lite, "data": data}})
thread = threading.Thread(target=first)
thread.start()
time.sleep({delay})
pid = os.fork()
if pid == 0:
    try:
        exec(call, {{"spm_lite": spm_lite, "data": data}})
    except BaseException:
        os._exit(3)
    os._exit(0)
thread.join()
end = time.monotonic() + 60
while time.monotonic() < end:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.001)
os.kill(pid, 9)
sys.exit(99)
"""
CALLS = [
    "spm_lite.train(['a b'] * 9, vocab_size=265, hard_vocab_limit=False, num_threads=2)",
    "spm_lite.Tokenizer.load(data).encode_batch(['a b'] * 99, num_threads=2).ids",
    "spm_lite.Tokenizer.load(data).nbest('a b', 2)",
    "spm_lite.CountTable.count(['a b'] * 9).to_bytes()",
    "spm_lite.SentencePieceProcessor(model_proto=data).encode('a b')",
    "spm_lite.evaluate(spm_lite.Tokenizer.load(data), ['a b'])",
]


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Each round is a new process that forks a random moment after a first call has begun."""
    import spm_lite

    data = spm_lite.train(["a b"] * 9, vocab_size=265, hard_vocab_limit=False).to_bytes()
    for number in rounds:
        call = CALLS[number % len(CALLS)]
        program = PROGRAM.format(call=call, data=data, delay=rng.random() * 0.06)
        result.calls += 1
        result.faults += 1
        try:
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=GENEROUS, check=False)
        except subprocess.TimeoutExpired:
            result.lose(f"{call}: the parent hangs")
            continue
        if done.returncode:
            result.lose(f"{call}: ended with {done.returncode}: {done.stderr[-200:]!r}")


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("first_imports", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
