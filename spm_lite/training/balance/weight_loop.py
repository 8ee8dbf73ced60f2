"""balance="tokens": weights of the sources with which the same content costs about the same in every language.

The loop. Round 0 is plain training. In each round, the cost of a language is the tokens of its dev text. Its weight is
multiplied by (cost / mean cost) ** EXPONENT, and the same counts are learned from again. With 26 languages, a cost
falls by about the sixth root of the weight, so a round closes half of the gap. A weight has DIGITS digits, so what a
person copies gives the same model.

A round beyond the price, and one that is less fair than the round before it, is a step too far: the next round goes
half way back. The loop ends when a round gains little, when a step is too far after MOST_BACK others, and after
MOST_TRAININGS trainings. The fairest round within the price is the result.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from fractions import Fraction
from math import inf
from operator import mul
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spm_lite.errors import OptionError, TrainingError
from spm_lite.kinds import BYTE_LEVEL
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.training.balance.balance_result import BalanceRound, BalanceRow, balance_of
from spm_lite.training.balance.dev_texts import DevTexts, read_dev_texts, wanted_tokens
from spm_lite.training.balance.inequality import gini
from spm_lite.training.options.families import with_last_ids
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import kept_tables

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.weighted_sources import CountedSources, Sources

MOST_TRAININGS = 8
EXPONENT = 3
LEAST_FALL = Fraction(5, 100)  # of Gini's coefficient, in a round after which the loop goes on
MOST_BACK = 2
DIGITS = 4
AIM = Fraction(995, 1000)  # of the tokens that a target allows, so that the last rounds do not stay just above it
LARGER = (2, 4)  # vocabulary sizes that are tried after a target was not reached, as multiples
DIFFERS = 1.2  # times the usual ratio of tokens for a character in dev text and in training text
CHUNKS_AT_ONCE = 1 << 16


class Measured(NamedTuple):
    """A training of the loop."""

    figures: BalanceRound
    tokenizer: Tokenizer
    unfairness: Fraction  # what the loop makes small: Gini's coefficient, or the part of a cost above its target


def train_balanced(sources: Sources, run: Training, seed: int) -> Tokenizer:
    """The Tokenizer with the fairest weights within the price. Its report has a `Balance`.

    run: the training, checked. seed: as in `Training.learn`. Raises TrainingError if targets are not reached, and what
    a plain training raises.
    """
    fairness = sources.fairness
    assert fairness is not None
    dev = read_dev_texts(fairness) if fairness.texts else None
    with kept_tables(run.memory_limit is not None) as keep:
        run.counted = run.counted_sources(sources, seed, keep)
        loop = WeightLoop(sources, run, seed, dev)
        warnings = loop.differences()
        stopped_by = loop.search()
        best = loop.best
        if fairness.targets and best.unfairness:
            raise loop.not_reached(stopped_by)
    weights = best.figures.weights or loop.shares
    before, after = loop.rounds[0].tokens, best.figures.tokens
    balance = balance_of(
        fairness.method,
        {
            name: BalanceRow(before.get(name), after.get(name), loop.target(name), weights[name])
            for name in sources.inputs
        },
        weights=weights,
        rounds=tuple(loop.rounds),
        warnings=warnings,
        stopped_by=stopped_by,
    )
    assert best.tokenizer.report is not None
    report = dataclasses.replace(
        best.tokenizer.report, balance=balance, seconds={**run.seconds}, peak_memory_after={**run.peaks}
    )
    return best.tokenizer._from_bytes(best.tokenizer.to_bytes(), "the trained model", report)


class WeightLoop:
    """The trainings of one call. The counts and the texts on which costs are measured are the same for all of them."""

    def __init__(self, sources: Sources, run: Training, seed: int, dev: DevTexts | None) -> None:
        """run: has counted the sources. dev: None: costs are measured on the training text."""
        assert sources.fairness is not None
        assert run.counted is not None
        self.sources, self.run, self.seed, self.dev = sources, run, seed, dev
        self.counted, self.fairness = run.counted, sources.fairness
        sizes = self.counted.sizes if dev is None else dev.sizes
        self.wanted = wanted_tokens(self.fairness, sizes)
        own = {name: given[sources.share_of] for name, given in self.counted.sizes.items()}
        self.shares = {name: rounded(Fraction(size, sum(own.values()))) for name, size in own.items()}  # as counted
        self.rounds: list[BalanceRound] = []
        self.best = self.train(run, None)
        price = self.fairness.price
        self.most_tokens = inf if price == inf else self.best.figures.total * (1 + Fraction(price))

    def train(self, run: Training, weights: dict[str, float] | None) -> Measured:
        """One training, with the tokens that it gives each language. run: this loop's, or one of another size."""
        tok = run.tokenizer(run.learn(dataclasses.replace(self.sources, weights=weights), self.seed))
        with run.phase("measure"):
            if self.dev is None:
                tokens = training_tokens(tok, self.counted, run.num_threads)
            else:
                tokens = self.dev.tokens(tok, run.num_threads)
        costs = self.costs(tokens).values()
        figures = BalanceRound(sum(tokens.values()), gini(costs), weights, tokens)
        unfairness = max(Fraction(0), max(costs) - 1) if self.wanted else Fraction(figures.gini or 0)
        if run is self.run:
            self.rounds.append(figures)
        return Measured(figures, tok, unfairness)

    def costs(self, tokens: Mapping[str, int]) -> dict[str, Fraction]:
        """What is to be at most 1 where there are targets, and equal where there are none."""
        if self.wanted:
            return {name: tokens[name] / wanted for name, wanted in self.wanted.items()}
        return {name: Fraction(n) for name, n in tokens.items()}

    def target(self, name: str) -> float | None:
        """The tokens that the target of a language allows; None: it has none."""
        return float(self.wanted[name]) if name in self.wanted else None

    def search(self) -> str:
        """Train round by round, and keep the best. Returns why it ended, in words."""
        here, weights, n_back = self.best, self.shares, 0
        beyond: dict[str, float] | None = None
        for _ in range(MOST_TRAININGS - 1):
            if not here.unfairness:
                return "the targets are reached" if self.wanted else "all costs are equal"
            tried = self.stepped(weights, here) if beyond is None else halfway(weights, beyond)
            try:
                this = self.train(self.run, tried)
                too_far = self.why_too_far(this, here)
            except (OptionError, TrainingError) as error:
                too_far = f"other weights do not work: {error}"
            if too_far:
                n_back += 1
                if n_back > MOST_BACK:
                    return too_far
                beyond = tried
                continue
            if this.unfairness < self.best.unfairness:
                self.best = this
            if not self.wanted and this.unfairness > here.unfairness * (1 - LEAST_FALL):
                return f"the last round lowered Gini's coefficient by less than {float(LEAST_FALL):.0%}"
            here, weights = this, tried
        return f"the limit of {MOST_TRAININGS} trainings"

    def why_too_far(self, this: Measured, before: Measured) -> str:
        """What is wrong with a round, in words; "": nothing."""
        if this.figures.total > self.most_tokens:
            return f"the price of {self.fairness.price:.1%}"
        if this.unfairness > before.unfairness * (1 + LEAST_FALL):
            return "the last round was less fair than the one before"
        return ""

    def stepped(self, weights: Mapping[str, float], this: Measured) -> dict[str, float]:
        """The weights of the next round.

        Languages that are measured keep their share of the whole together, so that the others keep theirs.
        """
        costs = self.costs(this.figures.tokens)
        mean = AIM if self.wanted else Fraction(sum(costs.values()), len(costs))
        moved = {name: Fraction(weights[name]) for name in this.figures.tokens}
        whole = sum(moved.values())
        moved |= {name: moved[name] * (cost / mean) ** EXPONENT for name, cost in costs.items()}
        scale = Fraction(whole, sum(moved.values()))
        return {**weights, **{name: rounded(weight * scale) for name, weight in moved.items()}}

    def differences(self) -> tuple[str, ...]:
        """Warnings of languages whose dev text is not like their training text."""
        if self.dev is None:
            return ()
        tok, tokens = self.best.tokenizer, self.best.figures.tokens
        return differing_texts(tok, tokens, self.dev, self.counted, self.run.num_threads)

    def not_reached(self, stopped_by: str) -> TrainingError:
        """The error that says how near the best round came, and which larger size would reach the targets."""
        tokens, size = self.best.figures.tokens, self.run.spec.vocab_size
        name, cost = max(self.costs(tokens).items(), key=lambda item: item[1])
        target, unit = self.fairness.targets[name], self.fairness.target_unit
        reached = target * float(cost if unit == "tokens_per_line" else 1 / cost)
        came = (
            f"the targets are not reached with vocab_size={size}: the best weights give {name!r:.60} {reached:.4g} "
            f"{unit}, and its target is {target:g} (ended by: {stopped_by})"
        )
        if self.fairness.price < inf:
            return TrainingError(f"{came}. Leave out price, or give other targets", remedies=[{"price": None}])
        enough = next((n * size for n in LARGER if self.is_enough(n * size)), None)
        if enough is None:
            tried = " and ".join(f"{n * size:,}" for n in LARGER)
            return TrainingError(f"{came}. Nor are they with {tried}: give other targets")
        return TrainingError(f"{came}. Give vocab_size={enough}, or other targets", remedies=[{"vocab_size": enough}])

    def is_enough(self, size: int) -> bool:
        """Whether a model of this size reaches the targets with the best weights."""
        options = self.run.options
        if options.trainer.model_type in BYTE_LEVEL:
            spec = with_last_ids(options.trainer, size)
        else:
            spec = dataclasses.replace(options.trainer, vocab_size=size)
        run = Training(
            dataclasses.replace(options, trainer=spec), self.run.num_threads, self.run.progress,
            memory_limit=self.run.memory_limit,
        )  # fmt: skip
        run.counted, run.from_tables = self.counted, self.run.from_tables
        run.counting.saved_figures = self.run.counting.saved_figures
        try:
            return not self.train(run, self.best.figures.weights).unfairness
        except (OptionError, TrainingError):
            return False  # the text has too few pieces


def halfway(weights: Mapping[str, float], beyond: Mapping[str, float]) -> dict[str, float]:
    """The weights in the middle."""
    return {name: rounded((Fraction(weight) + Fraction(beyond[name])) / 2) for name, weight in weights.items()}


def rounded(weight: Fraction) -> float:
    """A weight of few digits."""
    return float(f"{float(weight):.{DIGITS}g}")


def differing_texts(
    tok: Tokenizer, tokens: Mapping[str, int], dev: DevTexts, counted: CountedSources, num_threads: int
) -> tuple[str, ...]:
    """Warnings of languages whose dev text is not like their training text.

    In each, a character of dev text needs more tokens than one of training text, which was learned from. How much more
    is about the same in all languages, so one that is far above the others is named.

    tok: the plain model. tokens: of the dev texts.
    """
    learned, ratios = training_tokens(tok, counted, num_threads, dev.lines), {}
    for name, n in tokens.items():
        on_dev = n / dev.sizes[name]["characters"]
        ratios[name] = on_dev / (learned[name] / counted.sizes[name]["characters"])
    usual = median(ratios.values())
    return tuple(
        f"{name}: its dev text differs from its training text ({ratio / usual:.2f} times the usual tokens for a "
        "character), so other text will not be as fair: give dev text of the same kind"
        for name, ratio in ratios.items()
        if ratio > DIFFERS * usual
    )


def training_tokens(
    tok: Tokenizer, counted: CountedSources, num_threads: int, names: Collection[str] | None = None
) -> dict[str, int]:
    """The tokens of the training text of each source, or of those named; a memory limit may have left out rare text."""
    alone, found = LonePieces(tok), {}
    for name in counted.loads if names is None else names:
        table, found[name] = counted.loads[name](), 0
        for begin in range(0, len(table), CHUNKS_AT_ONCE):
            texts, counts = zip(*table.items_from(begin, begin + CHUNKS_AT_ONCE), strict=True)
            n_ids = np.asarray(alone.count([*texts], num_threads)).tolist()
            found[name] += sum(map(mul, n_ids, counts))
    return found
