"""Sampling and n-best lists against sentencepiece, on one text and one thread; time and memory of a long line.

    python tools/bench/sampling.py --model FILE... --corpus FILE [--length 200] [--runs N]

The text is cut from the middle of the corpus, joined to one line. Times are medians of the runs, each of so many
calls: 1,000 samples, ten lists of 64. The long line has 10^6 bytes; its memory is the peak of a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sentencepiece

from spm_lite import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

N_SAMPLES = 1000
N_LISTS = 10
N_BEST = 64
LONG = 10**6


def median_time(call: Callable[[], object], runs: int) -> float:
    """Seconds of this process, so that others on the machine count less."""
    seconds = []
    for _ in range(runs):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds)


def show(name: str, ours: float, theirs: float) -> None:
    print(f"  {name:<34}{1e3 * ours:10.1f} ms{1e3 * theirs:10.1f} ms{theirs / ours:7.1f} times as fast", flush=True)


def compare(path: str, text: str, runs: int) -> None:
    """Print the times of both on one text."""
    tok, ref = Tokenizer.load(path), sentencepiece.SentencePieceProcessor(model_file=path)
    print(f"{Path(path).name}, {len(text)} characters:")
    alpha = 0.1
    theirs = median_time(
        lambda: [ref.encode(text, enable_sampling=True, nbest_size=-1, alpha=alpha) for _ in range(N_SAMPLES)], runs
    )
    if tok.model_type == "bpe":
        show("dropout, call by call", median_time(
            lambda: [tok.sample(text, dropout=alpha, seed=i) for i in range(N_SAMPLES)], runs
        ), theirs)  # fmt: skip
        return
    show("samples, call by call", median_time(
        lambda: [tok.sample(text, alpha=alpha, seed=i) for i in range(N_SAMPLES)], runs
    ), theirs)  # fmt: skip
    show(
        "samples, one call",
        median_time(lambda: tok.lattice.samples(text, N_SAMPLES, alpha=alpha, seed=1), runs),
        theirs,
    )
    batch = [text] * N_SAMPLES
    show("samples, one batch", median_time(
        lambda: tok.sample_batch(batch, alpha=alpha, seed=1, num_threads=1), runs
    ), theirs)  # fmt: skip
    show(f"{N_BEST} best", median_time(
        lambda: [tok.nbest(text, N_BEST) for _ in range(N_LISTS)], runs
    ), median_time(
        lambda: [ref.nbest_encode(text, nbest_size=N_BEST, out_type=int) for _ in range(N_LISTS)], runs
    ))  # fmt: skip


def measure_long(path: str, text: str) -> None:
    """Print time and memory of a sample and of ten best paths of a long line, and the time of a tenth of it."""
    tok = Tokenizer.load(path)
    tok.sample("x")
    tenth = text[: len(text) // 10]
    for name, call in (("a sample", tok.sample), ("the 10 best", lambda t: tok.nbest(t, 10))):
        short, long = median_time(lambda call=call: call(tenth), 1), median_time(lambda call=call: call(text), 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"  {name} of {len(text.encode())} bytes: {long:.2f} s (a tenth: {short:.2f} s), at most {peak:.0f} MB",
            flush=True,
        )


def main() -> None:
    """Measure each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--corpus", required=True, metavar="FILE")
    parser.add_argument("--length", type=int, default=200, metavar="N", help="characters of the text")
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    options = parser.parse_args()
    line = Path(options.corpus).read_text(encoding="utf-8").replace("\n", "")
    text = line[len(line) // 2 :][: options.length]
    long = (line * (LONG // len(line) + 1)).encode()[:LONG].decode(errors="ignore")
    for path in options.model:
        compare(path, text, options.runs)
        process = multiprocessing.get_context("spawn").Process(target=measure_long, args=(path, long))
        process.start()
        process.join()


if __name__ == "__main__":
    main()
