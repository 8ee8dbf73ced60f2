"""Which tokenizer to take: a table of tokenizers and texts, and one sentence that decides or says what is missing.

All follows from the verdicts on pairs, so nothing is said that chance could explain:

- A tokenizer that loses text is out.
- One is ahead of another if it wins a text, or the mixture, and loses none to it.
- Of those that nobody is ahead of, the one with the fewest tokens is taken, if it is ahead by tokens too. A pair of
  which no text was judged is not decided so: tokens alone favour the larger vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from spm_lite.evaluation.figures.mixture import MIXTURE, with_mixture
from spm_lite.evaluation.prediction.verdicts import BITS, LEAST_DOCUMENTS, LEAST_FILL, TOKENS
from spm_lite.evaluation.report.faults import loses

NOT_JUDGED = ("too few documents", "too little text")
LEAST_TEXTS = 5 * LEAST_DOCUMENTS  # documents of which a fifth is held out
TAKE = "Which one to take"  # the heading
MOST_NAMED = 4  # texts or tokenizers that a sentence names
OTHER_TEXT = (
    "The n-gram models learned from the text of train= (--train): the ranking is wrong if a tokenizer was trained on "
    "that text."
)


@dataclass(frozen=True)
class Standing:
    """How a tokenizer stands on a text. kind: "best", "worse", "open", "not judged" or "lost"."""

    kind: str
    words: str


@dataclass
class Choice:
    """The decision. best: the tokenizer to take; None: the sentence says why there is none."""

    best: str | None
    sentence: str


def figure_of(data: Mapping[str, Any]) -> str:
    """The figure of the verdicts that come first: bits per byte, or tokens where no n-grams were counted."""
    return BITS if any(one["figure"] == BITS for one in data["verdicts"]) else TOKENS


class Ranking:
    """The verdicts of an audit on its tokenizers, put in order."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.figure = figure_of(data)
        self.found = {(one["figure"], one["text"], one["a"], one["b"]): one for one in data["verdicts"]}
        every = [*dict.fromkeys(one["text"] for one in data["verdicts"])]
        is_mixed = MIXTURE in data and MIXTURE in every
        self.texts = [MIXTURE, *(text for text in every if text != MIXTURE)] if is_mixed else every
        self.deciding = [MIXTURE] if is_mixed else every
        self.lost = {name: self._texts_lost(name) for name in data["tokenizers"]}
        self.fit = [name for name, texts in self.lost.items() if not texts]

    def _texts_lost(self, name: str) -> list[str]:
        """The texts that a tokenizer loses, by all of the text or by what was held out."""
        lost = {text for text, figures in self.data["corpus"].items() if loses(figures[name])}
        lost |= {one["text"] for one in self.data["verdicts"] if one["verdict"] == "loses text" and name in one["who"]}
        return [text for text in self.data["corpus"] if text in lost]

    def verdict(self, figure: str, text: str, one: str, other: str) -> Mapping[str, Any] | None:
        """The verdict on two tokenizers, in whichever order they were compared."""
        return self.found.get((figure, text, one, other)) or self.found.get((figure, text, other, one))

    def wins(self, one: str, other: str, figure: str) -> list[Mapping[str, Any]]:
        """The verdicts by which a tokenizer beats another, on the mixture if there is one, else on the texts."""
        verdicts = (self.verdict(figure, text, one, other) for text in self.deciding)
        return [verdict for verdict in verdicts if verdict is not None and verdict["winner"] == one]

    def is_ahead(self, one: str, other: str, figure: str) -> bool:
        """Whether a tokenizer beats another on some text, and loses none to it."""
        return bool(self.wins(one, other, figure)) and not self.wins(other, one, figure)

    @cached_property
    def order(self) -> list[str]:
        """The tokenizers, best first; those of equal rank as they were given."""

        def rank(name: str) -> tuple[bool, int, int]:
            others = [other for other in self.data["tokenizers"] if other != name]
            ahead = sum(self.is_ahead(other, name, self.figure) for other in others)
            return bool(self.lost[name]), ahead, -sum(self.is_ahead(name, other, self.figure) for other in others)

        return sorted(self.data["tokenizers"], key=lambda name: (name != self.choice.best, *rank(name)))

    def rows(self) -> Iterator[tuple[str, list[Standing]]]:
        """For each text that was judged, the mixture first, how each tokenizer stands; tokenizers as in `order`."""
        for text in self.texts:
            row = [self.standing(text, name) for name in self.order]
            if any(one.kind != "not judged" for one in row):
                yield text, row

    def standing(self, text: str, name: str) -> Standing:
        """How a tokenizer stands on a text, against all that do not lose it."""
        verdicts = {
            other: verdict
            for other in self.data["tokenizers"]
            if other != name and (verdict := self.verdict(self.figure, text, name, other)) is not None
        }
        if any(one["verdict"] == "loses text" and name in one["who"] for one in verdicts.values()):
            return Standing("lost", "loses text")
        kept = {other: one for other, one in verdicts.items() if one["verdict"] != "loses text"}
        judged = {other: one for other, one in kept.items() if one["verdict"] not in NOT_JUDGED}
        if not kept:
            return Standing("best", "alone keeps it")
        beaten = [one for other, one in judged.items() if one["winner"] == other]
        n_wins = sum(one["winner"] == name for one in judged.values())
        if beaten:
            worst = max(abs(one["relative"]) for one in beaten)
            return Standing("worse", f"{100 * worst:.2g} % {'worse' if self.figure == BITS else 'more'}")
        if n_wins == len(kept):
            return Standing("best", "best")
        if n_wins:
            return Standing("best", "best judged" if n_wins == len(judged) else "among best")
        if not judged:
            few = all(one["verdict"] == "too few documents" for one in kept.values())
            return Standing("not judged", "too few texts" if few else "too little text")
        if all(one["verdict"] == "same" for one in kept.values()):
            return Standing("open", "no difference")
        return Standing("open", "cannot tell")

    def legend(self) -> str:
        """What the words of the table mean: those that are in it."""
        shown = {one.words for _, row in self.rows() for one in row}
        what = "bits per byte of held-out text" if self.figure == BITS else "tokens of held-out text"
        meanings = {
            "best": "better than each other",
            "best judged": "better than each other that could be judged",
            "among best": "no other is better",
            "no difference": f"within {0.5 if self.figure == BITS else 1} %",
            "cannot tell": "chance may explain the difference",
            "too little text": f"under {LEAST_FILL} training tokens for each piece",
            "too few texts": f"under {LEAST_DOCUMENTS} documents held out",
            "alone keeps it": "all others lose text",
        }
        found = [f"{word}: {meaning}" for word, meaning in meanings.items() if word in shown]
        judged = {text for text, _ in self.rows()}
        others = [text for text in self.texts if text not in judged]
        missing = f" Not judged: {listed(others)}." if others else ""
        return "; ".join([f"By {what}, in the order of rank", *found]) + "." + missing + self._training_note()

    def _training_note(self) -> str:
        """A sentence on what the ranking presumes, where the n-gram models learned from other text; else empty."""
        is_other = any("training_sha256" in one for one in self.data["ngram"].values())
        return f" {OTHER_TEXT}" if is_other else ""

    @cached_property
    def choice(self) -> Choice:
        """The tokenizer to take, and why; or why none can be named, and what would help."""
        names = [*self.data["tokenizers"]]
        if not self.fit:
            each = ", ".join(f"{name} loses {listed(texts)}" for name, texts in self.lost.items())
            return Choice(None, f"Take none: each loses text ({each}).")
        if len(self.fit) == 1 < len(names):
            return Choice(self.fit[0], f"Take {self.fit[0]}, because it alone loses no text.")
        top = [one for one in self.fit if not any(self.is_ahead(other, one, self.figure) for other in self.fit)]
        out = [name for name in names if self.lost[name]]
        tail = f" {listed(out)} {'loses' if len(out) == 1 else 'lose'} text." if out else ""
        made = self._chosen(top) if len(top) == 1 else self._among(top or self.fit)
        return Choice(made.best, made.sentence + tail)

    def _chosen(self, top: list[str]) -> Choice:
        (best,) = top
        reasons = [self._reason(best, other) for other in self.fit if self.is_ahead(best, other, self.figure)]
        verb = "predicts better" if self.figure == BITS else "needs fewer tokens"
        joined = f"it {verb} than {', and than '.join(reasons)}"
        if len(reasons) < len(self.fit) - 1:
            joined += "; no other is ahead of it"
        return Choice(best, f"Take {best}, because {joined}.{self._not_judged([best, *self.fit])}")

    def _reason(self, best: str, other: str) -> str:
        """Another tokenizer, in how many texts it is beaten, and by how much."""
        wins = self.wins(best, other, self.figure)
        sizes = sorted(100 * abs(one["relative"]) for one in wins)
        between = f"{sizes[0]:.2g}" if f"{sizes[0]:.2g}" == f"{sizes[-1]:.2g}" else f"{sizes[0]:.2g} to {sizes[-1]:.2g}"
        by = f"{between} % fewer {'bits per byte' if self.figure == BITS else 'tokens'}"
        if self.deciding == [MIXTURE]:
            return f"{other} on the mixture ({by})"
        return f"{other} in {len(wins)} of {n_texts(len(self.deciding))} ({by})"

    def _among(self, top: list[str]) -> Choice:
        """Of several that nobody is ahead of: the one with the fewest tokens, if that is sure."""
        split = [(one, other) for one, other in permutations(top, 2) if self.wins(one, other, self.figure)]
        if split:
            parts = [
                f"{one} is ahead of {other} in {listed([win['text'] for win in self.wins(one, other, self.figure)])}"
                for one, other in split[:MOST_NAMED]
            ]
            return Choice(
                None,
                f"None is best everywhere: {', '.join(parts)}. Say how much of each text you will tokenize: "
                "weights= (--weight).",
            )
        judged = self.figure == BITS and all(self._is_judged(one, other) for one, other in permutations(top, 2))
        for one in top if judged else ():
            others = [other for other in top if other != one]
            if all(self.is_ahead(one, other, TOKENS) for other in others):
                fewest = [abs(win["relative"]) for other in others for win in self.wins(one, other, TOKENS)]
                return Choice(
                    one,
                    f"Take {one}, because {listed(top)} cannot be told apart by bits per byte, and it needs the fewest "
                    f"tokens (by {100 * min(fewest):.2g} % or more).{self._not_judged(top)}",
                )
        if judged and self._all_same(top):
            return Choice(None, f"Take any of {listed(top)}: they differ by nothing that matters.")
        advice = self._not_judged(top) or " More text may decide."
        tokens = [one for one in top if all(self.is_ahead(one, other, TOKENS) for other in top if other != one)]
        fewest_words = (
            f" {tokens[0]} has the fewest tokens, which alone decides little." if tokens and not judged else ""
        )
        return Choice(
            None, f"Cannot tell which of {listed(top)} is better.{self._beaten_by(top)}{fewest_words}{advice}"
        )

    def _beaten_by(self, top: Sequence[str]) -> str:
        """A sentence on the tokenizers that are not among the best, with the texts that say so; empty if all are."""
        found = []
        for name in self.fit:
            wins = [win["text"] for one in top for win in self.wins(one, name, self.figure)] if name not in top else []
            if wins:
                texts = "the mixture" if wins[0] == MIXTURE else listed([*dict.fromkeys(wins)])
                found.append(f"{name} {'is worse' if self.figure == BITS else 'needs more tokens'} on {texts}")
        return f" {listed(found)}." if found else ""

    def _verdicts_of(self, names: Sequence[str]) -> list[Mapping[str, Any]]:
        pairs = [*permutations(dict.fromkeys(names), 2)]
        found = (self.found.get((self.figure, text, *pair)) for text in self.deciding for pair in pairs)
        return [one for one in found if one is not None]

    def _all_same(self, names: Sequence[str]) -> bool:
        return all(one["verdict"] == "same" for one in self._verdicts_of(names))

    def _is_judged(self, one: str, other: str) -> bool:
        """Whether two tokenizers were compared on some text that was long enough."""
        return any(verdict["verdict"] not in NOT_JUDGED for verdict in self._verdicts_of([one, other]))

    def _not_judged(self, names: Sequence[str]) -> str:
        """A sentence on the texts that are too short for these tokenizers, with how much would do; empty if none is."""
        short: dict[str, float] = {}
        few = []
        for one in self._verdicts_of(names):
            if one["verdict"] == "too few documents":
                few.append(one["text"])
            elif one["verdict"] == "too little text":
                models = with_mixture(self.data, "ngram")[one["text"]]["models"]
                times = max(LEAST_FILL / max(models[name]["fill"], 1e-9) for name in (one["a"], one["b"]))
                short[one["text"]] = max(times, short.get(one["text"], 0))
        found = ""
        if short:
            most = amount(max(short.values()))
            found += f" Too little text to judge all by bits per byte: give {most} held-out text of {listed([*short])}."
        if few := [*dict.fromkeys(few)]:
            found += f" Too few documents: give about {LEAST_TEXTS} or more of {listed(few)}."
        return found


def take_sentence(data: Mapping[str, Any]) -> str:
    """Which tokenizer to take, and why. Of only one: whether it keeps text."""
    names = [*data["tokenizers"]]
    if len(names) > 1:
        return Ranking(data).choice.sentence if data["verdicts"] else without_verdicts(data)
    return kept_sentence(data, names[0])


def without_verdicts(data: Mapping[str, Any]) -> str:
    if any(one["texts"] for one in data["texts"].values()):
        return "Cannot tell which is better: no n-gram models were asked for. Leave out orders=() (--orders none)."
    return "Cannot tell which is better without text: give some as texts= (--text en=en.txt)."


def kept_sentence(data: Mapping[str, Any], name: str) -> str:
    """Whether the only tokenizer gives texts back, and how to compare it."""
    if not data["texts"]:
        n, size = len(data["faults"]), data["tokenizers"][name]["size"]
        found = f"{name} has {n or 'no'} fault{'s' * (n != 1)}" + (f" in {size:,} pieces" if size else "")
        return f"{found}. To judge it on text, give texts= (--text en=en.txt)."
    rates = {text: (tokenizers[name]["roundtrip"] or {}).get("rate") for text, tokenizers in data["corpus"].items()}
    changed = {text: rate for text, rate in rates.items() if rate is not None and rate < 1}
    if changed:
        worst = min(changed, key=lambda text: changed[text])
        found = (
            f"{name} does not give back all of {listed([*changed])}: {100 * changed[worst]:.3g} % of {worst} come back."
        )
    elif None in rates.values():
        found = f"{name} does not decode, so it is not known whether texts come back."
    else:
        total = sum(one["texts"] for one in data["texts"].values())
        found = f"{name} gives back all of {total:,} texts."
    return f"{found} To learn whether another tokenizer is better, name it too."


def amount(times: float) -> str:
    """How much text to give in place of what there is.

    >>> amount(1.02), amount(1.34), amount(25.2), amount(5000)
    ('a little more', 'about 1.4 times as much', 'about 25 times as much', 'much more')
    """
    if times < 1.1:
        return "a little more"
    rounded = math.ceil(times * 10) / 10 if times < 10 else times
    return f"about {rounded:.2g} times as much" if times < 1000 else "much more"


def n_texts(n: int) -> str:
    return "1 text" if n == 1 else f"{n} texts"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many only how many.

    >>> listed(["en", "de", "fi"]), listed([str(n) for n in range(9)])
    ('en, de and fi', '0, 1, 2 and 6 others')
    """
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    return joined(names)


def joined(names: Sequence[str]) -> str:
    """Names as a list in a sentence.

    >>> joined(["100M", "1B", "7B"])
    '100M, 1B and 7B'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
