"""How often the 95 % intervals of an audit hold the true difference between two tokenizers.

    python tools/audit_intervals.py MODEL MODEL TEXT... [--lines 1] [--samples 1000] [--documents 20 100 1000]

The first half of the lines of each TEXT trains the n-gram models. The other half is the whole text: each line, or each
so many lines, are a document, and the difference over all of them is the true one. Samples of documents are drawn from
it with replacement. For each, `spm_lite.evaluation` makes the interval as in an audit of those documents alone.
Printed is the share of intervals that hold the true difference, which should be 92 to 98 %. For 20 documents, where
intervals by draws are too narrow, there is the share of Student's t too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.audit_texts import named_subjects
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.judge import Judge, Settings
from spm_lite.evaluation.prediction.paired import difference_figures, drawn_ratios, token_figures
from spm_lite.evaluation.prediction.verdicts import QUANTILE_95

if TYPE_CHECKING:
    from numpy.typing import NDArray

ORDERS = (2, 3)
FEW = 20  # documents: the least that an audit judges
STUDENT_19 = 2.093024054408263  # the quantile of Student's t for 95 %, for 20 documents
WANTED = (0.92, 0.98)
Interval = tuple[float, float]


class Population:
    """All documents of a text: their bytes, and for two tokenizers their tokens and the differences of their bits."""

    def __init__(self, models: Sequence[str], lines: list[str], n_together: int) -> None:
        half = len(lines) // 2
        numbers = [number // n_together for number in range(len(lines) - half)]
        subjects = named_subjects(dict(zip("ab", models, strict=True)))
        judge = Judge(subjects, Settings(ORDERS, {}, 2, 0, None, None), None)
        for subject in subjects:  # as `examine` does, without looking at the vocabularies
            judge.data["probes"][subject.name] = {}
            judge.data["stability"][subject.name] = {}
        judge.read(TextSource("text", lines[half:], numbers), TextSource("text", lines[:half]), 1, False)
        first, second = (judge.contests["text"].predicted[name] for name in "ab")
        self.sizes = np.bincount(numbers, [len(line.encode()) for line in lines[half:]])
        self.tokens = first.tokens, second.tokens
        self.bits = {name: first.bits[name] - second.bits[name] for name in (f"n{order}" for order in ORDERS)}
        if len(self.sizes) != len(first.tokens):
            raise SystemExit("documents and figures differ in number")

    def methods(self) -> dict[str, tuple[float, Callable[[NDArray[Any], int], dict[str, Interval]]]]:
        """For each figure its true value, and what gives the intervals of a sample, by their kind."""
        found: dict[str, Any] = {}
        for name, differences in self.bits.items():
            true = difference_figures(differences, self.sizes, None)["difference"]
            found[f"bits per byte, {name}"] = true, self._of_bits(differences)
        found["tokens"] = token_figures(*self.tokens)["log_ratio"], self._of_tokens
        return found

    def _of_bits(self, differences: NDArray[Any]) -> Callable[[NDArray[Any], int], dict[str, Interval]]:
        def intervals(chosen: NDArray[Any], seed: int) -> dict[str, Interval]:
            some, sizes = differences[chosen], self.sizes[chosen]
            drawn = drawn_ratios([some], sizes, seed)
            assert drawn is not None
            figures = difference_figures(some, sizes, drawn[:, 0])
            d, se = figures["difference"], figures["se"]
            found = {"draws": tuple(figures["ci95"]), "standard error": (d - QUANTILE_95 * se, d + QUANTILE_95 * se)}
            if len(chosen) == FEW:
                found["Student's t"] = d - STUDENT_19 * se, d + STUDENT_19 * se
            return found

        return intervals

    def _of_tokens(self, chosen: NDArray[Any], seed: int) -> dict[str, Interval]:
        figures = token_figures(*(tokens[chosen] for tokens in self.tokens))
        ratio, se = figures["log_ratio"], figures["se"]
        found = {"standard error": (ratio - QUANTILE_95 * se, ratio + QUANTILE_95 * se)}
        if len(chosen) == FEW:
            found["Student's t"] = ratio - STUDENT_19 * se, ratio + STUDENT_19 * se
        return found


def coverage(population: Population, n_documents: int, n_samples: int, seed: int) -> dict[tuple[str, str], float]:
    """The share of intervals that hold the true value, by figure and kind of interval."""
    generator = np.random.default_rng([seed, n_documents])
    held: dict[tuple[str, str], int] = {}
    methods = population.methods()
    for sample in range(n_samples):
        chosen = generator.integers(0, len(population.sizes), n_documents)
        for figure, (true, intervals) in methods.items():
            for kind, (low, high) in intervals(chosen, sample).items():
                held[figure, kind] = held.get((figure, kind), 0) + (low <= true <= high)
    return {key: n / n_samples for key, n in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("models", nargs=2, metavar="MODEL")
    parser.add_argument("texts", nargs="+", metavar="TEXT")
    parser.add_argument("--lines", type=int, default=1, help="of a document")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--documents", type=int, nargs="+", default=[FEW, 100, 1000])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    names = [Path(model).stem for model in args.models]
    for path in map(Path, args.texts):
        lines = [line for line in path.read_bytes().decode().split("\n") if line]
        population = Population(args.models, lines, args.lines)
        print(f"{names[0]} and {names[1]} on {path.name}: {len(population.sizes):,} documents, {args.samples} samples")
        for figure, (true, _) in population.methods().items():
            print(f"  true difference, {figure}: {true:+.5f}")
        for n_documents in args.documents:
            for (figure, kind), share in coverage(population, n_documents, args.samples, args.seed).items():
                mark = "" if WANTED[0] <= share <= WANTED[1] else f"   outside {WANTED[0]:.0%} to {WANTED[1]:.0%}"
                print(f"  {n_documents:5,} documents   {figure:18}   {kind:14}   {share:6.1%}{mark}")


if __name__ == "__main__":
    main()
