"""The judge: reads each source once with all tokenizers, and puts the figures of an audit together.

`prediction/verdicts.py` decides which tokenizer is better; the judge calls it.

It also cuts the texts that cost most into the pieces of each tokenizer, to be shown side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import unidata_version

import numpy as np

from spm_lite._version import __version__
from spm_lite.base.unicode.ranges.grapheme_ranges import VERSION as GRAPHEMES
from spm_lite.base.unicode.ranges.script_ranges import VERSION as SCRIPTS
from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.errors import OptionError
from spm_lite.evaluation.cost import cost_figures
from spm_lite.evaluation.figures.corpus_figures import MOST_WORDS, corpus_figures, is_space_free
from spm_lite.evaluation.figures.distributions import zipf_ranks
from spm_lite.evaluation.figures.measure import Measured, measure
from spm_lite.evaluation.figures.mixture import MIXTURE, mixed_figures, with_mixture
from spm_lite.evaluation.figures.parity import check_parallel, parity_figures, reference_of
from spm_lite.evaluation.figures.subjects import OwnSubject
from spm_lite.evaluation.prediction.held_out import Predicted, predict, split_of
from spm_lite.evaluation.prediction.paired import Pair, Strata, Stratum, add_holm, compare
from spm_lite.evaluation.prediction.verdicts import Verdict, bits_verdict, tokens_verdict
from spm_lite.evaluation.report.faults import find_faults
from spm_lite.evaluation.text_probes import (
    coded_texts,
    edited_texts,
    identifier_figures,
    identifiers_in,
    indentation_figures,
    kind_of_numbers,
    number_figures,
    operator_figures,
    stability_figures,
)
from spm_lite.evaluation.vocabulary.examine import foreign_figures, has_merges, residue_figures, vocabulary_figures
from spm_lite.files.plain_text import log_notes

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.audit_sources import TextSource
    from spm_lite.evaluation.figures.measure import Measured
    from spm_lite.evaluation.figures.subjects import Subject
    from spm_lite.progress.meter import Reporter


SHOWN_TEXTS = 2
MOST_CHARACTERS = 120  # longer texts are not chosen: few people read them
LEAST_CHARACTERS = 20


def worst_texts(subjects: Sequence[Subject], measured: Measured) -> list[dict[str, Any]]:
    """Of the first texts of a source those with the most tokens for a character, with the pieces of each tokenizer.

    Of several tokenizers, the sum of all counts, unknown tokens spelled. Texts are of 20 to 120 characters.
    """
    known = [subject for subject in subjects if subject.can_encode and subject.has_places]
    candidates = [i for i, text in enumerate(measured.sample) if LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS]
    if not known or not candidates:
        return []
    costs = dict.fromkeys(candidates, 0.0)
    for subject in known:
        spelled = measured.readings[subject.name].spelled_lengths()
        for i in candidates:
            costs[i] += float(spelled[i]) / len(measured.sample[i])
    chosen = sorted(candidates, key=lambda i: (-costs[i], i))[:SHOWN_TEXTS]
    texts = [measured.sample[i] for i in chosen]
    rows = {subject.name: pieces_of(subject, texts) for subject in known}
    return [
        {"number": i, "text": text, "pieces": {name: row[k] for name, row in rows.items()}}
        for k, (i, text) in enumerate(zip(chosen, texts, strict=True))
    ]


def pieces_of(subject: Subject, texts: Sequence[str]) -> list[list[list[Any]]]:
    """For each text its tokens as [begin, end, kind]: places in characters; kind 1: unknown, 2: a byte, 0: another."""
    coded = coded_texts(subject, texts)
    assert coded.places is not None
    bytes_of = set(subject.byte_ids())
    rows = coded.places.reshape(-1, 2).tolist()
    kinds = [1 if i in (-1, subject.unknown_id) else 2 if i in bytes_of else 0 for i in coded.ids.tolist()]
    ends = coded.offsets.tolist()
    return [
        [[*row, kind] for row, kind in zip(rows[begin:end], kinds[begin:end], strict=True)]
        for begin, end in pairwise(ends)
    ]


FORMAT = 1  # of the JSON
NO_WORDS = "has no spaces between words, so give words= (--words NAME=FILE) to learn which are one token"


@dataclass
class Settings:
    """What an audit is to do; see `audit`."""

    orders: tuple[int, ...]
    words: Mapping[str, Sequence[str] | Callable[[str], Iterable[str]]]  # by text
    num_threads: int
    seed: int
    ngram_bytes: int | None
    reference: str | None
    shares: Mapping[str, float] | None = None  # of the texts in the mixture; None: there is none


@dataclass
class Contest:
    """The predictions of all tokenizers on the held-out documents of a text."""

    predicted: dict[str, Predicted]
    n_documents: int
    pairs: list[Pair] = field(default_factory=list)


class Judge:
    """Makes the figures of an audit, source by source. `data` becomes the dict of the JSON."""

    def __init__(self, subjects: Sequence[Subject], settings: Settings, reporter: Reporter | None) -> None:
        self.subjects = subjects
        self.settings = settings
        self.reporter = reporter
        self.trees = {s.name: MergeTrees(s.vocab) for s in subjects if isinstance(s, OwnSubject) and has_merges(s)}
        self.used: dict[str, dict[str, Any]] = {s.name: {} for s in subjects}
        self.contests: dict[str, Contest] = {}
        self.strata: dict[str, Stratum] = {}  # of the mixture, if there is one
        self.parallel: dict[str, Measured] = {}
        self.verdicts: list[Verdict] = []
        sections = ("texts", "corpus", "parity", "vocabulary", "residue", "ngram", "stability", "probes")
        self.data: dict[str, Any] = {
            "format": FORMAT,
            "spm_lite": __version__,
            "unicode": {"graphemes": GRAPHEMES, "scripts": SCRIPTS, "categories": unidata_version},
            "tokenizers": {},
            **{name: {} for name in sections},
        }

    def tell(self, phase: str, done: int, total: int) -> None:
        """Call the progress function, if there is one."""
        if self.reporter is not None:
            self.reporter(phase, done, total)

    def examine(self) -> None:
        """Look at the vocabularies, and probe with numbers and code: what needs no text."""
        for number, subject in enumerate(self.subjects):
            self.tell("vocabulary", number, len(self.subjects))
            self.data["tokenizers"][subject.name] = subject.about()
            if isinstance(subject, OwnSubject):
                self.data["vocabulary"][subject.name] = vocabulary_figures(subject, self.settings.num_threads)
            elif subject.can_encode and subject.has_decoding:
                self.data["vocabulary"][subject.name] = foreign_figures(subject)
            if subject.can_encode:
                self.data["probes"][subject.name] = probe(subject)
                self.data["stability"][subject.name] = {}
        self.tell("vocabulary", len(self.subjects), len(self.subjects))

    def read(self, source: TextSource, train: TextSource | None, n_sources: int, is_parallel: bool) -> None:
        """Read a source, and make its figures. train: other text to train n-gram models on."""
        settings = self.settings
        wants_bits = bool(settings.orders)
        measured = self._measure(source, n_sources, MOST_WORDS, settings.ngram_bytes if wants_bits else 0)
        opened = [measured]
        try:
            if wants_bits and measured.shape["texts"]:
                from_text = None
                if train is not None:
                    from_text = self._measure(train, n_sources, 0, settings.ngram_bytes)
                    opened.append(from_text)
                    if from_text.digest == measured.digest:
                        raise OptionError(
                            f"the n-gram models for {source.name!r:.60} would be trained on this text itself: give "
                            "other text, or leave out train"
                        )
                self._predict(measured, from_text, is_parallel)
        finally:
            for one in opened:
                for reading in one.readings.values():
                    if reading.ids is not None:
                        reading.ids.close()
        log_notes(source.figures.notes.texts)
        self._add_text(measured)
        if is_parallel:
            self.parallel[source.name] = measured

    def _measure(self, source: TextSource, n_sources: int, n_words: int, id_bytes: int | None) -> Measured:
        for subject in self.subjects:
            subject.open(source.name, n_sources)
        given = self.settings.words.get(source.name)
        cut = given if callable(given) and n_words else None
        measured = measure(source, self.subjects, self.settings.num_threads, n_words, id_bytes, self.reporter, cut)
        for subject in self.subjects:
            subject.close()
        return measured

    def _predict(self, measured: Measured, train: Measured | None, is_parallel: bool) -> None:
        """Bits per byte of the held-out documents, and what they say of each pair of tokenizers."""
        orders, threads = self.settings.orders, self.settings.num_threads
        split = split_of(measured, train)
        predicted = {}
        for number, subject in enumerate(self.subjects):
            self.tell("ngrams", number, len(self.subjects))
            predicted[subject.name] = predict(split, subject.name, orders, threads)
        self.tell("ngrams", len(self.subjects), len(self.subjects))
        contest = Contest(predicted, len(split.held))
        contest.pairs = compare(measured.source.name, split.held_bytes, predicted, orders, self.settings.seed)
        self.contests[measured.source.name] = contest
        if self.settings.shares is not None:
            n_characters = int(split.sums(measured.characters[: measured.n_kept]).sum())
            stratum = Stratum(predicted, split.held, split.held_bytes, n_characters, is_parallel)
            self.strata[measured.source.name] = stratum
        n_used = int(measured.sizes[: measured.n_kept].sum(dtype=np.int64))
        self.data["ngram"][measured.source.name] = {
            "documents": measured.n_documents,
            "training_documents": len(split.training),
            "held_out_documents": len(split.held),
            "held_out_bytes": int(split.held_bytes.sum()),
            "bytes_used": n_used,
            "bytes_left_out": measured.shape["bytes"] - n_used,
            "models": models_of(predicted),
            "pairs": {},
        }
        if train is not None:
            self.data["ngram"][measured.source.name]["training_sha256"] = train.digest

    def _add_text(self, measured: Measured) -> None:
        """The figures of all tokenizers on a source."""
        name, shape = measured.source.name, measured.shape
        self.data["texts"][name] = {
            "texts": shape["texts"],
            "bytes": shape["bytes"],
            "sha256": measured.digest,
            "documents": measured.n_documents,
            "space_free": is_space_free(shape),
            "carriage_returns": shape["carriage_returns"],
            "notes": self._notes(measured),
        }
        given = self.settings.words.get(name)
        words = measured.words if given is None or callable(given) else [(word, 1) for word in given]
        corpus = self.data["corpus"].setdefault(name, {})
        edits, identifiers = edited_texts(measured.sample), identifiers_in(measured.sample)
        for subject in self.subjects:
            reading = measured.readings[subject.name]
            figures = corpus_figures(measured, reading, words)
            figures["rank_frequency"] = rank_frequency(reading.counts)
            corpus[subject.name] = figures
            self.used[subject.name][name] = reading.counts[:-1] > 0
            if subject.name in self.trees:
                assert isinstance(subject, OwnSubject)
                residue = residue_figures(subject, self.trees[subject.name], reading.counts[:-1])
                self.data["residue"].setdefault(name, {})[subject.name] = residue
            if subject.can_encode:
                self.data["stability"][subject.name][name] = stability_figures(subject, edits)
                if subject.has_places:
                    parts = identifier_figures(subject, identifiers)
                    if parts is not None:
                        self.data["probes"][subject.name].setdefault("identifiers", {})[name] = parts
        self.data.setdefault("worst", {})[name] = worst_texts(self.subjects, measured)

    def _notes(self, measured: Measured) -> list[str]:
        """What the reader of a report should know of a source."""
        notes = []
        if is_space_free(measured.shape) and measured.source.name not in self.settings.words:
            notes.append(NO_WORDS)
        left_out = len(measured.sizes) - measured.n_kept
        if self.settings.orders and left_out:
            notes.append(f"n-grams are of the first {measured.n_kept:,} texts only, by ngram_bytes")
        return notes

    def finish(self) -> dict[str, Any]:
        """All that needs every source, and the whole dict."""
        if self.parallel:
            check_parallel(self.parallel)
            reference = reference_of([*self.parallel], self.settings.reference)
            for subject in self.subjects:
                self.data["parity"][subject.name] = parity_figures(
                    self.parallel, subject.name, reference, self.settings.seed
                )
        self._add_usage()
        add_holm([pair for contest in self.contests.values() for pair in contest.pairs])
        if self.settings.shares is not None:
            self._mix(self.settings.shares)
        for text, contest in self.contests.items():
            for pair in contest.pairs:
                with_mixture(self.data, "ngram")[text]["pairs"][pair.name] = pair.figures
                if "n2" in pair.figures:
                    self.verdicts.append(bits_verdict(pair, contest.predicted, contest.n_documents))
                self.verdicts.append(tokens_verdict(pair, contest.predicted, contest.n_documents))
        sizes = {subject.name: subject.size for subject in self.subjects}
        rates = {
            text: {name: figures["bytes_per_token_spelled"] for name, figures in tokenizers.items()}
            for text, tokenizers in with_mixture(self.data, "corpus").items()
        }
        self.data["cost"] = cost_figures(sizes, rates)
        self.data["verdicts"] = [verdict.to_dict() for verdict in self.verdicts]
        self.data["faults"] = find_faults(self.data)
        return self.data

    def _mix(self, shares: Mapping[str, float]) -> None:
        """Add the figures of the mixture, and its contest if each text has held-out bytes.

        Its p values are corrected among themselves. So the verdicts on the texts do not depend on the weights.
        """
        corpus = self.data["corpus"]
        mixed = {
            subject.name: mixed_figures({text: corpus[text][subject.name] for text in shares}, shares)
            for subject in self.subjects
        }
        self.data[MIXTURE] = {"shares": dict(shares), "corpus": mixed, "ngram": {"models": {}, "pairs": {}}}
        if not all(text in self.strata and self.strata[text].n_bytes.any() for text in shares):
            return
        strata = Strata([self.strata[text] for text in shares], [*shares.values()])
        predicted = {subject.name: strata.predicted(subject.name) for subject in self.subjects}
        contest = Contest(predicted, strata.n_documents)
        contest.pairs = strata.compare(predicted, self.settings.orders)
        add_holm(contest.pairs)
        self.data[MIXTURE]["ngram"]["models"] = models_of(predicted)
        self.contests[MIXTURE] = contest

    def _add_usage(self) -> None:
        """How many sources use each piece, and how many pieces only one source uses."""
        usage: dict[str, Any] = {}
        for name, by_text in self.used.items():
            if len(by_text) < 2:
                continue
            size = max(map(len, by_text.values()))
            rows = np.array([np.pad(row, (0, size - len(row))) for row in by_text.values()])
            n_texts = rows.sum(0)
            usage[name] = {
                "pieces_used_by": {str(n): int((n_texts == n).sum()) for n in range(1, len(rows) + 1)},
                "only_here": {text: int((row & (n_texts == 1)).sum()) for text, row in zip(by_text, rows, strict=True)},
            }
        self.data["usage"] = usage


def models_of(predicted: Mapping[str, Predicted]) -> dict[str, Any]:
    """The figures of the n-gram models of each tokenizer."""
    return {name: {**one.report, "fill": one.fill} for name, one in predicted.items()}


def probe(subject: Subject) -> dict[str, Any]:
    """What numbers and code become."""
    figures: dict[str, Any] = {"numbers": None, "number_kind": None, "operators": None}
    if subject.has_places:
        numbers = number_figures(subject)
        figures |= {"numbers": numbers, "number_kind": kind_of_numbers(numbers), "operators": operator_figures(subject)}
    figures["indentation"] = indentation_figures(subject)
    return figures


def rank_frequency(counts: Any) -> list[list[int]]:
    """Pairs of a rank and its count, at ranks that are even on a log scale."""
    falling = np.sort(counts[counts > 0])[::-1]
    return [[rank, int(falling[rank - 1])] for rank in zipf_ranks(len(falling))]
