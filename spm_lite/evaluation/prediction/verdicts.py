"""Verdicts: which of two tokenizers is better on a text, by fixed rules, in words that say how sure that is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from spm_lite.printable import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spm_lite.evaluation.prediction.held_out import Predicted
    from spm_lite.evaluation.prediction.paired import Pair

LOST = 0.01  # share of the characters that may be unknown
LOST_TOKENS = 0.001  # share of the tokens that may be unknown, where the characters are not known
LEAST_DOCUMENTS = 20
LEAST_FILL = 4  # training tokens for each piece of the vocabulary
SAME = 0.005  # of the mean bits per byte
SAME_TOKENS = 0.01  # of the tokens
SURE = 0.01  # p after Holm
QUANTILE_95 = 1.959963984540054
BITS, TOKENS = "bits per byte", "tokens"


@dataclass(frozen=True)
class Verdict:
    """What can be said of two tokenizers on a text. `str(verdict)` says it in words.

    Attributes:
        text: the name of the text, or "mixture".
        first, second: the names of the tokenizers.
        figure: "bits per byte" or "tokens".
        verdict: the rule that applied, such as "better", "shorter", "same", "undecided" or "too little text".
        winner: the better tokenizer; None: neither is.
        who: the tokenizers that the verdict is about: the winner, the ones that lose text, or the one ahead.
        relative: the difference, as a share of the mean.
        ci95: the 95 % interval of the difference.
        p_holm: p after Holm's correction.
        words: the verdict as a sentence.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    text: str
    first: str
    second: str
    figure: str
    verdict: str
    winner: str | None
    who: tuple[str, ...]
    relative: float | None
    ci95: list[float] | None
    p_holm: float | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        """The verdict as in the JSON.

        Returns:
            A dict.
        """
        return {
            "text": self.text,
            "a": self.first,
            "b": self.second,
            "figure": self.figure,
            "verdict": self.verdict,
            "winner": self.winner,
            "who": list(self.who),
            "relative": self.relative,
            "ci95": self.ci95,
            "p_holm": self.p_holm,
            "words": self.words,
        }

    def __str__(self) -> str:
        return visible(self.words)


def losers(pair: Pair, predicted: Mapping[str, Predicted]) -> list[str]:
    """The tokenizers that lose text: more than 1 % of the held-out characters are unknown."""
    return [name for name in (pair.first, pair.second) if loses_text(predicted[name])]


def loses_text(one: Predicted) -> bool:
    """Whether a tokenizer loses held-out text; where unknown characters are not known, by its unknown tokens."""
    if one.unknown_share is None:
        return one.unknown_tokens > LOST_TOKENS * float(one.tokens.sum())
    return one.unknown_share > LOST


def bits_verdict(pair: Pair, predicted: Mapping[str, Predicted], n_documents: int) -> Verdict:
    """The verdict on bits per byte: the first rule that applies."""
    n2 = pair.figures["n2"]
    lost = losers(pair, predicted)
    ahead = None if n2["difference"] is None else pair.second if n2["difference"] > 0 else pair.first
    if lost:
        return made(pair, BITS, "loses text", tuple(lost), lost_words(pair, predicted, lost))
    if n_documents < LEAST_DOCUMENTS:
        words = f"not judged: {n_documents} documents held out, {LEAST_DOCUMENTS} needed"
        return made(pair, BITS, "too few documents", (), words)
    least = min((pair.first, pair.second), key=lambda name: predicted[name].fill)
    if predicted[least].fill < LEAST_FILL:
        return made(pair, BITS, "too little text", (), fill_words(pair, predicted[least], predicted))
    low, high = relative_interval(pair)
    if low >= -SAME and high <= SAME:
        words = f"no difference that matters: {pair.first} and {pair.second} within 0.5 % (95 %)"
        return made(pair, BITS, "same", (), words)
    assert ahead is not None
    behind = pair.first if ahead == pair.second else pair.second
    percent = f"{100 * abs(n2['relative']):.2g} %"
    sure = n2["p_holm"] < SURE
    if sure and disagrees(pair):
        other = percent_of(pair, predicted, "n3")
        words = (
            f"cannot tell: {ahead} ahead by {100 * abs(n2['relative']):.2g} % with one token of context, {behind} by "
            f"{other} with two"
        )
        return made(pair, BITS, "orders disagree", (ahead,), words)
    if sure and is_stable(n2):
        return made(pair, BITS, "better", (ahead,), better_words(pair, ahead, behind, predicted), winner=ahead)
    if sure:
        words = f"{ahead} ahead by {percent}, but less so with more training text: give more"
        return made(pair, BITS, "depends on the amount of text", (ahead,), words)
    half = 100 * (high - low) / 2
    return made(pair, BITS, "undecided", (), f"cannot tell: {percent} ± {half:.2g} %")


def disagrees(pair: Pair) -> bool:
    """Whether order 3 says the opposite of order 2, with confidence."""
    n2, n3 = pair.figures["n2"], pair.figures.get("n3")
    return bool(n3 is not None and n3["p_holm"] < SURE and n2["difference"] * n3["difference"] < 0)


def is_stable(n2: Mapping[str, Any]) -> bool:
    """Whether the difference has one sign with half of the training text, with all, and with four times as much."""
    d, half = n2["difference"], n2["half"]
    more = d + 2 * (d - half)
    return bool(min(d, half, more) > 0 or max(d, half, more) < 0)


def relative_interval(pair: Pair) -> tuple[float, float]:
    """The 95 % interval of the difference, as a share of the mean."""
    n2 = pair.figures["n2"]
    if n2["difference"] == 0:
        return (0.0, 0.0) if n2["ci95"] == [0, 0] else (-1.0, 1.0)
    mean = n2["difference"] / n2["relative"]
    return n2["ci95"][0] / mean, n2["ci95"][1] / mean


def tokens_verdict(pair: Pair, predicted: Mapping[str, Predicted], n_documents: int) -> Verdict:
    """The verdict on the number of tokens: the first rule that applies."""
    tokens = pair.figures["tokens"]
    lost = losers(pair, predicted)
    if lost:
        return made(pair, TOKENS, "loses text", tuple(lost), lost_words(pair, predicted, lost))
    if n_documents < LEAST_DOCUMENTS or tokens["log_ratio"] is None:
        words = f"not judged: {n_documents} documents held out, {LEAST_DOCUMENTS} needed"
        return made(pair, TOKENS, "too few documents", (), words)
    ratio, half = tokens["log_ratio"], QUANTILE_95 * tokens["se"]
    if abs(ratio) + half <= SAME_TOKENS:
        return made(pair, TOKENS, "same", (), f"as many tokens: {pair.first} and {pair.second} within 1 % (95 %)")
    shorter, longer = (pair.second, pair.first) if ratio > 0 else (pair.first, pair.second)
    if tokens["p_holm"] < SURE:
        percent = 100 * (1 - exp(-abs(ratio)))
        words = f"{shorter} shorter than {longer}: {percent:.3g} % fewer tokens, {p_words(tokens['p_holm'])}"
        return made(pair, TOKENS, "shorter", (shorter,), words, winner=shorter)
    words = f"cannot tell by tokens: {100 * abs(ratio):.2g} % ± {100 * half:.2g} %"
    return made(pair, TOKENS, "undecided", (), words)


def made(pair: Pair, figure: str, verdict: str, who: tuple[str, ...], words: str, winner: str | None = None) -> Verdict:
    """A verdict with the numbers that belong to it."""
    n2, tokens = pair.figures.get("n2"), pair.figures["tokens"]
    if figure == TOKENS or n2 is None:
        ratio = tokens["log_ratio"]
        half = None if ratio is None else QUANTILE_95 * tokens["se"]
        interval = None if ratio is None or half is None else [ratio - half, ratio + half]
        numbers = (None if ratio is None else exp(ratio) - 1, interval, tokens["p_holm"])
    else:
        numbers = (n2["relative"], n2["ci95"], n2["p_holm"])
    return Verdict(pair.text, pair.first, pair.second, figure, verdict, winner, who, *numbers, words)


def lost_words(pair: Pair, predicted: Mapping[str, Predicted], lost: Sequence[str]) -> str:
    parts = []
    for name in lost:
        share = predicted[name].unknown_share
        parts.append(f"{name} loses {'text' if share is None else f'{100 * share:.3g} % of the characters'}")
    return f"no contest: {', '.join(parts)}"


def shown_fill(fill: float, form: str = ".2g") -> str:
    """The training tokens for each piece where they are too few; never rounded to LEAST_FILL.

    >>> shown_fill(1.234), shown_fill(3.97)
    ('1.2', 'just under 4')
    """
    text = f"{fill:{form}}"
    return text if float(text) < LEAST_FILL else f"just under {LEAST_FILL}"


def fill_words(pair: Pair, least: Predicted, predicted: Mapping[str, Predicted]) -> str:
    each = shown_fill(least.fill, ".1f")
    return (
        f"not judged: {least.training_tokens:,} training tokens for {least.size:,} pieces ({each} each; "
        f"{LEAST_FILL} needed). By tokens: {fewer_words(pair, predicted)}"
    )


def fewer_words(pair: Pair, predicted: Mapping[str, Predicted]) -> str:
    """Which tokenizer has fewer tokens, and by how much."""
    ratio = pair.figures["tokens"]["log_ratio"]
    if ratio is None or not ratio:
        return "no difference"
    shorter, longer = (pair.second, pair.first) if ratio > 0 else (pair.first, pair.second)
    return f"{shorter} {100 * (1 - exp(-abs(ratio))):.2g} % shorter than {longer}"


def better_words(pair: Pair, ahead: str, behind: str, predicted: Mapping[str, Predicted]) -> str:
    n2 = pair.figures["n2"]
    ends = sorted(100 * abs(end) for end in relative_interval(pair))
    change = exp(pair.figures["tokens"]["log_ratio"] * (1 if ahead == pair.first else -1)) - 1
    kind = "fewer" if change < 0 else "more"
    return (
        f"{ahead} better than {behind}: {100 * abs(n2['relative']):.2g} % fewer bits per byte (95 %: "
        f"{ends[0]:.2g}-{ends[1]:.2g}), {p_words(n2['p_holm'])}; {100 * abs(change):.3g} % {kind} tokens"
    )


def percent_of(pair: Pair, predicted: Mapping[str, Predicted], name: str) -> str:
    """The difference of a pair relative to the mean, in percent."""
    first, second = (float(predicted[one].bits[name].sum()) for one in (pair.first, pair.second))
    return f"{100 * abs(first - second) / ((first + second) / 2):.2g} %"


def p_words(p: float) -> str:
    """A p value for people.

    >>> p_words(1e-9), p_words(0.0042)
    ('p < .001', 'p = .004')
    """
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".")


def summary(verdicts: Iterable[Verdict], figure: str) -> dict[str, Any]:
    """How many texts each tokenizer wins; how often nobody does, and how often nothing could be judged."""
    wins: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.figure != figure:
            continue
        if verdict.winner is not None:
            wins[verdict.winner] += 1
        else:
            others[verdict.verdict] += 1
    return {"wins": dict(sorted(wins.items(), key=lambda item: (-item[1], item[0]))), "others": dict(others)}
