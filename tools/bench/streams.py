"""Ids a second through many streams at once: `BatchStream` without stop strings and with eight, and single streams.

    python tools/bench/streams.py MODEL... [--corpus FILE] [--streams 1000] [--ids 1000000]

Each stream decodes a part of the corpus, one id a call of `push` for all. One thread; the best of several repeats.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spm_lite

REPEATS = 5
STOPS = ["</s>", "\n\n\n", "\nUser:", "\nHuman:", "<|im_end|>", "<|eot_id|>", "```\n\n", "Observation:"]
SENTENCE = "I saw a girl with a telescope in the garden, and she waved. "  # where no corpus is given


def steps_of(tok: spm_lite.Tokenizer, text: str, n_streams: int, n_ids: int) -> list[list[int]]:
    """The ids of each call: one for each stream, from its own part of the text."""
    ids = tok.encode(text)
    length = n_ids // n_streams
    ids *= -(-n_streams * length // len(ids))
    rows = [ids[i * length : (i + 1) * length] for i in range(n_streams)]
    return [list(step) for step in zip(*rows, strict=True)]


def batch_run(tok: spm_lite.Tokenizer, steps: list[list[int]], options: dict[str, Any]) -> Callable[[], None]:
    batch = spm_lite.BatchStream(tok.stream(**options), len(steps[0]))

    def run() -> None:
        for step in steps:
            batch.push(step)
        assert not any(batch.stopped)  # ids after a stop string cost nothing
        batch.flush()

    return run


def single_run(tok: spm_lite.Tokenizer, steps: list[list[int]], options: dict[str, Any]) -> Callable[[], None]:
    pushes = [tok.stream(**options).push for _ in steps[0]]

    def run() -> None:
        for step in steps:
            for push, piece_id in zip(pushes, step, strict=True):
                push(piece_id)

    return run


def best(call: Callable[[], None]) -> float:
    """Seconds of one call, the best of some."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--corpus", type=Path, help="a text file; without it, one English sentence many times")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--ids", type=int, default=1_000_000)
    given = parser.parse_args()
    text = SENTENCE * 1000 if given.corpus is None else given.corpus.read_text(encoding="utf-8")[:2_000_000]
    print(f"{'model':34} {'batch':>8} {'8 stops':>8} {'single':>8} {'8 stops':>8}   million ids a second")
    for path in given.models:
        tok = spm_lite.load(path)
        steps = steps_of(tok, text, given.streams, given.ids)
        n_ids = len(steps) * len(steps[0])
        rates = []
        for make in (batch_run, single_run):
            for options in ({}, {"stop": STOPS}):
                rates.append(n_ids / best(make(tok, steps, options)) / 1e6)
        print(f"{path.name:34} " + " ".join(f"{rate:8.1f}" for rate in rates))


if __name__ == "__main__":
    main()
