"""Groups of tokens of two tokenizers: MB of text per second, beside their encodings alone.

    python tools/bench/align.py [--corpus NAME ...] [--runs 5] [--bytes 8000000]

Needs the shared test data. A corpus is repeated to at least so many bytes, each line with its number. Seconds are
medians.

- encoding: `encode_batch` of both on one thread; align: all of the call on one thread.
- cold: with empty caches; words: `words=True`; both on one thread.
- threads: on all CPUs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import spm_lite

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
CORPORA = ["en-novels", "ja-wagahaiwa_nekodearu", "th-wisesight-social"]
PAIRS = [
    ("models/llama2.model", "models/t5_base.model"),
    ("models/llama2.model", "shapes/llama-3"),
    ("interop/bert_base_cased.tokenizer.json", "models/albert_30k.model"),
    ("shapes/t5", "shapes/qwen-2"),
]


def lines_of(name: str, n_bytes: int) -> list[str]:
    """Lines of a corpus, again and again; their numbers keep them apart."""
    lines = (DATA / "corpora" / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    n_rounds = n_bytes // sum(len(line.encode()) + 8 for line in lines) + 1
    return [f"{line} {number}" for number, line in enumerate(islice(cycle(lines), n_rounds * len(lines)))]


def rate(call: Callable[[], object], n_bytes: int, runs: int) -> float:
    """MB per second."""
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return n_bytes / statistics.median(seconds) / 1e6


def rates(a: spm_lite.Tokenizer, b: spm_lite.Tokenizer, lines: list[str], runs: int) -> list[float]:
    """The rates of each column."""

    def cold() -> None:
        for tok in (a, b):
            tok.clear_cache()
        spm_lite.align(a, b, lines, num_threads=1)

    n_bytes = sum(len(line.encode()) for line in lines)
    calls: list[Callable[[], object]] = [
        lambda: [tok.encode_batch(lines, num_threads=1) for tok in (a, b)],
        lambda: spm_lite.align(a, b, lines, num_threads=1),
        cold,
        lambda: spm_lite.align(a, b, lines, words=True, num_threads=1),
        lambda: spm_lite.align(a, b, lines),
    ]
    return [rate(call, n_bytes, runs) for call in calls]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", nargs="+", default=CORPORA)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bytes", type=int, default=8_000_000)
    options = parser.parse_args()
    print(f"{'MB/s':<62}{'encoding':>9}{'align':>8}{'cold':>8}{'words':>8}{'threads':>9}")
    for names in PAIRS:
        a, b = (spm_lite.load(DATA / name) for name in names)
        for corpus in options.corpus:
            lines = lines_of(corpus, options.bytes)
            found = rates(a, b, lines, options.runs)
            shown = "".join(f"{value:{width}.1f}" for value, width in zip(found, (9, 8, 8, 8, 9), strict=True))
            print(f"{Path(names[0]).stem + ', ' + Path(names[1]).stem + ', ' + corpus:<62}{shown}", flush=True)


if __name__ == "__main__":
    main()
