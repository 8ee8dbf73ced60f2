"""`sweep`: how large a vocabulary should be: one text learned at many sizes, and what each size gives and costs."""

from __future__ import annotations

import math
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
from spm_lite.evaluation.report.summaries import number
from spm_lite.evaluation.vocabulary.examine import tokens_with_merges
from spm_lite.files.corpus import FILES, TEXTS, Files, open_source
from spm_lite.files.documents import CorpusFigures, n_bytes_of, read_documents, texts_of
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import as_reading, take_reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.training.count_table import tables_of
from spm_lite.training.options.other_names import by_name
from spm_lite.training.run import Shares, has_names, with_old_sources
from spm_lite.training.sizes import SmallerModels, train_sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.evaluation.fair_figures import FairSweep
    from spm_lite.files.corpus import Input
    from spm_lite.files.documents import Block
    from spm_lite.specs import ModelType, TrainOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import Tables
    from spm_lite.training.weighted_sources import Weights


@dataclass(frozen=True)
class SizeFigures:
    """What one vocabulary size gives on the texts, and costs.

    Attributes:
        size: the number of pieces.
        tokens: the number of ids of the texts.
        bytes_per_token: bytes of text for each id.
        tokens_saved: the share of the tokens of the next smaller size that this size saves; None: it is the smallest.
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


class Sweep:
    """Tokenizers of several sizes, learned from one text, with figures for each. Made by `spm_lite.sweep`.

    `str(sweep)` is a table. `sweep[8000]` is the Tokenizer of that size, and `len(sweep)` the number of sizes.

    Attributes:
        tokenizers: the Tokenizer of each size.
        rows: the figures of each size, the smallest first: `size`, `tokens`, `bytes_per_token`, `tokens_saved`,
            `operations_per_byte` and `embedding_share`.
    """

    __module__ = "spm_lite"

    def __init__(self, tokenizers: Mapping[int, Tokenizer], rows: Sequence[SizeFigures]) -> None:
        self.tokenizers = tokenizers
        self.rows = list(rows)

    def __getitem__(self, size: int) -> Tokenizer:
        try:
            return self.tokenizers[size]
        except KeyError:
            raise OptionError(f"size {size!r:.20}: the sizes are {', '.join(map(str, self.tokenizers))}") from None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def knee(self) -> int | None:
        """The size after which larger sizes save little; None: there are fewer than three sizes, or no such place.

        Of all sizes it is farthest below the line from the first to the last; both axes, of sizes and of tokens, are
        logarithmic.
        """
        if len(self.rows) < 3:
            return None
        first, last = self.rows[0], self.rows[-1]
        width = math.log(last.size / first.size)
        height = math.log(last.tokens / first.tokens)
        if height >= 0:
            return None
        below = [
            math.log(row.size / first.size) / width - math.log(row.tokens / first.tokens) / height for row in self.rows
        ]
        farthest = min(range(len(below)), key=lambda i: below[i])
        return self.rows[farthest].size if below[farthest] < -0.01 else None

    @property
    def cheapest(self) -> dict[str, int]:
        """For each size of a language model, the vocabulary size with the fewest operations per byte of text."""
        return {
            model.name: min(self.rows, key=lambda row: row.operations_per_byte[model.name]).size for model in MODELS
        }

    @property
    def reasons(self) -> list[str]:
        """The knee and the cheapest sizes, in sentences."""
        found = []
        if self.knee is not None:
            place = [row.size for row in self.rows].index(self.knee)
            gains = [saved_by_doubling(*self.rows[k : k + 2]) for k in (place - 1, place)]
            found.append(
                f"Knee at {self.knee:,}: up to it, doubling the vocabulary saves {gains[0]:.1%} of the tokens; after "
                f"it, {gains[1]:.1%}."
            )
        by_size: dict[int, list[str]] = {}
        for name, size in self.cheapest.items():
            by_size.setdefault(size, []).append(name)
        found += [
            f"{size:,} pieces need the fewest operations per byte for models of {listed(names)} parameters."
            for size, names in by_size.items()
        ]
        return found

    def to_dict(self) -> dict[str, Any]:
        """The figures in types that JSON has.

        Returns:
            A dict with "sizes" (a list of dicts, one for each row), "knee" and "cheapest".

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(300)]
        >>> found = spm_lite.sweep(lines, [285, 290, 300], model_type="bpe")
        >>> list(found.to_dict())
        ['sizes', 'knee', 'cheapest']
        """
        return {"sizes": [asdict(row) for row in self.rows], "knee": self.knee, "cheapest": self.cheapest}

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
            cells.append([f"{row.size:,}", number(row.tokens), f"{row.bytes_per_token:.3f}", saved, *costs])
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


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence.

    >>> listed(["100M", "1B", "7B"])
    '100M, 1B and 7B'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def saved_by_doubling(smaller: SizeFigures, larger: SizeFigures) -> float:
    """The share of tokens that doubling the vocabulary saves between two sizes."""
    exponent = math.log(larger.tokens / smaller.tokens) / math.log(larger.size / smaller.size)
    return float(1 - 2**exponent)


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
    if balance is not None or parallel is not None:
        return balanced(
            source, sizes, balance, Shares(weights, temperature, share_of, parallel=parallel), held_out, options,
            files=files, texts=texts, model_type=model_type, num_threads=num_threads, progress=progress,
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
    return Sweep(tokenizers, rows_of(counter.tokens(), counter.n_bytes))


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
        self.counts = {size: np.zeros(len(tokenizers[size]), np.int64) for size in self.encoded}

    def add(self, block: Block) -> None:
        """Encode the texts of a block."""
        texts = texts_of(block)
        for size in self.encoded:
            ids, _ = encode_batch(self.tokenizers[size]._encoder, texts, self.threads, -1, -1)
            self.counts[size] += np.bincount(np.asarray(ids), minlength=len(self.counts[size]))
        self.n_bytes += n_bytes_of(block)

    def tokens(self) -> dict[int, int]:
        """The number of tokens for each size. Raises TrainingError if there is no text."""
        if not self.counts[self.largest].sum():
            raise TrainingError("there is no text to count tokens on: give texts that have some characters")
        if not self.is_merging:
            return {size: int(counts.sum()) for size, counts in self.counts.items()}
        trees = MergeTrees(self.tokenizers[self.largest]._file.vocab)
        n_others = len(self.tokenizers[self.largest]) - len(trees.ids_by_rank())
        merges = {size: min(size, len(self.tokenizers[self.largest])) - n_others for size in self.tokenizers}
        found = tokens_with_merges(trees, self.counts[self.largest], [*merges.values()])
        return {size: found[merges[size]] for size in self.tokenizers}


def rows_of(tokens: Mapping[int, int], n_bytes: int) -> list[SizeFigures]:
    """A row for each vocabulary size; tokens: size -> tokens of the whole text, which has `n_bytes`."""
    rows: list[SizeFigures] = []
    for size, n_tokens in tokens.items():
        rate = n_bytes / n_tokens
        rows.append(
            SizeFigures(
                size,
                n_tokens,
                rate,
                1 - n_tokens / rows[-1].tokens if rows else None,
                {model.name: operations_per_byte(size, rate, model) for model in MODELS},
                {model.name: size * model.width / (model.parameters + size * model.width) for model in MODELS},
            )
        )
    return rows
