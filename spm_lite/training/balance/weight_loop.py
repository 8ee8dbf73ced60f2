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
from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.errors import OptionError, TrainingError
from spm_lite.kinds import BYTE_LEVEL
from spm_lite.training.balance.balance_result import BalanceRound, BalanceRow, balance_of, costs_of
from spm_lite.training.balance.costs import MeasuredTexts
from spm_lite.training.balance.dev_texts import DevTexts, read_dev_texts
from spm_lite.training.balance.inequality import gini
from spm_lite.training.options.families import with_last_ids
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import kept_tables

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.weighted_sources import Sources

MOST_TRAININGS = 8
EXPONENT = 3
LEAST_FALL = Fraction(5, 100)  # of Gini's coefficient, in a round after which the loop goes on
MOST_BACK = 2
DIGITS = 4
AIM = Fraction(995, 1000)  # of the tokens that a target allows, so that the last rounds do not stay just above it
LARGER = (2, 4)  # vocabulary sizes that are tried after a target was not reached, as multiples


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
        warnings = loop.texts.warnings(loop.best.tokenizer, loop.best.figures.tokens, run.num_threads)
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
        self.sources, self.run, self.seed, self.fairness = sources, run, seed, sources.fairness
        self.texts = MeasuredTexts(self.fairness, run.counted, dev)
        self.wanted = self.texts.wanted
        own = {name: given[sources.share_of] for name, given in run.counted.sizes.items()}
        self.shares = {name: rounded(Fraction(size, sum(own.values()))) for name, size in own.items()}  # as counted
        self.rounds: list[BalanceRound] = []
        self.best = self.train(run, None)
        price = self.fairness.price
        self.most_tokens = inf if price == inf else self.best.figures.total * (1 + Fraction(price))

    def train(self, run: Training, weights: dict[str, float] | None) -> Measured:
        """One training, with the tokens that it gives each language. run: this loop's, or one of another size."""
        tok = run.tokenizer(run.learn(dataclasses.replace(self.sources, weights=weights), self.seed))
        with run.phase("measure"):
            tokens = self.texts.tokens(tok, run.num_threads)
        costs = costs_of(tokens, self.wanted).values()
        figures = BalanceRound(sum(tokens.values()), gini(costs), weights, tokens)
        unfairness = Fraction(max(0, max(costs) - 1)) if self.wanted else Fraction(figures.gini or 0)
        if run is self.run:
            self.rounds.append(figures)
        return Measured(figures, tok, unfairness)

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
        costs = costs_of(this.figures.tokens, self.wanted)
        mean = AIM if self.wanted else Fraction(sum(costs.values()), len(costs))
        moved = {name: Fraction(weights[name]) for name in this.figures.tokens}
        whole = sum(moved.values())
        moved |= {name: moved[name] * (cost / mean) ** EXPONENT for name, cost in costs.items()}
        scale = Fraction(whole, sum(moved.values()))
        return {**weights, **{name: rounded(weight * scale) for name, weight in moved.items()}}

    def not_reached(self, stopped_by: str) -> TrainingError:
        """The error that says how near the best round came, and which larger size would reach the targets."""
        tokens, size = self.best.figures.tokens, self.run.spec.vocab_size
        name, cost = max(costs_of(tokens, self.wanted).items(), key=lambda item: item[1])
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
        run.take_counted(self.run)
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
