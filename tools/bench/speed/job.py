"""One measurement, in the process that this file starts as; prints a JSON object.

    python job.py '{"engine": "spm_lite", "task": "encode", ...}'

It needs nothing but the engine, so that the interpreter may be one where spm_lite is not installed.
"""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import json
import sys
import time
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHORT_LINE = 60  # characters
LENGTHS = (5, 50, 500)  # characters of a single call
LEAST = 0.02  # seconds: shorter passes are repeated, and their mean is taken


@dataclass(frozen=True)
class Job:
    """What one process measures."""

    engine: str
    task: str  # a key of TASKS, or "process": load the model and end
    model: str  # path
    text: str = ""  # path; *.bin is not UTF-8
    size: int = 0  # bytes of it at most; 0: all
    shape: str = "lines"  # or "document"; "long line" and "short lines" repeat the text up to `size`
    result: str = "lists"  # or "arrays", "count"
    threads: int = 1
    tokenizer_json: str = ""  # path of the same model for peers that read no other
    compared: bool = True  # whether ids go into the answer
    clock: str = "perf_counter"  # or "process_time": the time that the processor gave


def read_texts(job: Job) -> tuple[list[Any], int]:
    """The texts of a job, and their bytes."""
    data = Path(job.text).read_bytes()
    if job.shape == "lines":
        if 0 < job.size < len(data):
            data = data[: data.rfind(b"\n", 0, job.size) + 1] or data[: job.size]
        texts: list[Any] = data.decode(errors="ignore").split("\n")
    elif job.text.endswith(".bin"):
        texts = [data[: job.size or None]]
    else:
        text = data.decode()
        if job.shape != "document":
            text = text.replace("\n", " ")
            text *= -(-job.size // len(data))
        text = text.encode()[: job.size or None].decode(errors="ignore")
        step = SHORT_LINE if job.shape == "short lines" else len(text)
        texts = [text[begin : begin + step] for begin in range(0, len(text), step)]
    return texts, sum(len(text.encode() if isinstance(text, str) else text) for text in texts)


def timed(job: Job, call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, and what it gives."""
    clock = getattr(time, job.clock)
    begin = clock()
    found = call()
    return clock() - begin, found


def repeated(job: Job, call: Callable[[], Any]) -> float:
    """Seconds of one call, the mean of as many as fill LEAST."""
    seconds, count = 0.0, 0
    while seconds < LEAST:
        seconds += timed(job, call)[0]
        count += 1
    return seconds / count


def hashes(rows: Sequence[Any]) -> array[int]:
    """A number for each row of ids or each text, the same in every process."""
    if rows and isinstance(rows[0], str):
        digests = (hashlib.blake2b(row.encode(), digest_size=7).digest() for row in rows)
        return array("q", (int.from_bytes(digest, "big") for digest in digests))
    return array("q", map(hash, map(tuple, rows)))


def encode(job: Job) -> dict[str, Any]:
    """Two passes over the text; the first has seen none of it."""
    texts, size = read_texts(job)
    engine = libraries.load(job)
    call = getattr(engine, job.result)
    call(["x"])  # what is imported on first use
    cold, found = timed(job, lambda: call(texts))
    if job.result == "count":
        rows, counts = None, [len(row) for row in engine.to_lists(engine.arrays(texts))]
        if list(found) != counts:
            raise ValueError("counts that are not the numbers of ids")
    elif job.compared:
        rows = hashes(found if job.result == "lists" else engine.to_lists(found))
    else:
        rows = None
    del found
    return {"cold": cold, "warm": repeated(job, lambda: call(texts)), "size": size, "rows": rows}


def decode(job: Job) -> dict[str, Any]:
    """Two passes over the ids of the text."""
    texts, _ = read_texts(job)
    engine = libraries.load(job)
    ids = engine.lists(texts)
    cold, found = timed(job, lambda: engine.decode(ids))
    size = sum(len(text.encode()) for text in found)
    return {"cold": cold, "warm": repeated(job, lambda: engine.decode(ids)), "size": size, "rows": hashes(found)}


def single_calls(job: Job) -> dict[str, Any]:
    """Warm calls, each with the same short text."""
    lines, _ = read_texts(job)
    line = max(lines[:1000], key=len)
    engine = libraries.load(job)
    figures: dict[str, Any] = {"size": 1, "rows": hashes([engine.one(line[:length]) for length in LENGTHS])}
    for length in LENGTHS:
        text, one, calls = line[:length], engine.one, range(100)

        def hundred() -> None:
            for _ in calls:  # noqa: B023
                one(text)  # noqa: B023

        hundred()
        figures[str(length)] = min(repeated(job, hundred) for _ in range(5)) / len(calls)
    return figures


def load(job: Job) -> dict[str, Any]:
    """One load, with all imports done, and the first call after it."""
    make = libraries.maker(job)
    seconds, engine = timed(job, lambda: make(job))
    first, _ = timed(job, lambda: engine.one("Hello world."))
    return {"load": seconds, "load and first call": seconds + first, "size": 1, "rows": None}


def memory(job: Job) -> dict[str, Any]:
    """Resident bytes: what a load takes, and what encoding the text leaves behind where there is a cache."""
    texts, _ = read_texts(job)
    make = libraries.maker(job)
    before = resident()
    engine = make(job)
    figures = {"loaded": resident() - before, "size": 1, "rows": None}
    if not hasattr(engine, "cache"):
        return figures
    for begin in range(0, len(texts), 1000):
        engine.lists(texts[begin : begin + 1000])
    used, limit = engine.cache()
    return {**figures, "added": max(resident() - before - figures["loaded"], 1), "cache": used, "limit": limit}


def resident() -> int:
    """Bytes of this process in memory, with what it has freed given back to the system. Linux only."""
    import ctypes
    import os

    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


TASKS = {"encode": encode, "decode": decode, "calls": single_calls, "load": load, "memory": memory}


def main() -> None:
    job = Job(**json.loads(sys.argv[1]))
    try:
        found = TASKS[job.task](job)
    except Exception as error:  # whatever a peer raises
        found = {"error": f"{type(error).__name__}: {error}"}
    rows = found.pop("rows", None)
    if rows is not None:
        found["ids"] = hashlib.blake2b(rows.tobytes(), digest_size=16).hexdigest()
        if len(sys.argv) > 2:
            Path(sys.argv[2]).write_bytes(rows.tobytes())
    print(json.dumps(found))


def as_json(job: Job) -> str:
    return json.dumps(dataclasses.asdict(job))


if __name__ == "__main__":
    main()
