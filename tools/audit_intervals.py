"""How often the 95 % intervals of an audit hold the true difference between two tokenizers, or the true parity.

    python tools/audit_intervals.py MODEL MODEL TEXT... [--lines 1] [--samples 1000] [--documents 20 100 1000]
    python tools/audit_intervals.py MODEL... --parallel TEXT... [the same options]

The first half of the lines of each TEXT trains the n-gram models. The other half is the whole text: each line, or each
so many lines, are a document, and the difference over all of them is the true one. Samples of documents are drawn from
it with replacement. For each, `spm_lite.evaluation` makes the interval as in an audit of those documents alone.
Printed is the share of intervals that hold the true difference, which should be 92 to 98 %. For 20 documents, where
intervals by draws are too narrow, there is the share of Student's t too.

With --parallel, the TEXTs are translations of each other, and each MODEL is judged by itself: Gini's coefficient, the
most expensive language against the cheapest and the mean, and the premium of the last TEXT over the first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.audit_texts import named_subjects
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.parity import spread
from spm_lite.evaluation.figures.parity_intervals import ratio_interval
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


class ParallelPopulation:
    """All documents of parallel texts: the tokens that one tokenizer has for each language."""

    def __init__(self, model: str, texts: Mapping[str, list[str]], n_together: int) -> None:
        n_lines = min(map(len, texts.values()))
        self.names = [*texts]
        self.last: tuple[int, int, dict[str, Any]] | None = None
        self.sizes = np.bincount([number // n_together for number in range(n_lines)])  # lines of each document
        firsts = np.arange(0, n_lines, n_together)
        (subject,) = named_subjects({"model": model})
        sources = [TextSource(name, lines[:n_lines], keeps_empty=True) for name, lines in texts.items()]
        lengths = [measure(source, [subject], 2, 0).readings["model"].lengths for source in sources]
        self.tokens = np.array([np.add.reduceat(one, firsts) for one in lengths], np.float64)

    def methods(self) -> dict[str, tuple[float, Callable[[NDArray[Any], int], dict[str, Interval]]]]:
        """As those of a Population."""
        true = self._spread(np.arange(len(self.sizes)), 0)
        found: dict[str, Any] = {
            what: (true[name], self._of_spread(name))
            for what, name in (("Gini", "gini"), ("max/min", "tax_max"), ("max/mean", "max_mean"))
        }
        first, last = self.tokens[0], self.tokens[-1]
        found["premium"] = last.sum() / first.sum(), self._of_premium
        return found

    def _spread(self, chosen: NDArray[Any], seed: int) -> dict[str, Any]:
        """The figures of a sample, which several figures ask for one after the other."""
        if self.last is None or self.last[:2] != (len(chosen), seed):
            tokens = dict(zip(self.names, self.tokens[:, chosen], strict=True))
            self.last = len(chosen), seed, spread(tokens, seed)
        return self.last[2]

    def _of_spread(self, name: str) -> Callable[[NDArray[Any], int], dict[str, Interval]]:
        def intervals(chosen: NDArray[Any], seed: int) -> dict[str, Interval]:
            low, high = self._spread(chosen, seed)[f"{name}_ci95"]
            return {"draws" if name == "gini" else "standard error": (low, high)}

        return intervals

    def _of_premium(self, chosen: NDArray[Any], _: int) -> dict[str, Interval]:
        interval = ratio_interval(self.tokens[-1, chosen], self.tokens[0, chosen])
        assert interval is not None
        return {"standard error": (interval[0], interval[1])}


def coverage(
    population: Population | ParallelPopulation, n_documents: int, n_samples: int, seed: int
) -> dict[tuple[str, str], float]:
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
    parser.add_argument("inputs", nargs="+", metavar="MODEL or TEXT")
    parser.add_argument("--parallel", nargs="+", metavar="TEXT", help="translations of each other, line by line")
    parser.add_argument("--lines", type=int, default=1, help="of a document")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--documents", type=int, nargs="+", default=[FEW, 100, 1000])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.parallel:
        texts = {path: lines_of(path) for path in args.parallel}
        for model in args.inputs:
            report(
                f"{Path(model).stem} on {len(texts)} parallel texts", ParallelPopulation(model, texts, args.lines), args
            )
        return
    models, paths = args.inputs[:2], args.inputs[2:]
    if not paths:
        parser.error("give two models and at least one text, or models and --parallel with texts")
    names = " and ".join(Path(model).stem for model in models)
    for path in paths:
        report(f"{names} on {Path(path).name}", Population(models, lines_of(path), args.lines), args)


def lines_of(path: str) -> list[str]:
    """The lines of a text; of a table, its last column."""
    return [line.rpartition("\t")[2] for line in Path(path).read_bytes().decode().split("\n") if line]


def report(what: str, population: Population | ParallelPopulation, args: argparse.Namespace) -> None:
    """Print how often the intervals of a population hold the true values."""
    print(f"{what}: {len(population.sizes):,} documents, {args.samples} samples")
    for figure, (true, _) in population.methods().items():
        print(f"  true value, {figure}: {true:+.5f}")
    for n_documents in args.documents:
        for (figure, kind), share in coverage(population, n_documents, args.samples, args.seed).items():
            mark = "" if WANTED[0] <= share <= WANTED[1] else f"   outside {WANTED[0]:.0%} to {WANTED[1]:.0%}"
            print(f"  {n_documents:5,} documents   {figure:18}   {kind:14}   {share:6.1%}{mark}")


if __name__ == "__main__":
    main()
