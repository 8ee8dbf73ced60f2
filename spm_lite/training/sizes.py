"""One text learned at several vocabulary sizes: it is read once, and what the sizes share is learned once.

BPE and byte-level BPE: the largest model has the merges of all. Unigram: pruning goes on from the last round that two
sizes share. Other methods: each size is learned by itself, from the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_int, as_iterable
from spm_lite.corpora.bad_records import as_on_error
from spm_lite.corpora.documents import as_separator
from spm_lite.corpora.records import COLUMN
from spm_lite.errors import OptionError
from spm_lite.progress import Progress, as_reporter, shown
from spm_lite.specs import default_seeds
from spm_lite.trainers.unigram.fork import Fork
from spm_lite.trainers.unigram.unigram_trainer import UnigramTrainer
from spm_lite.training.counting import as_newline, column_of, is_weighted
from spm_lite.training.options.checks import checked_int
from spm_lite.training.run import as_source, check_call
from spm_lite.training.steps import Read, Training

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.corpora.corpus import Input
    from spm_lite.counts.chunk_table import ChunkTable
    from spm_lite.specs import TrainOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.trainers.trainer_interface import Trainer
    from spm_lite.training.count_table import Tables

MERGING = ("bpe", "byte_bpe")


class SizesTraining(Training):
    """A training on chunks that were counted before, which may begin with a state that a larger size left."""

    counts: ChunkTable | None = None
    fork: Fork | None = None

    def count(self, source: Read, weighted: bool, separator: bytes, seed: int) -> ChunkTable:
        if self.counts is None:
            self.counts = super().count(source, weighted, separator, seed)
        self.from_tables = True  # the table stays for the next size
        return self.counts

    def new_trainer(self) -> Trainer:
        trainer = super().new_trainer()
        if isinstance(trainer, UnigramTrainer):
            trainer.fork = self.fork
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
    source: Input | Tables,
    sizes: Sequence[int],
    *,
    input_format: str = "auto",
    column: str = COLUMN,
    newline: str = "auto",
    separator: str | bytes | None = "\n",
    keep_newlines: bool = False,
    paragraphs: bool = False,
    on_error: str = "raise",
    seed: int = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    **options: Unpack[TrainOptions],
) -> Mapping[int, Tokenizer]:
    """The Tokenizer of each size, the smallest first; options as in `train`, without vocab_size.

    Unigram models start from as many seeds as the largest size has by default, unless seed_sentencepiece_size is given.
    """
    if "vocab_size" in options:
        raise OptionError("vocab_size and sizes both say how large models are: leave out vocab_size")
    wanted = as_sizes(sizes)
    arguments: dict[str, Any] = {**options, "seed": seed, "num_threads": num_threads, "memory_limit": memory_limit}
    is_unigram = arguments.get("model_type", "unigram") == "unigram"
    if (
        is_unigram
        and not arguments.get("seed_sentencepiece_size")
        and default_seeds(wanted[0]) > default_seeds(wanted[-1])
    ):
        arguments["seed_sentencepiece_size"] = default_seeds(wanted[0])
    opened = as_source(source, column_of(input_format, column), as_newline(newline), as_on_error(on_error))
    documents = as_separator(separator, keep_newlines, paragraphs)
    weighted, checked_seed = is_weighted(input_format), checked_int("seed", seed)
    reporter = as_reporter(progress)
    result: dict[int, Tokenizer] = {}
    # With merges as seeds, each size has seeds of its own.
    is_forked = is_unigram and arguments.get("seed_source", "substrings") == "substrings"
    counts, fork = None, Fork() if is_forked else None
    with shown(reporter):
        for size in wanted:
            run = sized(check_call(input_format=input_format, is_small=True, vocab_size=size, **arguments), reporter)
            run.counts, run.fork = counts, fork
            result[size] = run.tokenizer(run.learn(opened, weighted, documents, checked_seed))
            counts = run.counts
            if run.spec.model_type in MERGING:
                return SmallerModels(result[size], wanted[::-1])
    return dict(sorted(result.items()))


def sized(run: Training, reporter: Any) -> SizesTraining:
    """The same training with counts and states from outside."""
    made = SizesTraining(run.options, run.num_threads, reporter, memory_limit=run.memory_limit)
    made.check(True)
    return made
