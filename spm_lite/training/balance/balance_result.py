"""Balance: what a fair training found, and what it costs. Its table fits a terminal of any width from 40 columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spm_lite.training.balance.inequality import gini, most_to_least, most_to_mean


@dataclass(frozen=True)
class BalanceRow:
    """One language of a `Balance`.

    Attributes:
        tokens_before: tokens of its dev text in plain training; None: it has no dev text.
        tokens_after: its tokens in the chosen model.
        target: the tokens that its target allows; None: it has no target.
        weight: its share of the training text, in proportion to the other weights; None: merges were chosen.
        merges: the merges that were chosen for it; None: weights were fitted.
    """

    __module__ = "spm_lite"

    tokens_before: int | None
    tokens_after: int | None
    target: float | None = None
    weight: float | None = None
    merges: int | None = None


@dataclass(frozen=True)
class BalanceRound:
    """One training of the loop over weights.

    Attributes:
        total: the tokens of all dev texts.
        gini: how unequal the costs of the languages are; None: one language is measured.
        weights: of the sources, as `train(weights=)` takes them; None: as counted.
        tokens: of each language.
    """

    __module__ = "spm_lite"

    total: int
    gini: float | None
    weights: dict[str, float] | None
    tokens: dict[str, int]


@dataclass(frozen=True)
class Balance:
    """What a fair training found: `tok.report.balance`. `str(balance)` is a table for people.

    "Before" is plain training of the same type in the same call. A cost is the tokens of a dev text, or, where there
    are targets, these as a share of the tokens that the target allows.

    Attributes:
        method: "tokens": weights were fitted; "parity": merges were chosen by language.
        languages: the figures of each source by its name.
        gini_before, gini_after: Gini's coefficient of the costs; None: one language is measured.
        max_min_before, max_min_after: the largest cost as a multiple of the smallest.
        max_mean_before, max_mean_after: the largest cost as a multiple of their mean.
        total_before, total_after: the tokens of all dev texts.
        weights: the weights found, for `train(weights=)` of the same sources, which gives the same model; None: plain
            training is the best, or merges were chosen.
        rounds: every training of the loop, the plain one first.
        warnings: what makes it doubtful that other text will be as fair.
        stopped_by: why the search ended, in words.
    """

    __module__ = "spm_lite"

    method: str
    languages: dict[str, BalanceRow]
    gini_before: float | None
    gini_after: float | None
    max_min_before: float
    max_min_after: float
    max_mean_before: float
    max_mean_after: float
    total_before: int
    total_after: int
    weights: dict[str, float] | None
    rounds: tuple[BalanceRound, ...]
    warnings: tuple[str, ...]
    stopped_by: str


def costs_of(tokens: Mapping[str, int], wanted: Mapping[str, float]) -> dict[str, float]:
    """The cost of each language: its tokens, or their share of the wanted ones if there are targets."""
    return {name: tokens[name] / wanted[name] for name in wanted} if wanted else {**tokens}


def balance_of(
    method: str,
    languages: dict[str, BalanceRow],
    *,
    weights: dict[str, float] | None = None,
    rounds: tuple[BalanceRound, ...] = (),
    warnings: tuple[str, ...] = (),
    stopped_by: str = "",
) -> Balance:
    """The Balance of the languages, with all sums."""
    measured = {name: row for name, row in languages.items() if row.tokens_before is not None}
    before = {name: row.tokens_before or 0 for name, row in measured.items()}
    after = {name: row.tokens_after or 0 for name, row in measured.items()}
    wanted = {name: row.target for name, row in measured.items() if row.target is not None}
    costs_before, costs_after = costs_of(before, wanted).values(), costs_of(after, wanted).values()
    return Balance(
        method=method,
        languages=languages,
        gini_before=gini(costs_before),
        gini_after=gini(costs_after),
        max_min_before=most_to_least(costs_before),
        max_min_after=most_to_least(costs_after),
        max_mean_before=most_to_mean(costs_before),
        max_mean_after=most_to_mean(costs_after),
        total_before=sum(before.values()),
        total_after=sum(after.values()),
        weights=weights,
        rounds=rounds,
        warnings=warnings,
        stopped_by=stopped_by,
    )
