"""Verdicts and faults as lines for people: those that say the same of one text or one tokenizer are one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spm_lite.evaluation.figures.mixture import with_mixture
from spm_lite.evaluation.prediction.verdicts import LEAST_FILL
from spm_lite.evaluation.report.faults import loses
from spm_lite.evaluation.report.summaries import NOT_JUDGED, cost_of, first_verdicts

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
        f"{name} ({model['fill']:.2g})"
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
