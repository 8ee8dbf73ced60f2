"""Count the text of a training: a source and options -> a table of chunks, and the figures of reading."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing, nullcontext
from typing import Any, TypeAlias

from spm_lite.arguments import default_threads
from spm_lite.errors import OptionError
from spm_lite.files.documents import Block, CorpusFigures, Source, read_documents, split_block
from spm_lite.files.selection import Selection
from spm_lite.progress.meter import Reporter
from spm_lite.specs import BERT_RULES, TrainerSpec
from spm_lite.training.counts.chunk_counter import ChunkCounter
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.cut_rules import CutRules
from spm_lite.training.counts.spill import Spill, SpilledTable
from spm_lite.training.counts.table_rules import TableRules
from spm_lite.training.options.checks import Options, checked_int
from spm_lite.training.options.memory_limit import PHRASES, as_memory_limit, counting_share, table_budget
from spm_lite.training.options.meta_pieces import place_meta_pieces
from spm_lite.training.pretokenizer import Pretokenizer, check_pretokenizer

Phrases: TypeAlias = list[ChunkTable] | SpilledTable


class Counting:
    """Reads a source once, counts its chunks under the options of a training, and keeps the figures of reading."""

    def __init__(
        self,
        options: Options,
        num_threads: int = 1,
        progress: Reporter | None = None,
        reference_rules: bool = False,
        pretokenizer: Pretokenizer | None = None,
        memory_limit: int | str | None = None,
    ) -> None:
        """pretokenizer: only together with reference_rules. The other arguments are the same as of `train`."""
        self.spec: TrainerSpec = options.trainer
        self.options = options
        self.num_threads = num_threads
        self.progress = progress
        self.reference_rules = reference_rules
        self.pretokenizer = pretokenizer
        self.memory_limit = as_memory_limit(memory_limit)
        if reference_rules and memory_limit is not None:
            raise OptionError(
                "memory_limit and reference_rules=True: sentencepiece's rules need all text; give one of them",
                remedies=[{"memory_limit": None}, {"reference_rules": False}],
            )
        if pretokenizer is not None:
            check_pretokenizer(options.trainer)
        self.meta = place_meta_pieces(options.trainer if reference_rules else meta_spec(options.trainer))
        self.corpus = CorpusFigures()
        self.newline = "lf" if reference_rules else "auto"
        self.selection: Selection | None = None
        self.n_selected = 0
        self.line_figures: dict[str, int] = {}
        self.phrases: Phrases = []  # with superwords: tables of what the second stage learns from
        self.words: ChunkTable | None = None  # with superwords: the chunks of the phrases
        self.saved_figures: dict[str, Any] | None = None  # the figures of reading, from a checkpoint

    def count_text(self, source: Source, seed: int, is_for_learning: bool = False) -> ChunkTable:
        """The chunks of a corpus with their counts, as many as the memory limit allows."""
        weighted = source.reading.is_weighted
        self.newline = source.reading.newline
        rules = self.cut_rules()
        read = read_documents(source, self.corpus)
        blocks = self.selected((part.documents for part in read), weighted, seed)
        if self.pretokenizer is not None:
            blocks = self.pretokenizer.split_blocks(blocks, rules, weighted)
            rules = self.pretokenizer.cut_rules(self.spec)
        spill = self.new_spill(is_for_learning)
        with closing(read), spill or nullcontext():
            cutter = ChunkCounter(rules, self.num_threads, spill)
            for block in blocks:
                if isinstance(block, bytes):
                    cutter.add_block(block, weighted)
                else:
                    cutter.add_texts(split_block(block), weighted)
                if self.progress is not None:
                    self.progress("count", self.corpus.bytes_read, self.corpus.bytes_known)
            self.line_figures = cutter.figures()
            if self.spec.superwords is None or not is_for_learning:
                return cutter.finish()  # type: ignore[no-any-return]
            counted = cutter.finish(True)
        return self.words_of(counted if isinstance(counted, SpilledTable) else [counted], False)

    def words_of(self, phrases: Phrases, has_sources: bool) -> ChunkTable:
        """The chunks of phrases, which are kept for the second stage."""
        from spm_lite.training.counts.phrase_cutter import words_of

        self.phrases = phrases
        with self.new_spill(True, has_sources) or nullcontext() as spill:
            self.words = words_of(phrases, self.cut_rules(), has_sources, spill)
        return self.words

    def new_spill(self, is_for_learning: bool = False, has_origins: bool = False) -> Spill | None:
        """What takes full tables, for the final table of a count or of a training; None: memory is not limited.

        has_origins: the tables are of several sources.
        """
        if self.memory_limit is None:
            return None
        budget = table_budget(self.memory_limit, self.spec if is_for_learning else None, has_origins)
        share = counting_share(self.memory_limit) // (1 if self.spec.superwords is None else PHRASES)
        return Spill(share, budget, self.progress)

    def fit(self, counts: ChunkTable) -> ChunkTable:
        """The table; without the rarest chunks if learning from all of them would exceed the memory limit."""
        if self.memory_limit is None:
            return counts
        return counts.fitting(table_budget(self.memory_limit, self.spec, counts.has_origins))

    def what_was_left_out(self) -> str:
        """The end of an error message: why no line was usable, and what to do."""
        figures = self.line_figures
        if figures["too_long"]:
            limit = self.spec.max_sentence_length
            return f"empty or longer than max_sentence_length={limit} bytes: raise that, or give other text"
        return "empty, or nothing after normalization: give text that has some characters"

    def table_rules(self) -> TableRules:
        """The rules of tables counted under these options; tables must share them to be added or trained on."""
        texts = (piece.text for piece in self.meta.values())
        return TableRules.of(self.spec, self.options.normalizer, texts, self.newline)

    def notes(self) -> tuple[str, ...]:
        """What was noticed of the files: other formats, line ends, BOMs."""
        return self.corpus.notes.texts

    def cut_rules(self) -> CutRules:
        """The rules by which lines become chunks under the options."""
        normalizer = self.options.text_normalizer()
        texts = [piece.text for piece in self.meta.values()]
        is_bert = self.options.normalizer.name in BERT_RULES
        return CutRules(normalizer, self.spec, texts, self.reference_rules, is_bert=is_bert)

    def selected(self, blocks: Iterator[Block], weighted: bool, seed: int) -> Iterator[Block]:
        """The blocks unchanged; under a line limit, the chosen lines; else, with a pretokenizer, all usable lines."""
        if self.spec.input_sentence_size == 0 and self.pretokenizer is None:
            yield from blocks
            return
        self.selection = Selection(
            self.spec.input_sentence_size,
            self.spec.shuffle_input_sentence,
            seed,
            self.spec.max_sentence_length,
            self.reference_rules,
            weighted,
        )
        if self.spec.input_sentence_size == 0:
            chosen = self.selection.all_usable(blocks)
        else:
            chosen = iter([self.selection.select(blocks)])
        for lines in chosen:
            self.n_selected += len(lines)
            yield lines

    def sizes_as_given(self) -> dict[str, int]:
        """The size of the text that was used, in each unit of shares; a text counts as often as its line says."""
        return {unit: self.line_figures[f"{unit}_used"] for unit in ("bytes", "characters", "texts")}

    def add_figures(self, other: Counting) -> None:
        """Add the figures of reading another source of the same training."""
        mine = self.saved_figures or dict.fromkeys(other.reading_figures(), 0) | {"files": ()}
        theirs = other.reading_figures()
        self.saved_figures = {name: mine[name] + theirs[name] for name in theirs}
        self.corpus.notes.add_all(other.corpus.notes)

    def reading_figures(self) -> dict[str, Any]:
        """The figures of the report on the text that was read, by their names in TrainingReport."""
        if self.saved_figures is not None:
            return {**self.saved_figures, "files": tuple(self.saved_figures["files"])}
        lines, selection = self.line_figures, self.selection
        return {
            "files": tuple(self.corpus.files),
            "bytes_read": self.corpus.bytes_read,
            "lines_read": selection.read if selection else lines["read"],
            "lines_used": lines["read"] - lines["empty"] - lines["blank"] - lines["too_long"] - lines["marked"],
            "lines_empty": lines["empty"] + (selection.empty if selection else 0),
            "lines_blank": lines["blank"],
            "lines_too_long": lines["too_long"] + (selection.too_long if selection else 0),
            "lines_marked": lines["marked"] + (selection.marked if selection else 0),
            "lines_not_selected": selection.usable - self.n_selected if selection else 0,
            "lines_cut": self.corpus.cut_lines,
            "records_skipped": self.corpus.notes.bad.n,
            "ill_formed": lines["ill_formed"],
            "literal_space_marks": lines["space_marks"],
            "nuls": lines["nuls"],
            "bytes_used": lines["bytes_used"],
        }


def meta_spec(spec: TrainerSpec) -> TrainerSpec:
    """The spec for checking ids: with `use_all_vocab` its vocab_size is so large that it limits nothing."""
    return dataclasses.replace(spec, vocab_size=2**31 - 1) if spec.use_all_vocab else spec


def usable_threads(num_threads: int | None) -> int:
    """The number of threads to use; None: as many as `default_threads`. Raises OptionError if it is out of range."""
    if num_threads is None:
        return default_threads()
    return checked_int("num_threads", num_threads, "int or None")
