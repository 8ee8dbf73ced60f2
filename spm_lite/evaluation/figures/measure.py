"""Read a source once with all tokenizers, and keep the sums that the figures are made of."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.errors import ArgumentTypeError
from spm_lite.evaluation.figures.audit_sources import Documents, TextSource, decoded_texts, texts_of
from spm_lite.evaluation.figures.id_store import IdStore
from spm_lite.evaluation.figures.measurer import Measurer
from spm_lite.evaluation.figures.token_sums import LOSS_FIELDS
from spm_lite.training.counts.chunk_budget import Budget
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.spill import Spill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.subjects import Subject
    from spm_lite.progress.meter import Reporter

WORD_BYTES = 1 << 26  # memory of the tables of letter words, above which they are written to files
SAMPLE = 500  # texts at the beginning of a source that are edited and shown
MOST_CHANGED = 100  # texts that decoding does not give back are kept as examples
WORD_BUDGET = (1 << 26, 64, 2)  # bytes, for each word, and for each of its bytes


@dataclass
class Reading:
    """What one tokenizer makes of the texts of a source."""

    subject: Subject
    totals: dict[str, Any]
    counts: NDArray[np.int64]  # of each id
    unknown_chars: list[tuple[str, int]]  # the most frequent first
    lengths: NDArray[np.int32]  # tokens of each text
    losses: NDArray[np.int32]  # rows of LOSS_FIELDS: of each text with unknown tokens
    ids: IdStore | None
    changed: list[bytes]  # the first texts that decoding does not give back

    @property
    def spelled(self) -> int | None:
        """Tokens, if each unknown one were spelled as the bytes of its normalized text; None: these are not known."""
        if self.totals["unknown_tokens"] and not self.subject.has_places:
            return None
        return int(self.totals["tokens"] + self.totals["unknown_bytes"] - self.totals["unknown_tokens"])

    def spelled_lengths(self) -> NDArray[np.int64]:
        """Spelled tokens of each text."""
        result = self.lengths.astype(np.int64)
        result[self.losses[:, 0]] += self.losses[:, 2] - self.losses[:, 1]
        return result


@dataclass
class Measured:
    """A source, and what each tokenizer makes of it."""

    source: TextSource
    shape: dict[str, Any]  # sums over the texts
    sizes: NDArray[np.int32]  # bytes of each text
    characters: NDArray[np.int32]  # of each text
    documents: NDArray[np.int32] | None  # number of each text's document; None: each is one
    n_documents: int
    digest: str
    words: list[tuple[str, int]]  # the most frequent letter words
    sample: list[str]  # the first texts
    readings: dict[str, Reading] = field(default_factory=dict)
    n_kept: int = 0  # texts whose ids are kept

    def document_sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The sum over the texts of each document."""
        if self.documents is None:
            return values.astype(np.float64)
        return np.bincount(self.documents, values, self.n_documents).astype(np.float64)


def measure(
    source: TextSource,
    subjects: Sequence[Subject],
    num_threads: int,
    n_words: int,
    id_bytes: int | None = 0,
    reporter: Reporter | None = None,
    cut: Callable[[str], Iterable[str]] | None = None,
) -> Measured:
    """Read a source.

    n_words: how many of the most frequent letter words are wanted; 0: none are counted. id_bytes: of the first so many
    bytes of text ids are kept; None: of all. cut: the words of a text; None: its letter words. Raises what reading the
    source and encoding raise.
    """
    measurer = Measurer(num_threads, not source.keeps_empty, n_words > 0 and cut is None)
    keeps_ids = id_bytes != 0
    for subject in subjects:
        if subject.own is not None:
            measurer.add_own(subject.own._encoder, subject.own._decoder, subject.new_sums, keeps_ids)
        else:
            measurer.add_given(subject.new_sums)
    run = Run(source, subjects, measurer, id_bytes, cut)
    try:
        with Spill(WORD_BYTES, Budget(*WORD_BUDGET)) as spill:
            for block, file in source.blocks():
                run.add(block, file, spill)
                if reporter is not None:
                    reporter("encode", source.figures.bytes_read, source.figures.bytes_known)
            result = run.result(n_words, spill)
    except BaseException:
        run.close()
        raise
    measurer.close()  # not after an error: buffers of a call that failed are used by no other
    return result


class Run:
    """The state of reading one source."""

    def __init__(
        self,
        source: TextSource,
        subjects: Sequence[Subject],
        measurer: Measurer,
        id_bytes: int | None,
        cut: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        self.source = source
        self.subjects = subjects
        self.measurer = measurer
        self.id_bytes = id_bytes
        self.cut = cut
        self.words: Counter[str] = Counter()  # that `cut` gave
        self.documents = Documents(source)
        self.sample: list[str] = []
        self.digest = hashlib.sha256()
        self.sizes = Column()
        self.characters = Column()
        self.lengths = [Column() for _ in subjects]
        self.losses = [Column() for _ in subjects]
        self.changed: list[list[bytes]] = [[] for _ in subjects]
        self.stores = [None if id_bytes == 0 else IdStore() for _ in subjects]
        self.same = [0] * len(subjects)  # of other tokenizers than ours: texts that decoding gives back
        self.n_texts = self.n_kept = self.n_bytes = 0
        self.spilled = False

    def add(self, block: Any, file: int, spill: Spill) -> None:
        """Read a block."""
        texts = texts_of(block)
        given = [None if subject.own is not None else self._given(subject, block) for subject in self.subjects]
        kept, joined, sizes, characters = self.measurer.add(texts, given)
        numbers = np.frombuffer(kept.view(), np.int32) if len(kept) else np.zeros(0, np.int32)
        self.digest.update(joined)
        if self.cut is not None:
            for text in decoded_texts(block):
                self.words.update(cut_words(self.cut, text))
        self.documents.add(block, numbers, file)
        own_sizes = as_array(sizes)
        self._keep_sample(joined, own_sizes)
        n_with_ids = self._texts_with_ids(own_sizes)
        for number in range(len(self.subjects)):
            ids, lengths, losses = map(as_array, self.measurer.take(number))
            if self.subjects[number].own is None and given[number] is not None:
                ids = given[number][0]  # type: ignore[index]
            rows = losses.reshape(-1, LOSS_FIELDS)
            rows[:, 0] += self.n_texts
            store = self.stores[number]
            if store is not None and n_with_ids:
                store.append(ids[: int(lengths[:n_with_ids].sum(dtype=np.int64))])
            self._keep_changed(number, joined, own_sizes)
            self.lengths[number].append(lengths)
            self.losses[number].append(rows)
        self.sizes.append(own_sizes)
        self.characters.append(as_array(characters))
        self.n_texts += len(own_sizes)
        tables, n_bytes = self.measurer.word_tables()
        if n_bytes > WORD_BYTES:
            spill.spill(tables)
            self.spilled = True

    def _keep_sample(self, joined: bytes, sizes: NDArray[np.int32]) -> None:
        """Keep the first texts of the source. joined: the texts of the block, each with a byte before it."""
        pos = 0 if self.n_texts == 0 else 1
        for size in sizes[: SAMPLE - len(self.sample)].tolist():
            self.sample.append(joined[pos : pos + size].decode("utf-8", "replace"))
            pos += size + 1

    def _keep_changed(self, number: int, joined: bytes, sizes: NDArray[np.int32]) -> None:
        """Keep the first texts that decoding changes. joined: the texts of the block, each with a byte before it."""
        changed = self.measurer.take_changed(number)[: MOST_CHANGED - len(self.changed[number])]
        if changed:
            ends = np.cumsum(sizes + 1, dtype=np.int64) - (0 if self.n_texts else 1)
            self.changed[number] += [joined[ends[i] - sizes[i] : ends[i]] for i in changed]

    def _given(self, subject: Subject, block: Any) -> Any:
        """The tokens of another tokenizer for the texts of a block that count.

        If it decodes, `self.same` and `self.changed` grow by these texts: how many come back, and which do not.
        """
        texts = [t for t in decoded_texts(block) if t or self.source.keeps_empty]
        coded = subject.coded(texts)
        if subject.has_decoding:
            number = self.subjects.index(subject)
            for text, begin, end in zip(texts, coded.offsets[:-1].tolist(), coded.offsets[1:].tolist(), strict=True):
                if subject.decode(coded.ids[begin:end].tolist()) == text:
                    self.same[number] += 1
                elif len(self.changed[number]) < MOST_CHANGED:
                    self.changed[number].append(text.encode())
        return coded

    def _texts_with_ids(self, sizes: NDArray[np.int32]) -> int:
        """How many of the next texts still have their ids kept."""
        if self.n_kept < self.n_texts:
            return 0
        before = self.n_bytes + np.cumsum(sizes, dtype=np.int64) - sizes
        n = len(sizes) if self.id_bytes is None else int((before < self.id_bytes).sum())
        self.n_kept += n
        self.n_bytes += int(sizes.sum(dtype=np.int64))
        return n

    def result(self, n_words: int, spill: Spill) -> Measured:
        """All sums."""
        documents = self.documents.result()
        measured = Measured(
            self.source,
            self.measurer.shape(),
            self.sizes.values(),
            self.characters.values(),
            documents,
            self.n_texts if documents is None else len(self.documents.numbers),
            self.digest.hexdigest(),
            self._words(n_words, spill),
            self.sample,
            n_kept=self.n_kept,
        )
        for number, subject in enumerate(self.subjects):
            sums = self.measurer.sums(number)
            totals = sums.result()
            totals["same"] += self.same[number]
            chars = sorted(sums.unknown_characters(), key=lambda item: (-item[1], item[0]))
            measured.readings[subject.name] = Reading(
                subject,
                totals,
                np.array(sums.id_counts(), np.int64),
                chars,
                self.lengths[number].values(),
                self.losses[number].values().reshape(-1, LOSS_FIELDS),
                self.stores[number],
                self.changed[number],
            )
        return measured

    def _words(self, n_words: int, spill: Spill) -> list[tuple[str, int]]:
        """The most frequent letter words with their counts; of equal counts the first by code points."""
        if n_words == 0:
            return []
        if self.cut is not None:
            return sorted(self.words.items(), key=lambda item: (-item[1], item[0]))[:n_words]
        tables, _ = self.measurer.word_tables()
        table = spill.finish(tables) if self.spilled else ChunkTable.sum(tables)
        return [(text.decode(), count) for text, count in table.items_from(0, min(n_words, len(table)))]

    def close(self) -> None:
        """Remove the temporary files."""
        for store in self.stores:
            if store is not None:
                store.close()


def cut_words(cut: Callable[[str], Iterable[str]], text: str) -> list[str]:
    """The words of a text that a function of the caller gives. Raises ArgumentTypeError if they are no words."""
    found = cut(text)
    words = [*found] if isinstance(found, Iterable) and not isinstance(found, str | bytes) else [None]
    if not all(isinstance(word, str) for word in words):
        raise ArgumentTypeError(
            f"words gave {found!r:.60} for a text: let it give a list of str, the words of the text"
        )
    return [word for word in words if word]


def as_array(values: Any) -> NDArray[np.int32]:
    """An Int32Array as an array that may be written to."""
    return np.frombuffer(values.view(), np.int32) if len(values) else np.zeros(0, np.int32)


class Column:
    """Numbers of texts, which may be many millions, in one block that grows: parts would need their memory twice."""

    def __init__(self) -> None:
        self.block = array("i")

    def append(self, some: NDArray[np.int32]) -> None:
        """Add the numbers of the next texts."""
        self.block.frombytes(np.ascontiguousarray(some).data.cast("B") if some.size else b"")

    def values(self) -> NDArray[np.int32]:
        """All numbers, without a copy."""
        return np.frombuffer(self.block, np.int32) if self.block else np.zeros(0, np.int32)
