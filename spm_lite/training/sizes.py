"""One text learned at several vocabulary sizes: it is read once, and what the sizes share is learned once.

BPE and byte-level BPE: the largest model has the merges of all. Unigram: the sizes share their seeds. Other methods:
each size is learned by itself, from the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_int, as_iterable
from spm_lite.errors import OptionError
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import Reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.training.options.checks import checked_int
from spm_lite.training.run import Shares, check_call, open_one
from spm_lite.training.steps import Read, Training
from spm_lite.training.unigram.unigram_trainer import SharedSeeds, UnigramTrainer

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.trainer_interface import Trainer

MERGING = ("bpe", "byte_bpe")


class SizesTraining(Training):
    """A training on chunks that were counted before, and with seeds that a larger size found."""

    counts: ChunkTable | None = None  # with the figures of its sources in `source_figures`
    shared: SharedSeeds | None = None

    def count(self, source: Read, seed: int) -> ChunkTable:
        if self.counts is None:
            self.counts = super().count(source, seed)
        self.from_tables = True  # the table stays for the next size
        return self.counts

    def new_trainer(self) -> Trainer:
        trainer = super().new_trainer()
        if isinstance(trainer, UnigramTrainer):
            trainer.shared = self.shared
        return trainer


class SmallerModels(Mapping[int, "Tokenizer"]):
    """A BPE model by its sizes; the smaller ones are made when they are asked for."""

    def __init__(self, largest: Tokenizer, sizes: Sequence[int]) -> None:
        """sizes: in rising order; the last is that of `largest`. Raises OptionError for one that is too small."""
        self._largest = largest
        self._made = {sizes[-1]: largest, sizes[0]: largest.with_vocab_size(min(sizes[0], len(largest)))}
        self._sizes = sizes

    def __getitem__(self, size: int) -> Tokenizer:
        if size not in self._sizes:
            raise KeyError(size)
        if size not in self._made:
            self._made[size] = self._largest.with_vocab_size(min(size, len(self._largest)))
        return self._made[size]

    def __iter__(self) -> Iterator[int]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)


def as_sizes(sizes: Any) -> list[int]:
    """The sizes, largest first, each once. Raises OptionError if there is none or one is below 1."""
    found = [
        as_int(size, "a size") for size in as_iterable(sizes, "sizes", "a list of int, such as [4000, 8000]", False)
    ]
    if not found or min(found) < 1:
        raise OptionError(f"sizes={found}: give at least one vocabulary size of 1 or more")
    return sorted(set(found), reverse=True)


def train_sizes(
    source: Any,
    sizes: Sequence[int],
    *,
    files: Any = None,
    texts: Any = None,
    shares: Shares | None = None,
    reading: Reading | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    **options: Any,
) -> Mapping[int, Tokenizer]:
    """The Tokenizer of each size, the smallest first; each is what `train` gives with the same options."""
    if "vocab_size" in options or options.get("use_all_vocab"):
        raise OptionError("vocab_size and sizes both say how large models are: leave out vocab_size")
    wanted = as_sizes(sizes)
    arguments: dict[str, Any] = {**options, "seed": seed, "num_threads": num_threads, "memory_limit": memory_limit}
    given = reading or Reading()
    opened = open_one(source, files, texts, shares or Shares(), given)
    checked_seed = checked_int("seed", seed)
    reporter = as_reporter(progress)
    result: dict[int, Tokenizer] = {}
    counts, shared, figures = None, SharedSeeds(), ({}, "")  # type: ignore[var-annotated]
    with closing_bar(reporter):
        for size in wanted:
            run = sized(check_call(reading=given, is_small=True, vocab_size=size, **arguments), reporter)
            run.counts, run.shared = counts, shared
            run.source_figures, run.share_of = figures
            result[size] = run.tokenizer(run.learn(opened, checked_seed))
            log_notes(run.counting.corpus.notes.texts)  # the text is read once, for the first size
            counts, figures = run.counts, (run.source_figures, run.share_of)
            if run.spec.model_type in MERGING and not run.spec.auto_character_coverage:
                return SmallerModels(result[size], wanted[::-1])
    return dict(sorted(result.items()))


def sized(run: Training, reporter: Any) -> SizesTraining:
    """A copy of a training that takes counts and states from outside."""
    made = SizesTraining(run.options, run.num_threads, reporter, memory_limit=run.memory_limit)
    made.reading = run.reading
    made.check(True)
    return made
