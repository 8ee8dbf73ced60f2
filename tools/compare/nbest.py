"""Compare n-best lists of the drop-in face, their order and their scores with those of sentencepiece 0.2.3.

    python tools/compare/nbest.py MODEL... --corpus FILE...

Lines taken evenly from the corpora, and strings made to tie, go through both, with the time limit off. What differs
is shown (the first few) and counted; the exit status is 1 if anything does. Only Unigram models have n-best lists.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import sentencepiece

import spm_lite
from spm_lite.sentencepiece_pb2 import NBestSentencePieceText

TIED = [
    "a" * 300,
    "-" * 500,
    "la" * 80,
    "の" * 60,
    "ばば" * 40,
    "the cat " * 30,
    " " * 50,
    "ha ha " * 50,
    "00" * 90,
    "ééé" * 50,
]

Result = list[tuple[list[int], list[tuple[int, int]], float]]


def listed(processor: Any, text: str, n: int) -> Result:
    """(ids, byte offsets, score) of each segmentation, by either library."""
    try:
        found = processor.nbest_encode(text.encode(), nbest_size=n, return_type="proto").nbests
    except TypeError:  # a version before 0.2.3
        data = processor.nbest_encode(text.encode(), nbest_size=n, out_type="serialized_proto")
        found = NBestSentencePieceText.FromString(data).nbests
    return [([p.id for p in one.pieces], [(p.begin, p.end) for p in one.pieces], one.score) for one in found]


def compare(path: str, lines: list[str], sizes: dict[int, int], shown: int) -> int:
    """The number of differences in one model; one line is printed for each n."""
    tok = spm_lite.SentencePieceProcessor(model_file=path)
    ref = sentencepiece.SentencePieceProcessor(model_file=path)
    total = 0
    for n, n_lines in sizes.items():
        begin, n_differences = time.perf_counter(), 0
        texts = lines[:: max(1, len(lines) // n_lines)][:n_lines] if n_lines else []
        for text in [*texts, *TIED]:
            own, other = listed(tok, text, n), listed(ref, text, n)
            if own == other:
                continue
            n_differences += 1
            if n_differences <= shown:
                print(f"{Path(path).name}: n = {n}, {text!r}\n  ours      {own!r}\n  reference {other!r}", flush=True)
        seconds = time.perf_counter() - begin
        n_texts = len(texts) + len(TIED)
        print(
            f"{Path(path).name}: n = {n}: {n_differences} differences in {n_texts} texts, {seconds:.0f} s", flush=True
        )
        total += n_differences
    return total


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="FILE", help="UTF-8 text, compared line by line")
    parser.add_argument(
        "--sizes", nargs="*", default=["1:20000", "2:20000", "5:20000", "64:2000", "512:300"], metavar="N:LINES",
        help="numbers of paths, and for each how many lines are compared",
    )  # fmt: skip
    parser.add_argument("--show", type=int, default=2, metavar="N", help="differences shown per model and size")
    options = parser.parse_args()
    if hasattr(sentencepiece, "set_nbest_timeout"):  # old versions have none
        sentencepiece.set_nbest_timeout(0)
    spm_lite.set_nbest_timeout(0)
    lines = [line for path in options.corpus for line in Path(path).read_bytes().decode().split("\n") if line]
    sizes = {int(n): int(n_lines) for n, n_lines in (pair.split(":") for pair in options.sizes)}
    total = 0
    for path in options.models:
        if spm_lite.Tokenizer.load(path).model_type != "unigram":
            print(f"{Path(path).name}: not a Unigram model, left out", flush=True)
            continue
        total += compare(path, lines, sizes, options.show)
    print(f"{total} differences in {len(options.models)} models")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
