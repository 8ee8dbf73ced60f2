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

import spm_lite
from spm_lite import CountTable, Tokenizer
from spm_lite.engines import shards

FILE_EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.chmod", "os.mkdir", "os.rmdir"}  # of sys.addaudithook
MOST_EVENTS = {  # kills come before this many
    "save": 20, "encode_files": 50, "encode_files megatron": 50, "count": 20, "to_gpt2": 50, "to_hf": 70, "shards": 90,
    "checkpoint": 120,
}  # fmt: skip
LONGEST_WAIT = 0.08  # seconds from the first write to a kill at a random moment
MOST_KILLS = 6  # of one training with a checkpoint
GUARD = 300  # seconds, against hanging
TRAINING: dict[str, Any] = {"model_type": "bpe", "vocab_size": 1200, "num_threads": 1}
WRITTEN = {
    "save": {"out.model", "out.vocab"},
    "encode_files": {"out.npy", "out.offsets.npy"},
    "encode_files megatron": {"out.bin", "out.idx"},
    "count": {"out.counts"},
    "to_gpt2": {"out/vocab.json", "out/merges.txt"},
    "to_hf": {"out/tokenizer.json", "out/tokenizer_config.json", "out/special_tokens_map.json"},
    "shards": {"out/manifest.json", *(f"out/0000{i}.{end}" for i in range(3) for end in ("bin", "idx", "json"))},
    "checkpoint": set[str](),
}
SETS = {"encode_files", "encode_files megatron", "to_gpt2", "to_hf"}  # files that belong together, or one is missing


class Inputs:
    """The texts and models of all rounds, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rng = random.Random(5)
        stems = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 4))) for _ in range(90)]
        lines = [" ".join(rng.choice(stems) + rng.choice(stems) for _ in range(8)) for _ in range(3000)]
        for k in range(2):
            self.text(k).write_text("\n".join(lines[k :: 2 - k]), encoding="utf-8")
            size = 400 + 100 * k
            spm_lite.train(lines, model_type="bpe", vocab_size=size).save(self.model(k))
            spm_lite.train(lines, model_type="byte_bpe", vocab_size=size).save(folder / f"{k}.bytes.model")
        self.trained = spm_lite.train(self.text(0), **TRAINING)

    def text(self, k: int) -> Path:
        return self.folder / f"{k}.txt"

    def model(self, k: int) -> Path:
        return self.folder / f"{k}.model"


def work(kind: str, inputs: Path, out: Path, k: int) -> None:
    """Write the files of one kind once, of the k-th text or model."""
    if kind == "save":
        Tokenizer.load(inputs / f"{k}.model").save(out / "out.model", vocab=True)
    elif kind == "encode_files":
        Tokenizer.load(inputs / "0.model").encode_files(inputs / f"{k}.txt", out / "out.npy")
    elif kind == "encode_files megatron":
        Tokenizer.load(inputs / "0.model").encode_files(inputs / f"{k}.txt", out / "out", format="megatron")
    elif kind == "to_gpt2":
        (out / "out").mkdir(exist_ok=True)
        Tokenizer.load(inputs / f"{k}.bytes.model").to_gpt2(out / "out")
    elif kind == "to_hf":
        Tokenizer.load(inputs / f"{k}.model").to_hf(out / "out", model_max_length=100 + k, overwrite=True)
    elif kind == "shards":
        plan = shards.plan(inputs / "0.txt", out / "out", inputs / "0.model", shard_size="28KB", eos=k == 1)
        plan.run(num_workers=1)
    elif kind == "count":
        CountTable.count(inputs / f"{k}.txt", num_threads=1).save(out / "out.counts")
    else:
        from spm_lite.training.checkpoint import Checkpoint

        Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]  # a state whenever there can be one
        spm_lite.train(inputs / "0.txt", checkpoint=out / "states", **TRAINING)


def child(kind: str, inputs: Path, out: Path, n_events: int) -> None:
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
        if k == 1 or kind == "checkpoint":
            print(flush=True)
            if n_events:
                sys.addaudithook(look)
            break
        work(kind, inputs, out, 0)
    k = 1
    while True:
        work(kind, inputs, out, k)
        if kind == "checkpoint":
            return
        k = 1 - k


def kill_one(kind: str, inputs: Inputs, out: Path, rng: random.Random) -> bool:
    """Start a process that writes, and let it be killed; False if it ended before."""
    n_events = rng.randint(1, MOST_EVENTS[kind]) if rng.random() < 0.6 else 0
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
        self.contents: dict[str, list[dict[str, bytes]]] = {}
        for kind in WRITTEN:
            if kind != "checkpoint":
                self.contents[kind] = [contents_of(kind, inputs, k) for k in range(2)]

    def check(self, kind: str, out: Path) -> None:
        """Raise AssertionError if a file is torn, or a file beside one of another content."""
        present = {name: (out / name).read_bytes() for name in WRITTEN[kind] if (out / name).exists()}
        wholes = self.contents[kind]
        for name, data in present.items():
            if data not in [whole[name] for whole in wholes]:
                raise AssertionError(f"{name} is neither the old file nor a new one: {len(data)} bytes")
        if kind in SETS and len(present) == len(WRITTEN[kind]) and present not in wholes:
            raise AssertionError("the files do not belong together")
        if kind not in SETS and len(present) < len(WRITTEN[kind]):
            raise AssertionError(f"of {WRITTEN[kind]} only {set(present)} are there")


def contents_of(kind: str, inputs: Inputs, k: int) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        work(kind, inputs.folder, Path(folder), k)
        return {name: (Path(folder) / name).read_bytes() for name in WRITTEN[kind]}


def one_round(kind: str, inputs: Inputs, expected: Expected, rng: random.Random) -> int:
    """One round; return the number of kills. Raises AssertionError for a loss."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        n_kills = sum(kill_one(kind, inputs, out, rng) for _ in range(rng.randint(1, MOST_KILLS)))
        if kind == "checkpoint":
            from spm_lite.training.checkpoint import Checkpoint

            Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]
            again = spm_lite.train(inputs.text(0), checkpoint=out / "states", **TRAINING)
            if again != inputs.trained:
                raise AssertionError("the training that went on made another model")
        else:
            if kind != "shards":  # until the end, a shard may be of an older job
                expected.check(kind, out)
            work(kind, inputs.folder, out, 1)
            expected.check(kind, out)
        left = {str(path.relative_to(out)) for path in out.rglob("*") if path != out / "out"} - WRITTEN[kind]
        if left:
            raise AssertionError(f"left after a run without a kill: {sorted(left)}")
        return n_kills


def attack(result: Result, rng: random.Random, numbers: Iterator[int]) -> None:
    """Kill in all rounds, one kind of files after another."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(Path(folder))
        expected = Expected(inputs)
        kinds = list(WRITTEN)
        for number in numbers:
            kind = kinds[number % len(kinds)]
            result.calls += 1
            try:
                result.faults += one_round(kind, inputs, expected, rng)
            except Exception as error:  # whatever goes wrong is a finding
                result.lose(f"{kind}, round {number}: {type(error).__name__}: {error}")


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["--child"]:
        child(arguments[1], Path(arguments[2]), Path(arguments[3]), int(arguments[4]))
        return 0
    return run("kills", attack, arguments)


if __name__ == "__main__":
    sys.exit(main())
