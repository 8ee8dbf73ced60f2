"""`sweep`: how large a vocabulary should be: one text learned at many sizes, and what each size gives and costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spm_lite.arguments import as_num_threads
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.errors import OptionError, TrainingError
from spm_lite.evaluation.cost import MODELS, operations_per_byte
from spm_lite.evaluation.size_advice import (
    GROUPS,
    PRICED,
    SEEN,
    cheapest_sentences,
    knee_of,
    knee_sentence,
    price_sentence,
    saved_interval,
    sizes_beyond,
)
from spm_lite.evaluation.vocabulary.examine import tokens_with_merges
from spm_lite.files.corpus import FILES, TEXTS, Files, open_source
from spm_lite.files.documents import CorpusFigures, n_bytes_of, read_documents, texts_of
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import as_reading, take_reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.training.balance.fairness_options import AskedFairness
from spm_lite.training.count_table import tables_of
from spm_lite.training.options.checks import refuse_misspelled
from spm_lite.training.options.other_names import by_name
from spm_lite.training.run import Shares, has_names, with_old_sources
from spm_lite.training.sizes import SmallerModels, train_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from spm_lite.evaluation.fair_figures import FairSweep
    from spm_lite.files.corpus import Input
    from spm_lite.files.documents import Block
    from spm_lite.specs import ModelType, TrainOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import Tables
    from spm_lite.training.weighted_sources import Weights


ARGUMENTS = {  # of `sweep` beside the options of `train` -> other names for it
    "sizes": "vocab_sizes", "held_out": "text dev eval test valid validation", "files": "", "texts": "",
}  # fmt: skip


@dataclass(frozen=True)
class SizeFigures:
    """What one vocabulary size gives on the texts, and costs.

    Attributes:
        size: the number of pieces.
        tokens: the number of ids of the texts.
        bytes_per_token: bytes of text for each id.
        tokens_saved: the share of the tokens of the next smaller size that this size saves; None: it is the smallest.
        tokens_saved_ci95: its 95 % interval over documents; None: there are too few of them.
        operations_per_byte: of a forward pass, by the size of the language model.
        embedding_share: the embeddings' share of the parameters of that model, with tied embeddings.
    """

    __module__ = "spm_lite"

    size: int
    tokens: int
    bytes_per_token: float
    tokens_saved: float | None
    operations_per_byte: dict[str, float]
    embedding_share: dict[str, float]
    tokens_saved_ci95: tuple[float, float] | None = None


class Sweep:
    """Tokenizers of several sizes, learned from one text, with figures for each. Made by `spm_lite.sweep`.

    `str(sweep)` is a table. `sweep[8000]` is the Tokenizer of that size, and `len(sweep)` the number of sizes.

    Attributes:
        tokenizers: the Tokenizer of each size.
        rows: the figures of each size, the smallest first: `size`, `tokens`, `bytes_per_token`, `tokens_saved`,
            `tokens_saved_ci95`, `operations_per_byte` and `embedding_share`.
    """

    __module__ = "spm_lite"

    def __init__(
        self, tokenizers: Mapping[int, Tokenizer], rows: Sequence[SizeFigures], *, is_seen: bool = False
    ) -> None:
        """is_seen: the texts of `rows` are those that were learned from."""
        self.tokenizers = tokenizers
        self.rows = list(rows)
        self._is_seen = is_seen

    def __getitem__(self, size: int) -> Tokenizer:
        try:
            return self.tokenizers[size]
        except KeyError:
            raise OptionError(f"size {size!r:.20}: the sizes are {', '.join(map(str, self.tokenizers))}") from None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def knee(self) -> int | None:
        """The size after which doubling saves at most two thirds of what it saved before; None: no such place is sure.

        Of several it is the clearest. Both savings count with the ends of their 95 % intervals that speak against it.
        """
        return knee_of(self.rows)

    @property
    def cheapest(self) -> dict[str, int]:
        """For each size of a language model, the vocabulary size with the fewest operations per byte of text."""
        return {
            model.name: min(self.rows, key=lambda row: row.operations_per_byte[model.name]).size for model in MODELS
        }

    @property
    def next_sizes(self) -> list[int]:
        """Sizes to try next, because a cheapest one is the largest or the smallest of all; [] if none is."""
        return sorted(size for sizes in self._beyond().values() for size in sizes)

    def _beyond(self) -> dict[int, list[int]]:
        smallest, largest = (self.tokenizers[self.rows[k].size] for k in (0, -1))
        fixed = sum(
            len(piece) < 2 or smallest.piece_type(i) not in ("normal", "user_defined")
            for piece, i in smallest.get_vocab().items()
        )
        return sizes_beyond(self.rows, [*self.cheapest.values()], fixed, len(largest))

    @property
    def reasons(self) -> list[str]:
        """The knee, the cheapest sizes, and the price of one size more or less, in sentences."""
        cheapest = self.cheapest
        found = [knee_sentence(self.rows), *cheapest_sentences(self.rows, cheapest, self._beyond())]
        found.append(price_sentence(self.rows, cheapest[PRICED.name]))
        return [one for one in [*found, SEEN if self._is_seen else ""] if one]

    def to_dict(self) -> dict[str, Any]:
        """The figures in types that JSON has.

        Returns:
            A dict with "sizes" (a list of dicts, one for each row), "knee", "cheapest" and "next_sizes".

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(300)]
        >>> found = spm_lite.sweep(lines, [285, 290, 300], model_type="bpe")
        >>> list(found.to_dict())
        ['sizes', 'knee', 'cheapest', 'next_sizes']
        """
        return {
            "sizes": [asdict(row) for row in self.rows],
            "knee": self.knee,
            "cheapest": self.cheapest,
            "next_sizes": self.next_sizes,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headers and cells that `str(sweep)` shows.

        Returns:
            Headers, and a list of rows.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(300)]
        >>> found = spm_lite.sweep(lines, [285, 290, 300], model_type="bpe")
        >>> headers, rows = found.table()
        >>> headers[0], [cells[0] for cells in rows]
        ('pieces', ['285', '290', '300'])
        """
        headers = ["pieces", "tokens", "bytes/token", "saved", *(f"cost, {model.name}" for model in MODELS)]
        least = {model.name: min(row.operations_per_byte[model.name] for row in self.rows) for model in MODELS}
        cells = []
        for row in self.rows:
            costs = [f"{row.operations_per_byte[model.name] / least[model.name]:.2f}" for model in MODELS]
            saved = "" if row.tokens_saved is None else f"{row.tokens_saved:.1%}"
            cells.append([f"{row.size:,}", f"{row.tokens:,}", f"{row.bytes_per_token:.3f}", saved, *costs])
        return headers, cells

    def __str__(self) -> str:
        headers, cells = self.table()
        widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [headers, *cells]
        ]
        return "\n".join(
            [*lines, "cost: operations per byte of a language model, relative to the lowest", *self.reasons]
        )

    def __repr__(self) -> str:
        return f"<Sweep over {', '.join(f'{row.size:,}' for row in self.rows)} pieces>"

    def _repr_html_(self) -> str:
        from spm_lite.cards import card, table

        return card("Vocabulary sizes", [], table(*self.table(), left=0) + "<br>".join(self.reasons))


@overload
def sweep(
    source: Input | Tables | Mapping[str, Input | Tables] | None = None,
    sizes: Sequence[int] = (),
    *,
    model_type: ModelType = "unigram",
    weights: Weights | None = None,
    temperature: float | None = None,
    share_of: str = "bytes",
    balance: None = None,
    parallel: None = None,
    files: Files | Mapping[str, Files] | None = None,
    texts: Input | Mapping[str, Input] | None = None,
    held_out: Input | None = None,
    num_threads: int | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    **options: Unpack[TrainOptions],
) -> Sweep: ...


@overload
def sweep(
    source: Mapping[str, Input | Tables] | None = None,
    sizes: Sequence[int] = (),
    *,
    model_type: ModelType = "unigram",
    share_of: str = "bytes",
    balance: Literal["tokens", "parity"] | Sequence[Literal["tokens", "parity"]],
    parallel: Mapping[str, Input],
    files: Mapping[str, Files] | None = None,
    texts: Mapping[str, Input] | None = None,
    held_out: Mapping[str, Input] | None = None,
    num_threads: int | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    **options: Unpack[TrainOptions],
) -> FairSweep: ...


@by_name(2, "sweep(source, [4000, 8000], model_type='bpe')")
def sweep(
    source: Input | Tables | Mapping[str, Input | Tables] | None = None,
    sizes: Sequence[int] = (),
    *,
    model_type: ModelType = "unigram",
    weights: Weights | None = None,
    temperature: float | None = None,
    share_of: str = "bytes",
    balance: Literal["tokens", "parity"] | Sequence[Literal["tokens", "parity"]] | None = None,
    parallel: Mapping[str, Input] | None = None,
    files: Files | Mapping[str, Files] | None = None,
    texts: Input | Mapping[str, Input] | None = None,
    held_out: Input | Mapping[str, Input] | None = None,
    num_threads: int | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    **options: Unpack[TrainOptions],
) -> Sweep | FairSweep:
    """Learn tokenizers of several sizes from one text, and tell what each size gives and costs, as a Sweep.

    The text is read once. BPE is learned once, at the largest size. The sizes of Unigram share their seeds. Each
    tokenizer equals that of `train` with its size.

    With `balance`, the sweep compares ways to vocabularies that are fair to several sources, and gives a FairSweep.
    Each way is trained at each size. The text is counted once.

    Args:
        source: the text to learn from, as the `input` of `train`; a dict of inputs by name is several sources.
        sizes: vocabulary sizes, in pieces.
        model_type: as in `train`.
        weights, temperature, share_of: the shares of several sources, as in `train`.
        balance: "tokens" for all trainings of the loop over weights, "parity" for parity with several options, or a
            list of both; both are explained in `train`. None: a plain sweep.
        parallel: with balance, dev texts by the names of the sources; line i says the same in all of them.
        files, texts: the text to learn from in place of `source`, where the caller says which it is, as in `train`.
        held_out: texts to count tokens on, as the `input` of `train`; better ones that are not in the text to learn
            from. None: that text itself, each source once, which must then be readable twice. With balance, a dict of
            parallel texts by language; None: the dev texts, which flatter ways that are fitted closely to them.
        num_threads, progress, options: as in `train`. The options of reading hold for `held_out` too.
    Returns:
        A Sweep: `rows`, `knee`, `cheapest`, and the Tokenizer of each size. With balance a FairSweep: `rows`, and the
        best way for each price.
    Raises:
        OptionError: no size, or an option that `train` refuses.
        TrainingError: a size that the text does not allow, or no text.

    >>> import spm_lite
    >>> lines = [f"line {n} of a small text" for n in range(300)]
    >>> found = spm_lite.sweep(lines, [285, 290, 300], model_type="bpe")
    >>> [row.size for row in found.rows], found[290].vocab_size
    ([285, 290, 300], 290)
    """
    source = with_old_sources(source, options)
    refuse_misspelled(options, ARGUMENTS)
    if balance is not None or parallel is not None:
        return balanced(
            source, sizes, balance, Shares(weights, temperature, share_of, AskedFairness(parallel=parallel)), held_out,
            options, files=files, texts=texts, model_type=model_type, num_threads=num_threads, progress=progress,
        )  # fmt: skip
    if source is not None and texts is not None:
        raise OptionError("source and texts both name text to learn from: give texts to count tokens on as held_out")
    kind, one = (FILES, files) if files is not None else (TEXTS, texts) if texts is not None else ("", source)
    given = [*one.values()] if has_names(one) else [] if one is None else [one]  # type: ignore[union-attr]
    if held_out is None and not all(map(is_readable_twice, given)):
        raise OptionError(
            "the text can be read only once, or is a count table: give texts to count tokens on as held_out"
        )
    reading = as_reading(take_reading(options))  # type: ignore[arg-type]
    if reading.is_weighted:
        raise OptionError(
            "input_format='tsv' has a count in each line, and a sweep counts tokens of texts: pass a CountTable, and "
            "texts as held_out",
            remedies=[{"input_format": "auto"}],
        )
    tokenizers = train_sizes(
        source,
        sizes,
        files=files,
        texts=texts,
        shares=Shares(weights, temperature, share_of),
        reading=reading,
        model_type=model_type,
        num_threads=num_threads,
        progress=progress,
        **options,
    )
    counter = TokenCounter(tokenizers, as_num_threads(num_threads))
    reporter = as_reporter(progress)
    with closing_bar(reporter):
        for counted in given if held_out is None else [held_out]:
            figures = CorpusFigures()
            opened = open_source(counted, reading, kind if held_out is None else "")  # type: ignore[arg-type]
            with closing(read_documents(opened, figures)) as parts:
                for part in parts:
                    counter.add(part.documents)
                    if reporter is not None:
                        reporter("encode", figures.bytes_read, figures.bytes_known)
            if held_out is not None:  # the notes on the others were logged when they were counted
                log_notes(figures.notes.texts)
    return Sweep(tokenizers, rows_of(counter.tokens(), counter.n_bytes), is_seen=held_out is None)


def balanced(
    source: Any, sizes: Any, balance: Any, shares: Shares, held_out: Any, options: Any, **arguments: Any
) -> FairSweep:
    """The FairSweep of a call of `sweep`. Raises OptionError for arguments that exclude each other."""
    from spm_lite.evaluation.fair_trainings import fair_sweep

    if balance is None:
        raise OptionError(
            "parallel says what fair trainings are measured on: give balance='tokens' too, or leave parallel out",
            remedies=[{"balance": "tokens"}, {"parallel": None}],
        )
    reading = as_reading(take_reading(options))
    return fair_sweep(source, sizes, balance, shares, held_out, reading=reading, **arguments, **options)


def is_readable_twice(source: Any) -> bool:
    """Whether a source gives its texts again: it is a path or a collection of texts."""
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        return True
    return hasattr(source, "__len__") and not hasattr(source, "__next__") and tables_of(source) is None


class TokenCounter:
    """Counts the tokens of texts for each size: of BPE from one encoding, of other methods by each tokenizer."""

    def __init__(self, tokenizers: Mapping[int, Tokenizer], threads: int) -> None:
        self.tokenizers = tokenizers
        self.threads = threads
        self.n_bytes = 0
        self.largest = max(tokenizers)
        self.is_merging = isinstance(tokenizers, SmallerModels)  # one BPE model holds all
        self.encoded = [self.largest] if self.is_merging else [*tokenizers]
        self.n_documents = 0
        # For each group of documents the tokens of each id; where each size is encoded, only how many there are.
        widths = {size: len(tokenizers[size]) if self.is_merging else 1 for size in self.encoded}
        self.counts = {size: np.zeros((GROUPS, width), np.int64) for size, width in widths.items()}

    def add(self, block: Block) -> None:
        """Encode the texts of a block. Document i of all is in group i modulo GROUPS."""
        texts = texts_of(block)
        groups = np.arange(self.n_documents, self.n_documents + len(texts)) % GROUPS
        for size in self.encoded:
            ids, offsets = encode_batch(self.tokenizers[size]._encoder, texts, self.threads, -1, -1)
            cells = np.repeat(groups, np.diff(np.asarray(offsets)))
            counts = self.counts[size]
            if self.is_merging:
                cells = cells * counts.shape[1] + np.asarray(ids)
            counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
        self.n_documents += len(texts)
        self.n_bytes += n_bytes_of(block)

    def tokens(self) -> dict[int, NDArray[np.int64]]:
        """The number of tokens of each group for each size. Raises TrainingError if there is no text."""
        if not self.counts[self.largest].any():
            raise TrainingError("there is no text to count tokens on: give texts that have some characters")
        if not self.is_merging:
            return {size: counts[:, 0] for size, counts in self.counts.items()}
        trees = MergeTrees(self.tokenizers[self.largest]._file.vocab)
        n_others = len(self.tokenizers[self.largest]) - len(trees.ids_by_rank())
        merges = {size: min(size, len(self.tokenizers[self.largest])) - n_others for size in self.tokenizers}
        found = [tokens_with_merges(trees, counts, [*merges.values()]) for counts in self.counts[self.largest]]
        return {size: np.array([group[merges[size]] for group in found]) for size in self.tokenizers}


def rows_of(tokens: Mapping[int, NDArray[np.int64]], n_bytes: int) -> list[SizeFigures]:
    """A row for each vocabulary size; tokens: size -> tokens of each group of a text, which has `n_bytes`."""
    rows: list[SizeFigures] = []
    smaller = None
    for size, of_groups in tokens.items():
        n_tokens = int(of_groups.sum())
        rate = n_bytes / n_tokens
        rows.append(
            SizeFigures(
                size,
                n_tokens,
                rate,
                1 - n_tokens / rows[-1].tokens if rows else None,
                {model.name: operations_per_byte(size, rate, model) for model in MODELS},
                {model.name: size * model.width / (model.parameters + size * model.width) for model in MODELS},
                None if smaller is None else saved_interval(smaller, of_groups),
            )
        )
        smaller = of_groups
    return rows
