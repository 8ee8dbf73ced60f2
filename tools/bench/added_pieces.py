"""What a million added pieces cost: to add them, and to encode with them.

    python tools/bench/added_pieces.py --corpus FILE [--model FILE...] [--pieces 1000000] [--runs 5]

The pieces are random words of 5 to 11 letters, once as they are and once with a space before each (U+2581). Models are
those given, or four that are trained on the corpus. Times are user and system time of this process, least of the runs.
"Cold" is encoding line by line with an empty cache, "warm" the same again; both are divided by the times without the
pieces. The steps are checks and writing, reading, the normalizer's strings, and the segmenter.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.vocab.changed_pieces import with_pieces
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.piece_trie import protected_strings

METHODS = ("unigram", "bpe", "byte_bpe", "char")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
N_LINES = 4000


def least(call: Callable[[], Any], runs: int) -> float:
    """The least processor time of a call, in seconds."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def words(n: int) -> list[str]:
    """Distinct random words."""
    rng = random.Random(3)
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(rng.choices(LETTERS, k=rng.randrange(5, 12)))] = None
    return list(found)


def encoding(tok: spm_lite.Tokenizer, lines: list[str], runs: int) -> tuple[float, float]:
    """(cold, warm) seconds of encoding all lines, one by one."""

    def encode_all() -> None:
        for line in lines:
            tok.encode(line)

    cold = []
    for _ in range(runs):
        tok.clear_cache()
        cold.append(least(encode_all, 1))
    return min(cold), least(encode_all, runs)


def tokenizers(paths: list[str], lines: list[str]) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """The models by name."""
    for path in paths:
        yield Path(path).name, spm_lite.load(path)
    for method in METHODS if not paths else ():
        yield method, spm_lite.train(lines, model_type=method, vocab_size=8000, hard_vocab_limit=False)


def row(name: str, tok: spm_lite.Tokenizer, pieces: list[str], lines: list[str], runs: int) -> str:
    """The line of a model."""
    pieces = [piece for piece in pieces if piece not in tok]
    adding = least(lambda: tok.add_pieces(pieces), runs)
    data = with_pieces(tok._file, pieces, False)
    file = read_model(data, "with pieces")
    compact = tok._encoder.normalizer.compact
    steps = [
        least(lambda: with_pieces(tok._file, pieces, False), runs),
        least(lambda: read_model(data, "with pieces"), runs),
        0.0 if file.vocab.is_bytes else least(lambda: protected_strings(file.vocab, not file.lossless), runs),
        least(lambda: make_segmenter(file.vocab, file.model_type, compact), runs),
    ]
    cold, warm = encoding(tok, lines, runs)
    more_cold, more_warm = encoding(tok.add_pieces(pieces), lines, runs)
    parts = "".join(f"{seconds:7.2f}" for seconds in steps)
    return f"{name:<20}{adding:7.2f} s ={parts}   {more_cold / cold:6.2f}{more_warm / warm:6.2f}"


def main() -> None:
    """Print a row for each model, without and with spaces in the pieces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--model", nargs="*", default=[])
    parser.add_argument("--pieces", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    lines = Path(options.corpus).read_text(encoding="utf-8").splitlines()[:N_LINES]
    plain = words(options.pieces)
    print("model                 adding    write   read strings segmenter   cold  warm")
    for name, tok in tokenizers(options.model, lines):
        space = " " if tok.model_type in ("byte", "byte_bpe") else "\u2581"
        print(row(name, tok, plain, lines, options.runs), flush=True)
        print(row(f"{name}, spaces", tok, [space + word for word in plain], lines, options.runs), flush=True)


if __name__ == "__main__":
    main()
