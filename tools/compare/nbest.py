"""Compare n-best lists of the drop-in face, their order and their scores with those of sentencepiece 0.2.3.

    python tools/compare/nbest.py MODEL... --corpus FILE...

Lines taken evenly from the corpora, and strings made to tie, go through both, with the time limit off. What differs
is shown (the first few) and counted; the exit status is 1 if anything does. Only Unigram models have n-best lists.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import sentencepiece
from comparison import Comparison, evenly, loaded, parser_of, read_lines, run

import spm_lite
from spm_lite.sentencepiece_pb2 import NBestSentencePieceText

TIED = [
    "a" * 300, "-" * 500, "la" * 80, "の" * 60, "ばば" * 40, "the cat " * 30, " " * 50, "ha ha " * 50, "00" * 90,
    "ééé" * 50,
]  # fmt: skip
SIZES = ["1:20000", "2:20000", "5:20000", "64:2000", "512:300"]
Result = list[tuple[list[int], list[tuple[int, int]], float]]


def listed(processor: Any, n: int, texts: list[str]) -> list[Result]:
    """For each text (ids, byte offsets, score) of each segmentation, by either library."""
    return [one_listed(processor, n, text) for text in texts]


def one_listed(processor: Any, n: int, text: str) -> Result:
    try:
        found = processor.nbest_encode(text.encode(), nbest_size=n, return_type="proto").nbests
    except TypeError:  # a version before 0.2.3
        data = processor.nbest_encode(text.encode(), nbest_size=n, out_type="serialized_proto")
        found = NBestSentencePieceText.FromString(data).nbests
    return [([p.id for p in one.pieces], [(p.begin, p.end) for p in one.pieces], one.score) for one in found]


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each model and number of paths."""
    lines = [line for line in read_lines(args.corpus) if line]
    for path, (name, tok) in zip(args.models, loaded(args.models), strict=True):
        if tok.model_type != "unigram":
            case = Comparison(name)
            case.refused("not a Unigram model")
            yield case
            continue
        ours, theirs = (face.SentencePieceProcessor(model_file=str(path)) for face in (spm_lite, sentencepiece))
        for n, n_lines in (map(int, pair.split(":")) for pair in args.sizes):
            case = Comparison(f"{name}, n = {n}")
            case.compare([*evenly(lines, n_lines), *TIED], partial(listed, ours, n), partial(listed, theirs, n))
            yield case


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL")
    parser.add_argument(
        "--sizes", nargs="*", default=SIZES, metavar="N:LINES",
        help="numbers of paths, and for each how many lines are compared",
    )  # fmt: skip
    if hasattr(sentencepiece, "set_nbest_timeout"):  # old versions have none
        sentencepiece.set_nbest_timeout(0)
    spm_lite.set_nbest_timeout(0)
    sys.exit(run(parser, comparisons))
