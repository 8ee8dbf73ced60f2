"""One training, step by step: counting, the alphabet, learning, the model file and the report."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.documents import Source, check_separator
from spm_lite.files.read_options import LINE_END, Reading
from spm_lite.kinds import BYTE_LEVEL, NORMAL, USER_DEFINED
from spm_lite.progress.meter import Reporter
from spm_lite.specs import PARITY, AddedToken, TrainerSpec
from spm_lite.training.alphabet import choose_alphabet, rare_characters, required_characters
from spm_lite.training.assemble import assemble
from spm_lite.training.checkpoint import Checkpoint, describe_source, identity_of
from spm_lite.training.count_table import CountTable, add_tables
from spm_lite.training.counting import Counting
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.table_rules import check_same
from spm_lite.training.options.checks import Options
from spm_lite.training.options.families import check_no_reference, with_last_ids
from spm_lite.training.options.memory_limit import check_least
from spm_lite.training.options.meta_pieces import check_distinct
from spm_lite.training.pretokenizer import Pretokenizer
from spm_lite.training.report import LINE_FIGURES, TrainingReport
from spm_lite.training.room import (
    characters_in,
    check_not_empty,
    check_room,
    check_room_for_any_text,
    holds_alphabet,
)
from spm_lite.training.trainer_interface import Alphabet, Trainer, trainer_for
from spm_lite.training.weighted_sources import CountedSources, Keep, SourceFigures, Sources, added, kept_tables

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

DIGEST_STEP = 1 << 20  # chunks, or bytes, hashed at once
MAX_TABLE_WEIGHT = 2**60  # most bytes of text that a table may hold the counts of: keeps sums of trainers below 2^64


Read: TypeAlias = Source | Sources | list[CountTable]  # what a training reads


class Training:
    """One training, step by step; keeps the figures of its report."""

    def __init__(
        self,
        options: Options,
        num_threads: int = 1,
        progress: Reporter | None = None,
        reference_rules: bool = False,
        pretokenizer: Pretokenizer | None = None,
        n_lanes: int = 16,
        seed_file: str = "",
        memory_limit: int | str | None = None,
    ) -> None:
        """pretokenizer, n_lanes, seed_file: only together with reference_rules; the last two for Unigram.

        n_lanes: the original's num_threads, on which the sums of its Unigram training depend.
        The other arguments are the same as of `train`.
        """
        self.counting = Counting(options, num_threads, progress, reference_rules, pretokenizer, memory_limit)
        self.spec: TrainerSpec = options.trainer
        self.options = options
        self.num_threads = num_threads
        self.progress = progress
        self.reference_rules = reference_rules
        self.n_lanes = n_lanes
        self.seed_file = seed_file
        self.memory_limit = self.counting.memory_limit
        self.meta = self.counting.meta
        self.seconds: dict[str, float] = {}
        self.peaks: dict[str, int] = {}
        self.table_figures = (0, 0)
        self.from_tables = False
        self.checkpoint: Checkpoint | None = None
        self.left_out_figures = (0, 0, 0.0)
        self.source_figures: dict[str, SourceFigures] = {}
        self.alphabet = ""
        self.n_outside = 0
        self.data_digest = ""
        self.origins: dict[str, int] = {}
        self.rare: list[int] = []  # for each piece that is rare, the bit set of its sources
        self.share_of = ""
        self.trainer: Trainer | None = None  # learns the pieces; None: a new one of the model type
        self.counted: CountedSources | None = None  # sources that were counted before, for several trainings
        self.figures: dict[str, Any] = {}
        self.n_superwords = 0  # pieces of the second stage
        self.reading = Reading()  # what the call says of reading, for count tables that no longer have lines

    def check(self, is_small: bool) -> None:
        """Raise OptionError for what is wrong whatever the text is.

        is_small: the text is read in no time. Then a later step looks whether the alphabet fits into vocab_size. That
        step knows all characters, so its error names the smallest size that works.
        """
        check_no_reference(self.spec, self.reference_rules)
        required_characters(self.spec, self.reference_rules)
        check_distinct(self.meta, self.spec, self.reference_rules)
        check_least(self.memory_limit, self.spec)
        if not (is_small and holds_alphabet(self.spec)):
            check_room_for_any_text(self.spec, self.options.must_be_lossless, self.reference_rules)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time and the peak memory of one phase."""
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
        peak = peak_memory()
        if peak is not None:
            self.peaks[name] = peak

    def learn(self, source: Read, seed: int = 0) -> list[tuple[str, float, int]]:
        """Count, choose the alphabet and learn: (text, score, type) of every piece of the model, in id order."""
        if self.progress is not None:
            self.progress("count", 0, 0)
        with self.phase("count"):
            counts = self.count_once(source, seed)
            self.note_table(counts)
            self.data_digest = digest_of(counts)
            # What is learned does not depend on a common factor of all counts; nor does it on the rounding of scores.
            divisor = 1 if self.reference_rules else counts.common_divisor()
            if divisor > 1:
                counts = counts.divided(divisor)
        if self.progress is not None:
            self.progress("alphabet", 0, 0)
        with self.phase("alphabet"):
            alphabet = self.chosen_alphabet(counts)
            in_bytes = self.spec.model_type == "byte_bpe"
            self.alphabet = "" if in_bytes else "".join(character for character, _ in alphabet.items())
            rare: dict[str | bytes, tuple[int, int]] = {}
            if not in_bytes:
                rare_alone, self.n_outside = rare_characters(counts, alphabet)
                # The WordPiece trainer finds them itself: there, a character is one piece or two.
                if self.spec.model_type != "wordpiece" and not self.reference_rules:
                    rare.update(rare_alone)
            if not self.reference_rules:
                check_not_empty(alphabet, self.spec)
            check_room(
                self.spec,
                characters_in(counts, self.spec, self.reference_rules),
                must_be_lossless=self.options.must_be_lossless,
                reference_rules=self.reference_rules,
                is_counted=self.from_tables,
            )
        with self.phase("learn"):
            trainer = self.trainer or self.new_trainer()
            trainer.checkpoint = self.checkpoint
            trainer.owns_counts = not self.from_tables and self.spec.superwords is None
            n_pieces = self.spec.vocab_size - len(self.meta)
            learned = trainer.learn(
                counts,
                alphabet,
                self.spec,
                n_pieces,
                num_threads=self.num_threads,
                progress=self.progress,
                reference_rules=self.reference_rules,
            )
            self.figures = trainer.figures
            if not self.reference_rules:
                rare |= trainer.rare
        if self.spec.split_pattern and not in_bytes:
            from spm_lite.training.options.local_patterns import check_whole

            check_whole([text for text, _ in learned], self.spec)
        pieces = assemble(self.meta, learned, self.spec, self.reference_rules)
        n_characters = sum(text in alphabet for text, _, kind in pieces if kind == NORMAL and len(text) == 1)
        n_meta = sum(kind != NORMAL for _, _, kind in pieces)
        unit = "bytes" if in_bytes else "characters"
        self.origins = {"meta": n_meta, unit: n_characters, "learned": len(pieces) - n_meta - n_characters}
        self.rare = [rare[text][1] for text, _, kind in pieces if kind == NORMAL and text in rare]
        return pieces

    def open_checkpoint(self, folder: Any, source: Read, seed: int) -> Checkpoint:
        """Save and continue from states in a folder. The other arguments are the same as of `learn`."""
        if self.reference_rules:
            raise OptionError(
                "checkpoint and reference_rules=True: such a training cannot be resumed; give one of them",
                remedies=[{"checkpoint": None}, {"reference_rules": False}],
            )
        if isinstance(source, Sources):
            if source.fairness is not None and source.fairness.method == PARITY:
                return self.open_parity_checkpoint(folder, source, seed)
            raise OptionError(
                "checkpoint and several sources: count each source and save its table, and train on the tables without "
                "a checkpoint",
                remedies=[{"checkpoint": None}],
            )
        if isinstance(source, list):
            raise OptionError(
                "checkpoint and a count table: save the table, and train on it without a checkpoint",
                remedies=[{"checkpoint": None}],
            )
        if self.spec.superwords is not None:
            raise OptionError(
                "checkpoint and superwords: the second stage cannot be resumed; give one of them",
                remedies=[{"checkpoint": None}, {"superwords": None}],
            )
        check_separator(source)
        call = {"seed": seed, "memory_limit": self.memory_limit, **source.reading.identity()}
        self.checkpoint = Checkpoint(folder, identity_of(self.spec, self.options.normalizer, call, source))
        return self.checkpoint

    def open_parity_checkpoint(self, folder: Any, sources: Sources, seed: int) -> Checkpoint:
        """As `open_checkpoint`, for a training for parity, which saves its merges alone; the text is counted again."""
        assert sources.fairness is not None
        inputs = {**sources.inputs, **{f"parallel {name}": text for name, text in sources.fairness.texts.items()}}
        described = {}
        for name, source in inputs.items():
            if isinstance(source, list):
                described[name] = [digest_of(table.chunks) for table in source]
            else:
                check_separator(source)
                described[name] = describe_source(source)
        asked = dataclasses.replace(sources.fairness, texts={})
        call = {"seed": seed, **self.reading.identity(), **dataclasses.asdict(asked), "the inputs": described}
        self.checkpoint = Checkpoint(folder, identity_of(self.spec, self.options.normalizer, call, None))
        return self.checkpoint

    def count_once(self, source: Read, seed: int) -> ChunkTable:
        """The chunks to learn from; taken from the checkpoint if it has them."""
        if self.checkpoint is None or self.counted is not None:
            return self.count(source, seed)
        counts, self.counting.saved_figures = self.checkpoint.counts(
            lambda: self.count(source, seed),
            self.counting.table_rules(),
            self.counting.reading_figures,
        )
        return counts

    def chosen_alphabet(self, counts: ChunkTable) -> Alphabet:
        """The characters of all pieces."""
        return choose_alphabet(counts, self.spec, self.reference_rules)

    def new_trainer(self) -> Trainer:
        """The trainer of this model type; for the original's Unigram, with its n_lanes and seed_file set."""
        trainer = trainer_for(self.spec.model_type, self.reference_rules)
        if self.reference_rules and self.spec.model_type == "unigram":
            from spm_lite.training.reference.reference_trainer import ReferenceUnigramTrainer

            assert isinstance(trainer, ReferenceUnigramTrainer)
            trainer.n_lanes, trainer.seed_file = self.n_lanes, self.seed_file
        return trainer

    def count(self, source: Read, seed: int) -> ChunkTable:
        """The chunks to learn from, counted or taken from tables. Raises TrainingError if there are none."""
        if isinstance(source, Sources):
            counts = self.count_sources(source, seed)
        elif isinstance(source, list):
            counts = self.take_tables(source)
        else:
            counts = self.counting.count_text(source, seed, is_for_learning=True)
            check_has_text(counts, self.counting, "the corpus")
        if self.counting.spec.superwords is not None and isinstance(source, Sources | list):
            counts = self.counting.words_of([counts], isinstance(source, Sources))
        counts = self.counting.fit(counts)
        if len(counts) == 0:
            raise TrainingError(
                f"memory_limit={self.memory_limit} leaves no room for the text, whose chunks are too long: raise it",
                remedies=[{"memory_limit": None}],
            )
        return counts

    def count_sources(self, sources: Sources, seed: int) -> ChunkTable:
        """The chunks of several sources, each multiplied by the factor of its source."""
        if self.reference_rules:
            raise OptionError(
                "several sources and reference_rules=True: sentencepiece's rules read one text; give one of them",
                remedies=[{"reference_rules": False}],
            )
        if self.spec.superwords is not None and self.memory_limit is not None:
            raise OptionError(
                "memory_limit and superwords of several sources: the phrases of all are held in memory. Leave "
                "memory_limit out, or give one source",
                remedies=[{"memory_limit": None}, {"superwords": None}],
            )
        if self.counted is not None:
            return self.weigh(self.counted, sources, self.counted.loads.__getitem__)
        with kept_tables(self.memory_limit is not None) as keep:
            counted = self.counted_sources(sources, seed, keep)
            return self.weigh(counted, sources, counted.loads.pop)

    def take_counted(self, other: Training) -> None:
        """Learn from the sources that another training has counted."""
        self.counted, self.counting, self.from_tables = other.counted, other.counting, other.from_tables

    def counted_sources(self, sources: Sources, seed: int, keep: Keep) -> CountedSources:
        """The table and the figures of each source, before weights. keep: of `kept_tables`."""
        rules = self.counting.table_rules()
        found = CountedSources({}, {}, {}, {})
        for name, source in sources.inputs.items():
            one = Counting(self.options, self.num_threads, self.progress, memory_limit=self.memory_limit)
            if isinstance(source, list):
                counts = self.take_tables(source)
                given = sizes_of_table(counts, rules.cut != "bytes")
            else:
                counts = one.count_text(source, seed)
                check_has_text(counts, one, f"the source {name!r:.60}")
                self.counting.add_figures(one)
                given = one.sizes_as_given()
            if sources.share_of not in given:
                raise OptionError(
                    f"share_of={sources.share_of!r} and the source {name!r:.60}: a count table no longer has texts",
                    remedies=[{"share_of": "bytes"}, {"share_of": "characters"}],
                )
            found.sizes[name] = given
            found.n_bytes[name] = counts.text_weight + (counts.left_out.n_bytes if counts.left_out else 0)
            n_lines = 0 if isinstance(source, list) else one.reading_figures()["lines_used"]
            found.figures[name] = (tuple(one.corpus.files), one.corpus.bytes_read, n_lines, given["bytes"])
            found.loads[name] = keep(counts, rules)
            del counts
        self.from_tables = any(isinstance(source, list) for source in sources.inputs.values())
        return found

    def weigh(
        self, counted: CountedSources, sources: Sources, load: Callable[[str], Callable[[], ChunkTable]]
    ) -> ChunkTable:
        """The sum of the tables, each multiplied by the factor of its source. load: gives what loads a table."""
        sizes = {name: given[sources.share_of] for name, given in counted.sizes.items()}
        factors, asked = sources.factors(sizes), sources.asked(sizes)
        check_weight(sum(counted.n_bytes[name] * factors[name] for name in sizes))
        weighed = (load(name)().weighted(factors[name], i) for i, name in enumerate(sizes))
        counts = added(weighed, self.counting.new_spill(is_for_learning=True, has_origins=True))
        total = sum(sizes[name] * factors[name] for name in sizes)
        self.source_figures = {
            name: SourceFigures(
                *counted.figures[name],
                factor=factors[name],
                asked=None if asked is None else float(asked[name]),
                share=sizes[name] * factors[name] / total,
            )
            for name in sizes
        }
        self.share_of = sources.share_of
        return counts

    def note_table(self, counts: ChunkTable) -> None:
        """Keep the figures of the report on the chunks."""
        self.table_figures = (len(counts), counts.text_bytes)
        if counts.left_out is not None:
            n_bytes = counts.left_out.n_bytes
            share = n_bytes / (counts.text_weight + n_bytes)
            self.left_out_figures = (counts.left_out.n_chunks, n_bytes, share)

    def take_tables(self, tables: list[CountTable]) -> ChunkTable:
        """The chunks of count tables, added up. Raises OptionError if an option contradicts how they were counted."""
        table = add_tables(tables)
        own = dataclasses.replace(self.counting.table_rules(), newline=table.rules.newline)  # it has no lines any more
        check_same(own, table.rules, "this training", "the count table")
        asked: dict[str, tuple[bool, dict[str, Any]]] = {
            "input_format='tsv'": (self.reading.is_weighted, {"input_format": "text"}),
            "separator or paragraphs=True": (
                self.reading.separator != LINE_END,
                {"separator": "\n", "paragraphs": False},
            ),
            "input_sentence_size": (self.spec.input_sentence_size > 0, {"input_sentence_size": 0}),
            "max_sentence_length": (self.spec.max_sentence_length is not None, {"max_sentence_length": None}),
            "reference_rules=True": (self.reference_rules, {"reference_rules": False}),
        }
        for name, (is_asked, without) in asked.items():
            if is_asked:
                raise OptionError(
                    f"{name} and a count table: it no longer has lines; give it to CountTable.count",
                    remedies=[without],
                )
        if len(table) == 0 and table.chunks_left_out:
            raise TrainingError("a memory_limit left out all chunks of the count table: count with a higher one")
        if len(table) == 0:
            raise TrainingError("the count table is empty: count a text that has some characters")
        counts = table.chunks
        check_weight(counts.text_weight + table.bytes_left_out)
        self.from_tables = True
        return counts

    def tokenizer(self, pieces: list[tuple[str, float, int]]) -> Tokenizer:
        """The Tokenizer of the pieces that `learn` gave, with its report."""
        # Imported here, so that importing this module loads neither.
        from spm_lite.formats.split_patterns import named_or_given
        from spm_lite.tokenizer.tokenizer import Tokenizer
        from spm_lite.vocab.model_writer import write_model

        with self.phase("write"):
            trainer = dataclasses.replace(self.spec, vocab_size=len(pieces))
            if trainer.model_type in BYTE_LEVEL:  # with fewer pieces than wanted, the special ones stand elsewhere
                trainer = with_last_ids(trainer, len(pieces))
            options = self.options
            cuts_texts = bool(trainer.split_pattern) and trainer.model_type in BYTE_LEVEL
            pattern = named_or_given(trainer.split_pattern) if cuts_texts else None
            known, splits = (pattern, ()) if isinstance(pattern, str) else (None, pattern or ())
            # in a text that a pattern cuts, they are found before
            added = [AddedToken(i) for i, (_, _, kind) in enumerate(pieces) if kind == USER_DEFINED and pattern]
            data = write_model(
                pieces, trainer, options.normalizer, options.denormalizer, trainer.lossless, split_pattern=known,
                splits=splits, added_tokens=added,
            )  # fmt: skip
        return Tokenizer._from_bytes(data, "the trained model", self.report(len(pieces), data))

    def report(self, n_pieces: int, data: bytes) -> TrainingReport:
        """The report of this training, after `learn`. data: the bytes of the model file."""
        return TrainingReport(
            model_type=self.spec.model_type,
            vocab_size=n_pieces,
            meta_pieces=len(self.meta),
            alphabet=self.alphabet,
            pieces_by_origin=dict(self.origins),
            lossless=self.spec.lossless,
            byte_fallback=self.spec.byte_fallback,
            notes=self.options.notes + self.counting.notes(),
            **(self.counting.reading_figures() if not self.from_tables else dict.fromkeys(LINE_FIGURES)),
            distinct_chunks=self.table_figures[0],
            chunk_bytes=self.table_figures[1],
            chunks_left_out=self.left_out_figures[0],
            bytes_left_out=self.left_out_figures[1],
            share_left_out=self.left_out_figures[2],
            characters_outside=self.n_outside,
            seconds=dict(self.seconds),
            peak_memory=peak_memory(),
            peak_memory_after=dict(self.peaks),
            num_threads=self.num_threads,
            figures=dict(self.figures),
            data_digest=self.data_digest,
            digest=hashlib.sha256(data).hexdigest(),
            sources=dict(self.source_figures),
            share_of=self.share_of,
            rare_pieces=len(self.rare),
            rare_by_source=by_source(self.rare, list(self.source_figures)),
        )


def sizes_of_table(counts: ChunkTable, has_marks: bool) -> dict[str, int]:
    """The size of the text of a count table, in the units that it knows."""
    n_bytes, n_characters = counts.given_sizes(has_marks)
    return {"bytes": n_bytes, "characters": n_characters}


def by_source(rare: list[int], names: list[str]) -> dict[str, int]:
    """How many rare pieces come from each source; a piece of several counts for each. rare: bit sets of sources."""
    last = 63  # the bit that all further sources share
    titles = [*names[:last], "other sources"] if len(names) > last + 1 else names
    found = {title: sum(bits >> i & 1 for bits in rare) for i, title in enumerate(titles)}
    return {title: n for title, n in found.items() if n}


def check_weight(n_bytes: int) -> None:
    """Raise TrainingError for counts that are too large for the sums of trainers. n_bytes: of the text in them."""
    if n_bytes > MAX_TABLE_WEIGHT:
        raise TrainingError(
            f"the counts stand for {n_bytes} bytes of text, more than 2^60: divide them all by the same number"
        )


def check_has_text(counts: ChunkTable, counting: Counting, name: str) -> None:
    """Raise TrainingError if a text had no chunks. name: of the text, for the message."""
    if len(counts) == 0 and counts.left_out is None:
        raise TrainingError(
            f"{name} has no text to learn from: {counting.corpus.bytes_read} bytes were read, and every line was "
            f"{counting.what_was_left_out()}",
            remedies=[{"max_sentence_length": None}] if counting.line_figures["too_long"] else [],
        )


def digest_of(counts: ChunkTable) -> str:
    """The SHA-256 of all chunks and their counts; it does not depend on the order of texts, nor on files."""
    digest = hashlib.sha256()
    for block, size in ((counts.numbers_block, len(counts)), (counts.texts_block, counts.text_bytes)):
        for begin in range(0, size, DIGEST_STEP):
            digest.update(block(begin, begin + DIGEST_STEP))
    return digest.hexdigest()


def peak_memory() -> int | None:
    """The peak memory of this process so far, in bytes; None if the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
