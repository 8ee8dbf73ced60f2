"""BPE for parity, naive: every step counts all pairs and measures all dev texts anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from oracle import byte_bpe, graphemes
from oracle.bpe_trainer import counted_pairs, text_of
from oracle.validity import is_valid

from spm_lite.kinds import SPACE
from spm_lite.specs import TrainerSpec

LEAST = 2


@dataclass
class Language:
    """The chunks of a source. goal 0: it has no dev text."""

    text: Mapping[str, int]
    dev: Mapping[str, int]
    goal: float
    words: list[Word] = field(default_factory=list)
    share: float = 0.0
    turns: int = 0
    is_done: bool = False


@dataclass
class Word:
    """A chunk in its symbols. None: a character that is no piece."""

    text: str
    symbols: list[Any]
    count: int
    dev: int
    bounds: set[int] | None


class Parity:
    """One training; bytes are characters U+0000 to U+00FF if the model is of bytes."""

    def __init__(
        self,
        languages: Sequence[tuple[Mapping[str, int], Mapping[str, int] | None, float]],
        alphabet: str,
        spec: TrainerSpec,
        window: int = 0,
        alpha: float = 2.0,
        floor: float = 0.0,
        global_merges: int = 0,
        most_tokens: Sequence[float] = (),
    ) -> None:
        """alphabet: the most frequent character first."""
        self.spec = spec
        self.in_bytes = spec.model_type == "byte_bpe"
        self.window, self.alpha, self.floor = window, alpha, floor
        self.global_merges, self.most_tokens = global_merges, most_tokens
        self.least = max(LEAST, spec.min_count)
        at_start = {SPACE, *spec.required_chars}
        is_all = self.in_bytes or not spec.byte_fallback
        self.first = [c for c in alphabet if is_all or c in at_start or c < "\x80"]
        self.later = [c for c in alphabet if c not in self.first]
        self.languages = [Language(text, dev or {}, 0.0 if dev is None else goal) for text, dev, goal in languages]
        total = sum(map(self.size, (one.text for one in self.languages)))
        for one in self.languages:
            one.share = self.size(one.text) / total
            one.words = [self.word(text, one) for text in {**one.text, **one.dev}]
        self.made: list[Any] = []  # symbols in order
        self.refused: set[Any] = set()
        self.recent: list[int] = []
        self.n_turns = self.n_plain = self.forced_at = 0

    def size(self, chunks: Mapping[str, int]) -> int:
        return sum(self.n_bytes(text) * count for text, count in chunks.items())

    def n_bytes(self, text: str) -> int:
        return len(text) if self.in_bytes else len(text.encode())

    def word(self, text: str, one: Language) -> Word:
        bounds = None
        if self.spec.graphemes:
            bounds = graphemes.byte_begins(text.encode("latin-1")) if self.in_bytes else {*graphemes.begins(text)}
        symbols = [c if c in self.first else None for c in text]
        return Word(text, symbols, one.text.get(text, 0), one.dev.get(text, 0), bounds)

    def length(self, one: Language) -> int:
        """The tokens of a dev text."""
        total = 0
        for word in one.words:
            place = 0
            for symbol in word.symbols:
                is_byte = symbol is None and self.spec.byte_fallback
                total += word.dev * (self.n_bytes(word.text[place]) if is_byte else 1)
                place += 1 if symbol is None else len(text_of(symbol))
        return total

    def gains(self, languages: Sequence[Language]) -> dict[Any, int]:
        """What each possible merge saves in the texts of these languages."""
        found: Counter[Any] = Counter()
        for one in languages:
            for word in one.words:
                for pair in counted_pairs(word.symbols, word.bounds):
                    if None not in pair:
                        found[pair] += word.count
                for c in word.text:
                    if c in self.later and c not in self.made:
                        found[c] += word.count
        return {
            merge: count * (1 if len(text_of(merge)) > 1 else self.n_bytes(merge) - 1)
            for merge, count in found.items()
            if count >= self.least
            and merge not in self.refused
            and (len(text_of(merge)) == 1 or self.is_allowed(merge))
        }

    def is_allowed(self, pair: Any) -> bool:
        text = text_of(pair)
        return byte_bpe.is_allowed(text.encode("latin-1"), self.spec) if self.in_bytes else is_valid(text, self.spec)

    def best(self, languages: Sequence[Language]) -> tuple[Any, int]:
        """The best merge and what it saves; (None, 0): there is none."""
        gains = self.gains(languages)
        if not gains:
            return None, 0
        best = min(gains, key=lambda one: (-gains[one], len(text_of(one)), text_of(one), len(text_of(one[0]))))
        return best, gains[best]

    def next_language(self) -> int | None:
        for i, one in enumerate(self.languages):
            if not one.goal and not one.is_done and one.turns + 1 <= one.share * (self.n_turns + 1):
                return i
        open_ones = [i for i, one in enumerate(self.languages) if one.goal and not one.is_done]
        order = sorted(open_ones, key=lambda i: -self.length(self.languages[i]) / self.languages[i].goal)
        may = [i for i in order if not self.must_wait(i)]
        if order and not may and not self.forced_at:
            self.forced_at = self.n_turns + 1
        if order:
            return (may or order)[0]
        rest = [i for i, one in enumerate(self.languages) if not one.goal and not one.is_done]
        return min(rest, key=lambda i: self.languages[i].turns / self.languages[i].share, default=None)

    def must_wait(self, i: int) -> bool:
        rates = [self.best([one])[1] * (self.size(one.dev) / self.size(one.text)) for one in self.languages]
        if rates[i] < self.floor * max(rates):
            return True
        n_competing = sum(one.goal > 0 for one in self.languages)
        return self.window > 0 and self.recent[-self.window :].count(i) > self.alpha * self.window / n_competing

    def learn(self, n_pieces: int) -> list[str]:
        """The texts of all merges in order, characters among them."""
        is_plain_done = False
        while len(self.first) + len(self.made) < n_pieces:
            n = len(self.first) + len(self.made)
            is_plain = len(self.made) < self.global_merges or (
                n < len(self.most_tokens) and sum(map(self.length, self.languages)) > self.most_tokens[n]
            )
            turn = None
            if is_plain and not is_plain_done:
                best, gain = self.best(self.languages)
                is_plain_done = gain == 0
                if gain == 0:
                    continue
            else:
                turn = self.next_language()
                if turn is None:
                    break
                best, gain = self.best([self.languages[turn]])
                if gain == 0:
                    self.languages[turn].is_done = True
                    continue
            if self.make(best):
                self.note(turn)
        for c in self.later:
            if c not in self.made and len(self.first) + len(self.made) < n_pieces:
                self.make(c)
        return [text_of(one) for one in self.made]

    def follow(self, texts: Sequence[str]) -> list[int]:
        """Make merges of given texts; the tokens of all dev texts before the first and after each."""
        totals = [sum(map(self.length, self.languages))]
        for text in texts:
            words = [word.symbols for one in self.languages for word in one.words]
            found = [pair for word in words for pair in pairwise(word) if None not in pair and text_of(pair) == text]
            assert self.make(found[0])
            totals.append(sum(map(self.length, self.languages)))
        return totals

    def note(self, turn: int | None) -> None:
        if turn is None:
            self.n_plain += 1
            return
        self.n_turns += 1
        self.languages[turn].turns += 1
        if self.languages[turn].goal:
            self.recent.append(turn)

    def make(self, merge: Any) -> bool:
        """Make a merge everywhere; False: it is refused."""
        text = text_of(merge)
        ranks = {text_of(one).encode("latin-1"): i for i, one in enumerate(self.made)} if self.in_bytes else {}
        if text in map(text_of, self.made) or (
            self.in_bytes and len(byte_bpe.merged(text.encode("latin-1"), ranks)) != 2
        ):
            self.refused.add(merge)
            return False
        self.made.append(merge)
        for one in self.languages:
            for word in one.words:
                join(word, merge)
        return True


def join(word: Word, merge: Any) -> None:
    """Make a merge in a chunk, from left to right."""
    i = place = 0
    while i < len(word.symbols):
        if word.symbols[i] is None and word.text[place] == merge:
            word.symbols[i] = merge
        elif tuple(word.symbols[i : i + 2]) == merge:
            word.symbols[i : i + 2] = [merge]
        place += 1 if word.symbols[i] is None else len(text_of(word.symbols[i]))
        i += 1
