"""Kill processes while they write files: each file is the whole old one or a whole new one, and pairs stay pairs.

    python tools/soak/kills.py --seconds 600 --seed 1      (or --rounds 50)

A round starts a process that writes again and again, and kills it: at a random moment, or at its k-th call of the
system that touches a file, which also hits the gaps between two renames. Then the files are read, the same work is done
once more without a kill, and no other file may be left.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import Result, run
from writers import IN_STEPS, WRITERS, Inputs, always_there, files_below, sets_of

import spm_lite

FILE_EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.chmod", "os.mkdir", "os.rmdir"}  # of sys.addaudithook
CHECKPOINT = "checkpoint"  # of a training: the one kind that is not a single call
KINDS = (*WRITERS, CHECKPOINT)
MOST_EVENTS = {"shards": 90, "to_hf": 70, "convert to a folder": 70, CHECKPOINT: 120}  # kills come before this many
EVENTS = 50  # of the other kinds; of those that write one file, `FEW_EVENTS`
FEW_EVENTS = 20
LONGEST_WAIT = 0.08  # seconds from the first write to a kill at a random moment
MOST_KILLS = 6  # of one training with a checkpoint
GUARD = 300  # seconds, against hanging
TRAINING: dict[str, Any] = {"model_type": "bpe", "vocab_size": 1200, "num_threads": 1}


def work(kind: str, inputs: Inputs, out: Path, k: int) -> None:
    """Write the files of one kind once, of the k-th text or model."""
    if kind != CHECKPOINT:
        WRITERS[kind](inputs, out, k)
        return
    from spm_lite.training.checkpoint import Checkpoint

    Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]  # a state whenever there can be one
    spm_lite.train(inputs.text(0), checkpoint=out / "states", **TRAINING)


def child(kind: str, inputs: Inputs, out: Path, n_events: int) -> None:
    """Write until killed. n_events: die at this call that touches a file in `out`; 0: the parent kills."""
    seen = 0

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in FILE_EVENTS and any(str(out) in os.fsdecode(a) for a in arguments if isinstance(a, (str, bytes))):
            seen += 1
            if seen == n_events:
                os.kill(os.getpid(), signal.SIGKILL)

    for k in range(2):
        np.load  # noqa: B018  (imported before the first write)
        if k == 1 or kind == CHECKPOINT:
            print(flush=True)
            if n_events:
                sys.addaudithook(look)
            break
        work(kind, inputs, out, 0)
    k = 1
    while True:
        work(kind, inputs, out, k)
        if kind == CHECKPOINT:
            return
        k = 1 - k


def kill_one(kind: str, inputs: Inputs, out: Path, most_events: int, rng: random.Random) -> bool:
    """Start a process that writes, and let it be killed; False if it ended before."""
    n_events = rng.randint(1, most_events) if rng.random() < 0.6 else 0
    command = [sys.executable, __file__, "--child", kind, str(inputs.folder), str(out), str(n_events)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if not n_events:
            time.sleep(rng.random() * LONGEST_WAIT)
            process.kill()
        try:
            _, error = process.communicate(timeout=GUARD)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError("the process hangs") from None
    if process.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(f"the process failed: {error.decode(errors='replace')[-500:]}")
    return process.returncode != 0


class Expected:
    """What the files of each kind may hold: for each k, the content of each file by its name."""

    def __init__(self, inputs: Inputs) -> None:
        self.contents = {kind: [contents_of(kind, inputs, k) for k in range(2)] for kind in WRITERS}
        self.trained = spm_lite.train(inputs.text(0), **TRAINING)

    def names(self, kind: str) -> set[str]:
        """The files that a kind writes."""
        return {name for whole in self.contents[kind] for name in whole} if kind != CHECKPOINT else set()

    def most_events(self, kind: str) -> int:
        """How many calls of the system that touch a file a kill may come after."""
        return MOST_EVENTS.get(kind, FEW_EVENTS if len(self.names(kind)) == 1 else EVENTS)

    def check(self, kind: str, out: Path, is_finished: bool) -> None:
        """Raise AssertionError if a file is torn, or beside one of another content. is_finished: none is missing."""
        wholes = self.contents[kind]
        present = {name: data for name, data in files_below(out).items() if name in self.names(kind)}
        for name, data in present.items():
            if data not in [whole.get(name) for whole in wholes]:
                raise AssertionError(f"{name} is neither the old file nor a new one: {len(data)} bytes")
        for names in sets_of(kind, self.names(kind)):
            there = {name: present[name] for name in names if name in present}
            missing = names - set(there)
            if missing & (names if is_finished else always_there(names)):
                raise AssertionError(f"of {names} only {set(there)} are there")
            if not missing and there not in [{name: whole[name] for name in names} for whole in wholes]:
                raise AssertionError(f"{names} do not belong together")


def contents_of(kind: str, inputs: Inputs, k: int) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        work(kind, inputs, Path(folder), k)
        return files_below(Path(folder))


def one_round(kind: str, inputs: Inputs, expected: Expected, rng: random.Random) -> int:
    """One round; return the number of kills. Raises AssertionError for a loss."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        most = expected.most_events(kind)
        n_kills = 0
        for _ in range(rng.randint(1, MOST_KILLS)):
            n_kills += kill_one(kind, inputs, out, most, rng)
            if kind != CHECKPOINT and kind not in IN_STEPS:
                expected.check(kind, out, is_finished=False)
        if kind == CHECKPOINT:
            from spm_lite.training.checkpoint import Checkpoint

            Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]
            again = spm_lite.train(inputs.text(0), checkpoint=out / "states", **TRAINING)
            if again != expected.trained:
                raise AssertionError("the training that went on made another model")
        else:
            work(kind, inputs, out, 1)
            expected.check(kind, out, is_finished=True)
        left = {str(path.relative_to(out)) for path in out.rglob("*") if path != out / "out"} - expected.names(kind)
        if left:
            raise AssertionError(f"left after a run without a kill: {sorted(left)}")
        return n_kills


def attack(result: Result, rng: random.Random, numbers: Iterator[int]) -> None:
    """Kill in all rounds, one kind of files after another."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(Path(folder))
        inputs.make()
        expected = Expected(inputs)
        for number in numbers:
            kind = KINDS[number % len(KINDS)]
            result.calls += 1
            try:
                result.faults += one_round(kind, inputs, expected, rng)
            except Exception as error:  # whatever goes wrong is a finding
                result.lose(f"{kind}, round {number}: {type(error).__name__}: {error}")


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["--child"]:
        child(arguments[1], Inputs(Path(arguments[2])), Path(arguments[3]), int(arguments[4]))
        return 0
    return run("kills", attack, arguments)


if __name__ == "__main__":
    sys.exit(main())
