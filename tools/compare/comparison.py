"""What the comparisons share: corpora, models, the loop over texts, counts of differences, and the exit status.

A program makes a `Comparison` for each case: a model, a format, a set of options. It sends texts or results through
it, and yields it when it is done. `run` writes a line for each case and one for all, and returns the exit status.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import spm_lite

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
BLOCK = 4000  # texts compared at once
NUMBERS = {  # options that take a number
    "every": "compare every N-th line of the corpora",
    "generated": "random texts for each model",
    "hostile": "random texts for each model, beside the fixed hostile ones",
    "lines": "taken evenly from each corpus",
    "seed": "of random texts and options",
    "show": "differences shown for each case",
    "step": "one scalar value in so many",
    "strings": "random strings",
    "trained": "models with random options to train",
    "vocab_size": "of trained models",
}


def parser_of(doc: str | None, needs_corpus: bool = False, **defaults: int) -> argparse.ArgumentParser:
    """A parser with `--corpus FILE...`, `--show N`, and those of the options in NUMBERS that have a default here."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, nargs="+", default=[], required=needs_corpus, metavar="FILE",
        help="UTF-8 text, compared line by line",
    )  # fmt: skip
    for name, default in {**defaults, "show": 5}.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=int, default=default, metavar="N", help=f"{NUMBERS[name]} [{default}]")
    return parser


def parser_of_folders(doc: str | None) -> argparse.ArgumentParser:
    """A parser for comparisons of tokenizers in folders, which `folders_of` gives, on so many random strings."""
    parser = parser_of(doc, strings=2000, seed=1)
    parser.add_argument("--folders", type=Path, default=DATA / "shapes", help="folders with a tokenizer.json each")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="folders to compare")
    return parser


def folders_of(args: argparse.Namespace) -> list[Path]:
    """The folders that options of `parser_of_folders` name, sorted."""
    folders = [file.parent for file in sorted(args.folders.glob("*/tokenizer.json"))]
    return [folder for folder in folders if not args.only or folder.name in args.only]


def read_lines(paths: Iterable[Path], every: int = 1) -> list[str]:
    """The lines of all files, or every N-th of each."""
    return [line for path in paths for line in path.read_bytes().decode().split("\n")[::every]]


def evenly(lines: Sequence[Any], n: int) -> Sequence[Any]:
    """Up to `n` lines, taken evenly."""
    return lines[:: max(1, len(lines) // n)][:n] if n else []


def blocks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Lists of BLOCK items."""
    rest = iter(items)
    while block := list(islice(rest, BLOCK)):
        yield block


def loaded(paths: Iterable[Path]) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """(name, model) of each file."""
    for path in paths:
        yield path.name, spm_lite.Tokenizer.load(path)


def trained(
    option_sets: Mapping[str, Mapping[str, Any]], texts: Iterable[Any], **common: Any
) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """(name, model) of each set of options."""
    for name, options in option_sets.items():
        yield name, spm_lite.train(texts, hard_vocab_limit=False, **common, **options)


class Comparison:
    """One case: counts what is compared and what differs, and shows the first differences.

    allowed: whether a text may have another result, since it does not meet a reported condition. Such texts are counted
    apart. note: said at the end of the line.
    """

    shown = 5  # differences that are shown

    def __init__(self, name: str, allowed: Callable[[Any], Any] | None = None, note: str = "") -> None:
        self.name, self.allowed, self.note = name, allowed, note
        self.counts: Counter[str] = Counter()
        self.n_differences = 0
        self.begin = time.perf_counter()

    def compare(self, texts: Iterable[Any], ours: Callable[[list], list], theirs: Callable[[list], list]) -> None:
        """Send texts through both sides, in blocks. ours, theirs: texts -> a result for each."""
        for block in blocks(texts):
            self.counts["texts"] += len(block)
            self.check(block, ours(block), theirs(block))

    def check(self, texts: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any], what: str = "ids") -> None:
        """Compare one result for each text. what: which result."""
        if ours == theirs:
            return
        for text, own, other in zip(texts, ours, theirs, strict=True):
            if own == other:
                continue
            if self.allowed is not None and self.allowed(text):
                self.counts[f"other {what} by a condition"] += 1
            else:
                self.differs(f"{what} of {text!r:.500}", f"ours   {own!r:.1000}", f"theirs {other!r:.1000}")

    def differs(self, *lines: str) -> None:
        """Count a difference, and show the first few. lines: the first says where it is."""
        self.n_differences += 1
        if self.n_differences <= self.shown:
            print(f"{self.name}: " + "\n  ".join(lines), flush=True)

    def refused(self, error: object) -> None:
        """Note that there is nothing to compare, and why."""
        self.counts["refused"] += 1
        self.note = f"{error!s:.160}"

    def line(self) -> str:
        """What the case has come to."""
        seen = [f"{n:,} {what}" for what, n in self.counts.items()]
        found = ", ".join([*seen, f"{self.n_differences:,} differences", f"{time.perf_counter() - self.begin:.1f} s"])
        return f"{self.name}: {found}{self.note and f' ({self.note})'}"


def run(parser: argparse.ArgumentParser, comparisons: Callable[[argparse.Namespace], Iterable[Comparison]]) -> int:
    """Write a line for each case as it ends, then the sums and the names of those that differ; 1 if any does."""
    args = parser.parse_args()
    Comparison.shown = args.show
    sums: Counter[str] = Counter()
    n_cases = n_differences = 0
    differing = []
    for case in comparisons(args):
        print(case.line(), flush=True)
        sums.update(case.counts)
        n_cases += 1
        n_differences += case.n_differences
        if case.n_differences:
            differing.append(case.name)
    for name in differing:
        print(f"differs: {name}")
    seen = "".join(f", {n:,} {what}" for what, n in sums.items())
    print(f"{n_cases} cases{seen}, {n_differences:,} differences in {len(differing)} cases")
    return int(n_differences > 0)
