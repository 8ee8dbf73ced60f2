"""Runs jobs in processes of their own, in turn, several times; medians and spreads of what they find."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import job as jobs_file
import libraries
from job import Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN = ("spm_lite", "sentencepiece")
SLOW, FEW = 20, 3  # a job that takes more than 20 seconds is run three times at most


@dataclass
class Result:
    """What the runs of a job found."""

    figures: dict[str, list[float]] = field(default_factory=dict)  # seconds or bytes, one a run
    size: int = 1  # bytes of text; 1 where costs are not counted by the byte
    ids: str = ""  # a digest
    rows: array[int] = field(default_factory=lambda: array("q"))  # one of each row
    error: str = ""
    seconds: float = 0  # of the last process, from start to end

    def cost(self, figure: str) -> float:
        """The median, by the byte."""
        return statistics.median(self.figures[figure]) / self.size

    def spread(self, figure: str) -> float:
        """How far the runs lie apart, in medians."""
        runs = self.figures[figure]
        return (max(runs) - min(runs)) / statistics.median(runs)


class Harness:
    """Measures jobs, each one once, whoever asks for it. limit: seconds of a process."""

    def __init__(self, runs: int, limit: float, peers_python: str = sys.executable) -> None:
        self.runs, self.limit, self.peers_python = runs, limit, peers_python
        self.results: dict[Job, Result] = {}

    def measure(self, jobs: Iterable[Job], few: bool = False) -> None:
        """Round after round, so that what else the machine does meets all of them. few: three rounds at most."""
        new = list(dict.fromkeys(job for job in jobs if job not in self.results))
        self.results.update((job, Result()) for job in new)
        for turn in range(min(self.runs, FEW) if few else self.runs):
            for job in new[:: -1 if turn % 2 else 1]:
                result = self.results[job]
                if not result.error and (turn < FEW or result.seconds < SLOW):
                    self.run(job, result)

    def run(self, job: Job, result: Result) -> None:
        begin = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows"
            found = self.process(job) if job.task == "process" else self.child(job, rows)
            if rows.exists() and not result.ids:
                result.rows.frombytes(rows.read_bytes())
        result.seconds = time.perf_counter() - begin
        result.error = found.pop("error", "")
        ids = found.pop("ids", "")
        if result.ids and ids != result.ids:
            result.error = result.error or "other ids in another run"
        result.ids, result.size = ids, found.pop("size", 1)
        for name, figure in found.items():
            result.figures.setdefault(name, []).append(figure)

    def child(self, job: Job, rows: Path) -> dict[str, Any]:
        python = sys.executable if job.engine in OWN else self.peers_python
        return self.start([python, jobs_file.__file__, jobs_file.as_json(job), str(rows)], job.threads)

    def process(self, job: Job) -> dict[str, Any]:
        """A program that loads the model and ends."""
        clock = time.perf_counter if job.clock == "perf_counter" else children_time
        begin = clock()
        found = self.start([sys.executable, "-c", libraries.PROGRAMS[job.engine] + "; print('{}')", job.model], 1)
        return {**found, "process": clock() - begin}

    def start(self, command: Sequence[str], threads: int) -> dict[str, Any]:
        limits = {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": str(threads)}
        limits["OPENBLAS_NUM_THREADS"] = "1"  # numpy's have nothing to do, but take a CPU for a while after its import
        try:
            done = subprocess.run(
                command, env={**os.environ, **limits}, timeout=self.limit, capture_output=True, text=True, check=False
            )
        except subprocess.TimeoutExpired:
            return {"error": f"more than {self.limit:.0f} s"}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            return {"error": f"ended with {done.returncode}: {last}"}
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found


def children_time() -> float:
    """Seconds that the processor gave to the processes which this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def share_of_same_rows(result: Result, reference: Result) -> float:
    """How many of a peer's rows of ids are the reference's."""
    if len(result.rows) != len(reference.rows):
        return 0.0
    return sum(map(int.__eq__, result.rows, reference.rows)) / max(len(reference.rows), 1)
