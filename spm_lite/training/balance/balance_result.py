"""Balance: what a fair training found, and what it costs. Its table fits a terminal of any width from 40 columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from spm_lite.printable import visible
from spm_lite.specs import TOKENS
from spm_lite.training.balance.inequality import gini, most_to_least, most_to_mean

Number = TypeVar("Number", float, Fraction)


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

    total: int
    gini: float | None
    weights: dict[str, float] | None
    tokens: dict[str, int]


@dataclass(frozen=True, repr=False)
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
        total_before, total_after: the tokens of all dev texts; without them, of the training text.
        weights: the weights found, for `train(weights=)` of the same sources, which gives the same model; None: merges
            were chosen.
        rounds: every training of the loop, the plain one first.
        warnings: what makes it doubtful that other text will be as fair.
        stopped_by: why the search ended, in words.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

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

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headers and cells that `str(balance)` shows.

        Returns:
            Headers, and a row for each language.

        >>> from spm_lite.training.balance.balance_result import BalanceRow, balance_of
        >>> rows = {"en": BalanceRow(90, 100, weight=0.4), "ja": BalanceRow(110, 102, weight=0.6)}
        >>> balance = balance_of("tokens", rows)
        >>> balance.table()[1][0]
        ['en', '90', '100', '+11.1%', '0.4']
        """
        chosen = "weight" if self.method == TOKENS else "merges"
        rows = [
            [
                visible(name),
                *cells_of(row.tokens_before, row.tokens_after),
                f"{row.weight:g}" if row.weight is not None else "" if row.merges is None else f"{row.merges:,}",
            ]
            for name, row in self.languages.items()
        ]
        return ["", "before", "after", "change", chosen], rows

    def __str__(self) -> str:
        headers, rows = self.table()
        sums = [["all", *cells_of(self.total_before, self.total_after), ""]]
        if self.gini_before is not None and self.gini_after is not None:
            sums.append(["Gini", f"{self.gini_before:.4f}", f"{self.gini_after:.4f}", "", ""])
            sums.append(["max/min", f"{self.max_min_before:.3f}", f"{self.max_min_after:.3f}", "", ""])
            sums.append(["max/mean", f"{self.max_mean_before:.3f}", f"{self.max_mean_after:.3f}", "", ""])
        cells = [headers, *rows, *sums]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            " ".join(
                [row[0].ljust(widths[0]), *(one.rjust(n) for one, n in zip(row[1:], widths[1:], strict=True))]
            ).rstrip()
            for row in cells
        ]
        n = len(self.rounds)
        ended = [f"{n} training{'s' if n > 1 else ''}, ended by: {self.stopped_by}"] if self.rounds else []
        return "\n".join([*lines, *ended, *(f"warning: {visible(warning)}" for warning in self.warnings)])

    def __repr__(self) -> str:
        return f"<Balance: {self.summary()}; print it for the whole>"

    def _repr_html_(self) -> str:
        from spm_lite.cards import card, table

        return card(
            "Balance", [("costs", self.summary()), *(("warning", one) for one in self.warnings)], table(*self.table())
        )

    def summary(self) -> str:
        """What the search gained and cost, in a line.

        Returns:
            A text.

        >>> from spm_lite.training.balance.balance_result import BalanceRow, balance_of
        >>> balance_of("tokens", {"en": BalanceRow(90, 100), "ja": BalanceRow(110, 102)}).summary()
        'Gini 0.0500 to 0.0050, tokens +1.0%'
        """
        fair = "" if self.gini_before is None else f"Gini {self.gini_before:.4f} to {self.gini_after:.4f}, "
        return f"{fair}tokens {self.total_after / self.total_before - 1:+.1%}"


def cells_of(before: int | None, after: int | None) -> list[str]:
    """The cells of two numbers of tokens, and of the change from one to the other."""
    if before is None or after is None:
        return ["", "", ""]
    return [f"{before:,}", f"{after:,}", f"{after / before - 1:+.1%}" if before else ""]


def costs_of(tokens: Mapping[str, int], wanted: Mapping[str, Number]) -> dict[str, Number | int]:
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
