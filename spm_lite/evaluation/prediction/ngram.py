"""Train an n-gram model on the tokens of some texts, and count the bits that other texts take under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.id_store import blocks_of
from spm_lite.evaluation.prediction.kneser_ney import NgramModel, Part, finish_parts, run_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.measure import Reading

TABLE_BYTES = 1 << 28  # of all parts that are counted at one time
SMALL = 100_000  # tokens: more threads are not worth it
UNIT = 1 << 50  # parts of a bit: sums of whole numbers do not depend on their order


@dataclass
class Selection:
    """Some texts of a reading, whose ids are kept."""

    reading: Reading
    wanted: NDArray[np.uint8]  # of each text: 1 if it is selected

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]]:
        """Yield (number of the first text, ids, lengths, wanted) of some texts at a time."""
        store = self.reading.ids
        assert store is not None
        lengths = self.reading.lengths[: len(self.wanted)]
        for first, last, begin, end in blocks_of(lengths):
            if self.wanted[first:last].any():
                yield first, store.read(begin, end), lengths[first:last], self.wanted[first:last]

    def n_tokens(self) -> int:
        """The tokens of the selected texts."""
        lengths = self.reading.lengths[: len(self.wanted)]
        return int(lengths.sum(dtype=np.int64, where=self.wanted.view(bool)))

    def counts(self, size: int) -> NDArray[np.int64]:
        """How often each id occurs in them; last that of -1."""
        counts = np.zeros(size + 1, np.int64)
        for _, ids, lengths, wanted in self.blocks():
            some = ids[np.repeat(wanted.astype(bool), lengths)]
            counts += np.bincount(np.where(some < 0, size, some), minlength=size + 1)
        return counts


@dataclass
class Bits:
    """The bits of held-out texts under a model."""

    texts: NDArray[np.float64]  # of each text; 0 for those that are not selected
    report: dict[str, Any]  # of the model: discounts and the like


class Ngrams:
    """Makes models from the same training texts for the same held-out texts."""

    def __init__(self, train: Selection, held: Selection, num_threads: int) -> None:
        self.train = train
        self.held = held
        self.size = train.reading.subject.size
        self.seen = train.counts(self.size)
        self.held_counts = held.counts(self.size)
        used = np.flatnonzero(self.seen + self.held_counts)
        self.n_symbols = len(used)
        self.symbols = np.full(self.size + 1, -1, np.int32)
        self.symbols[used] = np.arange(len(used), dtype=np.int32)
        # What is frequent comes first, so that parts of equal size are made in turn.
        self.by_count = np.argsort(-self.seen[used], kind="stable")
        self.threads = num_threads if train.n_tokens() > SMALL else 1

    @property
    def unseen_tokens(self) -> int:
        """Held-out tokens whose id does not occur in training."""
        return int(self.held_counts[self.seen == 0].sum())

    def bits(self, order: int, wanted: NDArray[np.uint8] | None = None) -> Bits:
        """The bits of the held-out texts under a model of an order. wanted: fewer training texts than all."""
        train = self.train if wanted is None else Selection(self.train.reading, wanted)
        n_parts = self.threads
        while True:
            bits = self._with_parts(order, train, n_parts)
            if bits is not None:
                return bits
            n_parts *= 2  # so each part is smaller

    def _with_parts(self, order: int, train: Selection, n_parts: int) -> Bits | None:
        """The same with so many parts; None: one of them was too large for the memory."""
        model = NgramModel(order, self.size, self.symbols, self.n_symbols, self._parts_of(n_parts), n_parts)
        limit = TABLE_BYTES // self.threads
        groups = [range(first, min(first + self.threads, n_parts)) for first in range(0, n_parts, self.threads)]
        for group in groups:
            parts = [Part(model, number, limit) for number in group]
            if not self._count(parts, train):
                return None
            finish_parts(parts, False)
        model.complete()
        span = span_of(self.held.wanted)
        whole, rest = np.zeros((2, span.stop - span.start), np.int64)
        for group in groups:
            if len(groups) > 1:  # there was no memory to keep all
                parts = [Part(model, number, 0) for number in group]
                self._count(parts, train)
                finish_parts(parts, True)
            for first, ids, lengths, wanted in self.held.blocks():
                found = run_parts(parts, "score", ids, lengths, wanted)
                assert found is not None
                begin, end = max(first, span.start), min(first + len(lengths), span.stop)
                own, its = slice(begin - span.start, end - span.start), slice(begin - first, end - first)
                parts_of_bits = rest[own] + found[1][its]
                whole[own] += found[0][its] + parts_of_bits // UNIT
                rest[own] = parts_of_bits % UNIT
        bits = np.zeros(len(self.held.wanted))
        bits[span] = rest / UNIT
        bits[span] += whole
        return Bits(bits, model.report())

    def _parts_of(self, n_parts: int) -> NDArray[np.uint16]:
        """The part of each symbol, and of the one before a text."""
        result = np.zeros(self.n_symbols + 2, np.uint16)
        turn = np.arange(self.n_symbols) % (2 * n_parts)
        result[self.by_count] = np.minimum(turn, 2 * n_parts - 1 - turn).astype(np.uint16)
        return result

    def _count(self, parts: list[Part], train: Selection) -> bool:
        """Count the training texts; False: a part is too large."""
        for _, ids, lengths, wanted in train.blocks():
            run_parts(parts, "count", ids, lengths, wanted)
            if any(part.is_too_large for part in parts):
                return False
        return True


def span_of(wanted: NDArray[np.uint8]) -> slice:
    """The texts from the first that is selected to the last.

    >>> span_of(np.array([0, 1, 0, 1, 0], np.uint8))
    slice(1, 4, None)
    """
    if not wanted.any():
        return slice(0, 0)
    return slice(int(wanted.argmax()), len(wanted) - int(wanted[::-1].argmax()))
