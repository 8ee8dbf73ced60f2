"""Speed of encoding with pieces that cross spaces, as a multiple of the same model type without them.

    python tools/bench/superwords.py TEXT [--types bpe byte_bpe unigram] [--size 32000] [--models PLAIN SUPER]

TEXT: at least 10 MB of UTF-8. All models learn from it, without each 20th line. Cold: the first 4 MB, with an empty
cache. Next: 2 MB more, once these are known. Warm: the first 4 MB again. One thread, CPU seconds, medians; both models
take turns, so that other work on the machine hits both. --models compares two files in place of trained ones.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import spm_lite

ROUNDS = 5
FIRST, NEXT = 4_000_000, 2_000_000  # bytes
EVERY = 20  # lines, of which one is held out
ACROSS = {"split_by_whitespace": False, "max_sentencepiece_length": 32}


def seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def lines_up_to(lines: list[str], begin: int, n_bytes: int) -> list[str]:
    """The lines from `begin` on, about so many bytes."""
    end = begin
    while end < len(lines) and n_bytes > 0:
        n_bytes -= len(lines[end].encode())
        end += 1
    return lines[begin:end]


def times_of(model: bytes, first: list[str], later: list[str]) -> list[float]:
    """Seconds of loading with a first text, cold, next and warm."""
    tok = spm_lite.Tokenizer.load(model)
    loading = seconds(lambda: spm_lite.Tokenizer.load(model).encode("a b"))
    tok.encode("a b")
    found = [loading]
    for texts in (first, later):
        found.append(seconds(lambda texts=texts: tok.encode_batch(texts, num_threads=1)))  # type: ignore[misc]
    tok.encode_batch(first, num_threads=1)
    return [*found, min(seconds(lambda: tok.encode_batch(first, num_threads=1)) for _ in range(3))]


def compare(name: str, models: dict[str, bytes], first: list[str], later: list[str]) -> None:
    """Print the speeds of both models."""
    times: dict[str, list[list[float]]] = {which: [] for which in models}
    for _ in range(ROUNDS):
        for which, model in models.items():
            times[which].append(times_of(model, first, later))
    sizes = [sum(len(line.encode()) for line in lines) / 1e6 for lines in (first, later, first)]
    plain: list[float] = []
    for which, rounds in times.items():
        loading, *others = (statistics.median(values) for values in zip(*rounds, strict=True))
        plain = plain or others
        cells = [
            f"{what} {size / value:4.0f} MB/s x {other / value:.2f}"
            for what, size, value, other in zip(("cold", "next", "warm"), sizes, others, plain, strict=True)
        ]
        print(f"{name:9} {which:6} loading {loading * 1e3:5.1f} ms   {'   '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--types", nargs="+", default=["bpe", "byte_bpe", "unigram"])
    parser.add_argument("--size", type=int, default=32_000)
    parser.add_argument("--models", nargs=2, type=Path, metavar=("PLAIN", "SUPER"))
    given = parser.parse_args()
    lines = given.text.read_text(encoding="utf-8").split("\n")
    learned = [line for number, line in enumerate(lines) if number % EVERY]
    first = lines_up_to(learned, 0, FIRST)
    later = lines_up_to(learned, len(first), NEXT)
    if given.models:
        plain, across = (path.read_bytes() for path in given.models)
        compare("files", {"plain": plain, "across": across}, first, later)
        return
    for model_type in given.types:
        made = {
            which: spm_lite.train(learned, model_type=model_type, vocab_size=given.size, **options).to_bytes()
            for which, options in (("plain", {}), ("across", ACROSS))
        }
        compare(model_type, made, first, later)


if __name__ == "__main__":
    main()
