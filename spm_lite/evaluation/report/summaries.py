"""What a person sees first, for the terminal and for the page: sentences, and one table of the better tokenizer.

Verdicts and faults are lines: those that say the same of one text or one tokenizer are one. The figures of an audit are
also flat rows, for Arrow and pandas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.figures.mixture import MIXTURE, flat, with_mixture
from spm_lite.evaluation.prediction.verdicts import LEAST_FILL, shown_fill
from spm_lite.evaluation.report.faults import loses
from spm_lite.evaluation.report.standings import NOT_JUDGED, figure_of

Row = dict[str, Any]


def corpus_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each text, or the mixture, and tokenizer: all figures that are one number, and `loses_text`."""
    for text, tokenizers in with_mixture(data, "corpus").items():
        for name, figures in tokenizers.items():
            yield {"text": text, "tokenizer": name, "loses_text": loses(figures), **flat(figures)}


PREMIUM_ENDS = ("premium_ci95", "premium_spelled_ci95")


def parity_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each language and tokenizer."""
    for name, figures in data["parity"].items():
        for language, row in figures["languages"].items():
            is_lost = loses(data["corpus"][language][name])
            ends = {f"{figure}_{end}": None for figure in PREMIUM_ENDS for end in ("low", "high")}
            for figure in PREMIUM_ENDS:
                if row.get(figure):
                    ends[f"{figure}_low"], ends[f"{figure}_high"] = row[figure]
            figures = {key: value for key, value in row.items() if key not in PREMIUM_ENDS}
            yield {"language": language, "tokenizer": name, "loses_text": is_lost, **figures, **ends}


def verdict_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    for verdict in data["verdicts"]:
        low, high = verdict["ci95"] or (None, None)
        yield {**verdict, "who": ", ".join(verdict["who"]), "ci95": None, "ci95_low": low, "ci95_high": high}


def fault_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    for fault in data["faults"]:
        yield {name: value for name, value in fault.items() if name != "examples"}


def unreachable_rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each piece that no text can give."""
    for name, figures in data["vocabulary"].items():
        for piece in figures["reach"].get("unreachable", []):
            pieces = piece.get("instead_pieces")
            yield {
                "tokenizer": name,
                **piece,
                "instead": str(piece["instead"]) if "instead" in piece else None,
                "instead_pieces": None if pieces is None else " ".join(pieces),
            }


TABLES: dict[str, Callable[[Mapping[str, Any]], Iterator[Row]]] = {
    "corpus": corpus_rows,
    "parity": parity_rows,
    "verdicts": verdict_rows,
    "faults": fault_rows,
    "unreachable": unreachable_rows,
}


def columns_of(rows: list[Row]) -> dict[str, list[Any]]:
    """Rows as columns; a value that a row lacks is None."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


ORDER = ("better", "shorter", "same", "undecided", "depends on the amount of text", "orders disagree", "loses text")


def first_verdicts(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The verdicts of one figure: that of the mixture, then winners first, what was not judged last."""
    chosen = [one for one in data["verdicts"] if one["figure"] == figure_of(data)]
    ranks = {name: place for place, name in enumerate(ORDER)}
    return sorted(chosen, key=lambda one: (one["text"] != MIXTURE, ranks.get(one["verdict"], len(ranks))))


@dataclass
class Cell:
    """A number of the table. cost: tokens for the text or for a byte of it, unknown ones spelled; None: not known.

    is_best: none of its row costs less. is_lost: the tokenizer loses the text, so it cannot be best. half: half of its
    95 % interval; None: it has none.
    """

    value: float | None
    cost: float | None
    is_best: bool = False
    is_lost: bool = False
    half: float | None = None

    def text(self) -> str:
        """The number, and how far the ends of its interval are from it."""
        if not self.half:
            return number(self.value)
        digits = max(-math.floor(math.log10(self.half)), 0)
        return f"{number(self.value)} ±{f'{self.half:.{digits}f}'.removeprefix('0')}"


@dataclass
class FirstTable:
    """One row for each text. what: what the numbers are. columns: the tokenizers, or the figures of the only one.

    The best of a row has the fewest tokens. A premium cannot tell, since it is small where the reference is cut badly.
    """

    what: str
    columns: list[str]
    rows: dict[str, list[Cell]]

    @property
    def title(self) -> str:
        """What the numbers are, with a capital."""
        return self.what[0].upper() + self.what[1:]

    def note(self, best: str, lost: str) -> str:
        """What the signs of the cells mean; empty if there are none. best, lost: the signs."""
        every = [cell for cells in self.rows.values() for cell in cells]
        parts = [f"{best} fewest tokens for the text"] if any(cell.is_best for cell in every) else []
        if any(cell.half for cell in every):
            parts.append("± the 95 % interval over documents")
        if any(cell.is_lost for cell in every):
            parts.append(f"{lost} loses text: unknown tokens are counted as their bytes")
        return ", ".join(parts)


def parallel_texts(data: Mapping[str, Any]) -> list[str]:
    """The texts that are translations of each other."""
    return [*next(iter(data["parity"].values()), {"languages": {}})["languages"]]


def first_tables(data: Mapping[str, Any]) -> list[FirstTable]:
    """Premiums of parallel texts; characters and bytes per token of the others and of the mixture."""
    tokenizers = [*data["tokenizers"]]
    parallel = parallel_texts(data)
    tables = []
    if parallel:
        reference = next(iter(data["parity"].values()))["reference"]
        rows = {name: premium_row(data, tokenizers, name) for name in parallel}
        tables.append(
            FirstTable(f"tokens for the same content, relative to {reference} of the same tokenizer", tokenizers, rows)
        )
    others = [text for text in with_mixture(data, "corpus") if text not in parallel]
    if not others:
        return tables
    units = ("characters", "bytes")
    by_unit = [{text: rate_row(data, tokenizers, text, unit) for text in others} for unit in units]
    if len(tokenizers) == 1:
        rows = {text: [found[text][0] for found in by_unit] for text in others}
        return [
            *tables,
            FirstTable(f"characters and bytes per token of {tokenizers[0]} (more is better)", [*units], rows),
        ]
    return [
        *tables,
        *(
            FirstTable(f"{unit} per token (more is better)", tokenizers, rows)
            for unit, rows in zip(units, by_unit, strict=True)
        ),
    ]


def premium_row(data: Mapping[str, Any], tokenizers: Sequence[str], language: str) -> list[Cell]:
    cells = []
    for name in tokenizers:
        figures = data["parity"][name]["languages"][language]
        is_lost = loses(data["corpus"][language][name])
        kind = "premium_spelled" if is_lost else "premium"
        ci95 = figures.get(f"{kind}_ci95")
        half = None if ci95 is None else (ci95[1] - ci95[0]) / 2
        cells.append(Cell(figures[kind], data["corpus"][language][name]["tokens_spelled"], is_lost=is_lost, half=half))
    return marked(cells)


def rate_row(data: Mapping[str, Any], tokenizers: Sequence[str], text: str, unit: str) -> list[Cell]:
    """The bytes or characters per token of a text, unknown tokens spelled if the tokenizer loses it."""
    cells = []
    for name in tokenizers:
        figures = with_mixture(data, "corpus")[text][name]
        is_lost, value = loses(figures), figures[f"{unit}_per_token"]
        if is_lost:
            spelled, rate = figures["bytes_per_token_spelled"], figures["bytes_per_token"]
            value = value * spelled / rate if value and spelled and rate else None
        cells.append(Cell(value, cost_of(figures), is_lost=is_lost))
    return marked(cells)


def cost_of(figures: Mapping[str, Any]) -> float | None:
    """Tokens for a text, or for a byte of the mixture, unknown ones spelled; None: not known."""
    if "tokens_spelled" in figures:
        return figures["tokens_spelled"]  # type: ignore[no-any-return]
    return ratio(1, figures["bytes_per_token_spelled"] or 0)


def marked(cells: list[Cell]) -> list[Cell]:
    """The cells with the best marked, if there are several; one that loses text is never best."""
    costs = [cell.cost for cell in cells if cell.cost and not cell.is_lost]
    if len(cells) > 1 and costs and (min(costs) < max(costs) or len(costs) < len(cells)):
        for cell in cells:
            cell.is_best = cell.cost == min(costs) and not cell.is_lost
    return cells


def number(value: float | None) -> str:
    """A number to three digits; a count, which is an int, to the last one.

    >>> number(0.12345), number(12345.6), number(1234567.0), number(1234567), number(None)
    ('0.123', '12,300', '1.23 M', '1,234,567', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    for limit, sign in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= limit:
            return f"{value / limit:.3g} {sign}"
    if abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def percent(share: float | None) -> str:
    """A share in percent, to three digits."""
    return "-" if share is None else f"{100 * share:.3g} %"


BROKEN = "What is broken"  # the heading of faults
LEAST_GROUPED = 3  # faults of one kind and tokenizer that become one line
TONES = {"loss": "bad", "fault": "warn", "warning": "soft"}  # by severity
SIGNS = {"good": "✓", "bad": "✗", "warn": "!", "soft": "-"}  # by tone


@dataclass
class VerdictLine:
    """What can be said of a text. pair: of whom, if there are more than two tokenizers and words may not tell."""

    text: str
    verdict: str
    words: str
    winner: str | None = None
    pair: tuple[str, str] | None = None

    @property
    def tone(self) -> str:
        """How it is shown: "good" (there is a winner), "bad" (text is lost) or "soft"."""
        return "good" if self.winner else "bad" if self.verdict == "loses text" else "soft"

    @property
    def sign(self) -> str:
        """The sign before it."""
        return SIGNS[self.tone]

    @property
    def of_whom(self) -> str:
        """The two tokenizers, where the words do not say it; else empty."""
        return " and ".join(self.pair) if self.pair is not None and self.winner is None else ""


@dataclass
class FaultLine:
    """A fault, the worst of its kind; `others` says the rest of them."""

    severity: str
    words: str
    others: list[str] = field(default_factory=list)

    @property
    def tone(self) -> str:
        """How it is shown: "bad", "warn" or "soft"."""
        return TONES[self.severity]

    @property
    def sign(self) -> str:
        """The sign before it."""
        return SIGNS[self.tone]

    def __str__(self) -> str:
        n = len(self.others)
        return f"{self.words}; and {n:,} more like it" if n else self.words


def verdict_lines(data: Mapping[str, Any]) -> Iterator[VerdictLine]:
    """Yield the mixture, then winners, then what is open, then texts that are lost, then what was not judged."""
    several = len(data["tokenizers"]) > 2
    told: set[tuple[str, str]] = set()
    for one in first_verdicts(data):
        text, verdict = one["text"], one["verdict"]
        pair = (one["a"], one["b"])
        if not several or (verdict != "loses text" and verdict not in NOT_JUDGED):
            yield VerdictLine(text, verdict, one["words"], one["winner"], pair if several else None)
        elif (text, verdict) not in told:
            told.add((text, verdict))
            words = {"loses text": lost_words, "too little text": little_words}.get(verdict)
            yield VerdictLine(text, verdict, one["words"] if words is None else words(data, text))


def lost_words(data: Mapping[str, Any], text: str) -> str:
    """Which tokenizers lose a text."""
    lost = {name for one in data["verdicts"] if one["text"] == text and one["verdict"] == "loses text"
            for name in one["who"]}  # fmt: skip
    parts = []
    for name in (name for name in data["tokenizers"] if name in lost):
        share = with_mixture(data, "ngram")[text]["models"][name]["unknown_character_share"]
        parts.append(f"{name} loses {'text' if share is None else f'{100 * share:.3g} % of the characters'}")
    return f"no contest: {', '.join(parts)}"


def little_words(data: Mapping[str, Any], text: str) -> str:
    """Which tokenizers have too little text, and which one needs the fewest tokens."""
    short = [
        f"{name} ({shown_fill(model['fill'])})"
        for name, model in with_mixture(data, "ngram")[text]["models"].items()
        if model.get("fill") is not None and model["fill"] < LEAST_FILL
    ]
    words = f"not judged: fewer than {LEAST_FILL} training tokens for each piece of {', '.join(short)}"
    corpus = with_mixture(data, "corpus")[text].items()
    costs = {name: cost for name, one in corpus if (cost := cost_of(one)) is not None and not loses(one)}
    fewest = [name for name, cost in costs.items() if cost == min(costs.values())]
    return f"{words}. Fewest tokens: {', '.join(fewest)}" if len(costs) > 1 else words


def fault_lines(faults: Sequence[Mapping[str, Any]]) -> list[FaultLine]:
    """The faults, the worst first; many of one kind and tokenizer are one line."""
    groups: dict[tuple[str, str | None, str], list[str]] = {}
    for one in faults:
        groups.setdefault((one["severity"], one["tokenizer"], one["what"]), []).append(one["words"])
    lines = []
    for (severity, _, _), words in groups.items():
        if len(words) >= LEAST_GROUPED:
            lines.append(FaultLine(severity, words[0], words[1:]))
        else:
            lines += [FaultLine(severity, one) for one in words]
    return lines
