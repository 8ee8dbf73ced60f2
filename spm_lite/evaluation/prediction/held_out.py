"""Which documents train an n-gram model, and which are held out to be predicted.

`Ngrams` trains a model on the tokens of the first, and counts the bits that the others take under it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.id_store import blocks_of
from spm_lite.evaluation.prediction.kneser_ney import NgramModel, Part, finish_parts, run_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.measure import Measured, Reading


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
        """What `bits` returns, counted in so many parts; None: one of them was too large for the memory."""
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


BITS_OF_BYTE = log2(257)  # a byte of unknown text, or the mark at its end
PARTS = {"half": 2, "quarter": 4}  # every second, every fourth of the training documents


@dataclass
class Split:
    """The documents of a source, those for training first; `train` may be another source.

    training, held: the documents in order. n_texts: of the source whose ids are kept.
    """

    train: Measured
    source: Measured
    training: NDArray[np.int64]
    held: NDArray[np.int64]

    @property
    def held_bytes(self) -> NDArray[np.float64]:
        """Bytes of each held-out document."""
        return self.sums(self.source.sizes[: self.source.n_kept])

    def wanted(self, measured: Measured, documents: NDArray[np.int64]) -> NDArray[np.uint8]:
        """For each text of a source whose ids are kept: 1 if it is of one of the documents."""
        chosen = np.zeros(measured.n_documents, np.uint8)
        chosen[documents] = 1
        return chosen[: measured.n_kept] if measured.documents is None else chosen[documents_of(measured)]

    def sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The sum over the texts of each held-out document. values: of each text of the source."""
        if self.source.documents is None:
            return values[self.held].astype(np.float64)
        totals = np.bincount(documents_of(self.source), values, self.source.n_documents)
        return totals[self.held].astype(np.float64)


def documents_of(measured: Measured) -> NDArray[np.int64]:
    """The document of each text whose ids are kept."""
    if measured.documents is None:
        return np.arange(measured.n_kept, dtype=np.int64)
    return measured.documents[: measured.n_kept].astype(np.int64)


def split_of(source: Measured, train: Measured | None = None) -> Split:
    """The first four fifths of the bytes train, by whole documents; with `train`, nothing of the source does."""
    present = documents_of(source) if source.documents is None else np.unique(documents_of(source))
    if train is not None:
        return Split(train, source, np.unique(documents_of(train)), present)
    sizes: NDArray[Any] = source.sizes[: source.n_kept]
    if source.documents is not None:
        sizes = np.bincount(documents_of(source), sizes, source.n_documents).astype(np.int64)[present]
    n_training = n_of_four_fifths(sizes)
    return Split(source, source, present[:n_training], present[n_training:])


def n_of_four_fifths(sizes: NDArray[Any]) -> int:
    """How many documents begin before four fifths of all bytes. sizes: bytes of each.

    >>> n_of_four_fifths(np.array([40, 39, 1, 20])), n_of_four_fifths(np.array([0, 0]))
    (3, 0)
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    if len(ends) == 0 or ends[-1] == 0:
        return 0
    last = (4 * int(ends[-1]) - 1) // 5  # the greatest number of bytes before a document that trains
    return min(1 + int(np.searchsorted(ends, last, side="right")), len(ends))


@dataclass
class Predicted:
    """How well a tokenizer's tokens of the held-out documents are predicted.

    report: the figures of the JSON. bits: of each held-out document, unknown tokens spelled, by the order of the model
    and, for less training text, its name. tokens: of each held-out document.
    """

    report: dict[str, Any]
    bits: dict[str, NDArray[np.float64]]
    tokens: NDArray[np.float64]
    unknown_share: float | None
    unknown_tokens: float
    fill: float  # training tokens for each piece of the vocabulary
    size: int
    training_tokens: int


def predict(split: Split, name: str, orders: Sequence[int], num_threads: int) -> Predicted:
    """Train and score the models of one tokenizer."""
    reading, from_reading = split.source.readings[name], split.train.readings[name]
    held = Selection(reading, split.wanted(split.source, split.held))
    train = Selection(from_reading, split.wanted(split.train, split.training))
    ngrams = Ngrams(train, held, num_threads)
    tokens = split.sums(reading.lengths[: split.source.n_kept])
    extra = split.sums(spelled_bits(reading, split.source.n_kept))
    share, n_unknown = unknown_share(split, reading, held)
    report: dict[str, Any] = {"unknown_character_share": share}
    n_training = train.n_tokens()
    fill = n_training / max(ngrams.size, 1)
    result = Predicted(report, {}, tokens, share, n_unknown, fill, ngrams.size, n_training)
    for order in orders:
        bits = ngrams.bits(order)
        counted = {"training_tokens": n_training, "held_out_tokens": int(tokens.sum())}
        counted["unseen_tokens"] = ngrams.unseen_tokens
        result.bits[f"n{order}"] = add_figures(report, f"n{order}", split, bits, extra, counted, True)
    if 2 in orders:
        for part, step in PARTS.items():
            wanted = split.wanted(split.train, split.training[::step])
            counted = {"training_tokens": Selection(from_reading, wanted).n_tokens()}
            bits = ngrams.bits(2, wanted)
            result.bits[part] = add_figures(report, f"n2_{part}", split, bits, extra, counted, False)
    return result


def add_figures(
    report: dict[str, Any],
    name: str,
    split: Split,
    bits: Bits,
    extra: NDArray[np.float64],
    counted: dict[str, int],
    is_full: bool,
) -> NDArray[np.float64]:
    """Add the figures of one model to the report; return the bits of each held-out document, spelled."""
    documents = split.sums(bits.texts)
    total, n_bytes = float(documents.sum()), float(split.held_bytes.sum())
    figures: dict[str, Any] = dict(counted)
    if is_full:
        figures["bits"] = total
    figures["bits_per_byte"] = total / n_bytes if n_bytes else None
    figures["bits_per_byte_spelled"] = (total + float(extra.sum())) / n_bytes if n_bytes else None
    if is_full:
        figures |= bits.report
        first = documents[:2].tolist()
        figures |= dict(zip(("first_document_bits", "second_document_bits"), first, strict=False))
    report[name] = figures
    return documents + extra


def spelled_bits(reading: Reading, n_texts: int) -> NDArray[np.float64]:
    """For each text the bits of its unknown tokens spelled: their bytes and an end mark for each, uniformly."""
    result = np.zeros(n_texts)
    rows = reading.losses[reading.losses[:, 0] < n_texts]
    result[rows[:, 0]] = (rows[:, 1] + rows[:, 2]) * BITS_OF_BYTE
    return result


def unknown_share(split: Split, reading: Reading, held: Selection) -> tuple[float | None, int]:
    """The share of the held-out characters that are unknown, None where their places are not known; unknown tokens."""
    rows = reading.losses[reading.losses[:, 0] < len(held.wanted)]
    rows = rows[held.wanted[rows[:, 0]].astype(bool)]
    if len(rows) and not reading.subject.has_places:
        return None, int(rows[:, 1].sum())
    lengths = split.source.characters[: len(held.wanted)]
    characters = int(lengths.sum(dtype=np.int64, where=held.wanted.view(bool)))
    return int(rows[:, 3].sum()) / characters if characters else 0.0, int(rows[:, 1].sum())
