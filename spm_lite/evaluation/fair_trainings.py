"""All ways to fair vocabularies at several sizes, trained from one count of the text: for `sweep(balance=)`.

Of the loop over weights, each round is a way: of the loops for all prices, which begin alike, so that a round is
trained once. Of parity, the ways are its window, no window, half of the merges plain, and each price below its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.evaluation.fair_figures import PLAIN, PRICES, FairFigures, FairSweep
from spm_lite.files.corpus import TEXTS, open_source
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import Reading
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.specs import PARITY, TOKENS
from spm_lite.training.balance.dev_texts import DevTexts, read_dev_texts
from spm_lite.training.balance.fairness_options import ParityOptions, check_type
from spm_lite.training.balance.inequality import most_to_mean
from spm_lite.training.balance.parity_training import train_parity
from spm_lite.training.balance.weight_loop import Measured, WeightLoop
from spm_lite.training.options.checks import checked_int
from spm_lite.training.run import Shares, check_call, open_one
from spm_lite.training.sizes import as_sizes
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import CountedSources, Keep, Sources, kept_tables

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

METHODS = (TOKENS, PARITY)


def as_methods(balance: Any) -> list[str]:
    """The methods that a sweep compares. Raises ArgumentTypeError or OptionError if it is none of them."""
    given = [balance] if isinstance(balance, str) else balance
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"balance is {type(balance).__name__}: pass 'tokens', 'parity' or a list of both")
    found = [*dict.fromkeys(given)]
    for name in found:
        if name not in METHODS:
            raise OptionError(
                f"balance={name!r:.40}: must be of {', '.join(METHODS)}", remedies=[{"balance": one} for one in METHODS]
            )
    if not found:
        raise OptionError("balance is an empty list: give 'tokens', 'parity' or both", remedies=[{"balance": None}])
    return found


class RememberingLoop(WeightLoop):
    """A loop that trains no weights twice. known: what was trained at this size, by its weights."""

    def __init__(
        self, sources: Sources, run: Training, seed: int, dev: DevTexts | None, known: dict[Any, Measured]
    ) -> None:
        self.known = known
        super().__init__(sources, run, seed, dev)

    def train(self, run: Training, weights: dict[str, float] | None) -> Measured:
        key = None if weights is None else tuple(weights.items())
        if key in self.known:
            self.rounds.append(self.known[key])
        else:
            self.known[key] = super().train(run, weights)
        return self.known[key]


class Way(NamedTuple):
    """A training with its name and the options that make it again. tokens: of each language."""

    name: str
    options: dict[str, Any]
    tokens: dict[str, int]
    gini: float
    tokenizer: Tokenizer


def fair_sweep(
    source: Any,
    sizes: Sequence[int],
    balance: Any,
    shares: Shares,
    *,
    files: Any = None,
    texts: Any = None,
    reading: Reading,
    seed: int = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Any = None,
    **options: Any,
) -> FairSweep:
    """The FairSweep of `sweep(balance=)`. The arguments are those of `sweep`; `shares` has the dev texts."""
    methods, wanted = as_methods(balance), as_sizes(sizes)
    if "vocab_size" in options or options.get("use_all_vocab"):
        raise OptionError("vocab_size and sizes both say how large models are: leave out vocab_size")
    sources = open_one(source, files, texts, shares._replace(balance=TOKENS), reading)
    assert isinstance(sources, Sources)
    assert sources.fairness is not None
    reporter = as_reporter(progress)
    given = {**options, "num_threads": num_threads, "memory_limit": memory_limit, "seed": seed, "reading": reading}

    def run_of(size: int) -> Training:
        return check_call(vocab_size=size, progress=reporter, **given)

    checked_seed, first = checked_int("seed", seed), run_of(wanted[0])
    for method in methods:
        check_type(replace(sources.fairness, method=method), first.spec)
    rows: list[FairFigures] = []
    tokenizers: dict[tuple[int, str], Tokenizer] = {}
    with closing_bar(reporter), kept_tables(memory_limit is not None) as keep:
        dev = read_dev_texts(sources.fairness)
        counted = first.counted_sources(sources, checked_seed, keep)
        log_notes(first.counting.corpus.notes.texts)
        for size in wanted:
            trainings = Trainings(
                sources, dev, checked_seed, lambda size=size: after_counting(run_of(size), first, counted)
            )
            ways = [*trainings.ways(methods)]
            before = sum(ways[0].tokens.values())
            for way in ways:
                n = sum(way.tokens.values())
                max_mean = most_to_mean(way.tokens.values())
                rows.append(FairFigures(size, way.name, n, n / before - 1, way.gini, max_mean, way.options))
                tokenizers[size, way.name] = way.tokenizer
    return FairSweep(rows, {name: value for name, value in options.items() if value is not None}, tokenizers)


class CountedTraining(Training):
    """A training on sources that were counted before."""

    known: CountedSources

    def counted_sources(self, sources: Sources, seed: int, keep: Keep) -> CountedSources:
        return self.known


def after_counting(run: Training, first: Training, counted: CountedSources) -> CountedTraining:
    """A training like `run`, with what another one has counted."""
    made = CountedTraining(run.options, run.num_threads, run.progress, memory_limit=run.memory_limit)
    made.reading, made.counting, made.from_tables = run.reading, first.counting, first.from_tables
    made.known = made.counted = counted
    return made


class Trainings:
    """All trainings of one size. new_run: makes a training that has counted."""

    def __init__(self, sources: Sources, dev: DevTexts, seed: int, new_run: Callable[[], Training]) -> None:
        self.sources, self.dev, self.seed, self.new_run = sources, dev, seed, new_run

    def ways(self, methods: Sequence[str]) -> Iterator[Way]:
        """All ways, plain training first."""
        yield from self.loops(PRICES[::-1] if TOKENS in methods else ())
        if PARITY in methods:
            yield from self.parities()

    def loops(self, prices: Sequence[float]) -> Iterator[Way]:
        """Plain training, and each training of the loops for some prices, from the highest one."""
        known: dict[Any, Measured] = {}
        chosen: dict[int, float] = {}  # the lowest price at which `train` takes a training
        run = self.new_run()
        for price in prices or (0.0,):
            loop = RememberingLoop(with_fairness(self.sources, price=price), run, self.seed, self.dev, known)
            if prices:
                loop.search()
                chosen[id(loop.best)] = price
        for number, measured in enumerate(known.values()):
            figures, price = measured.figures, chosen.get(id(measured), 0.0)
            options = {"balance": TOKENS, "price": price} if price else {"weights": figures.weights}
            name, options = (f"weights {number}", options) if number else (PLAIN, {})
            yield Way(name, options, figures.tokens, figures.gini or 0.0, measured.tokenizer)

    def parities(self) -> Iterator[Way]:
        """Parity with its window, without one, with half of the merges plain, and with each price below its own."""
        first = yield from self.parity("parity")
        yield from self.parity("parity, window 0", window=0)
        yield from self.parity("parity, hybrid", global_merges=self.new_run().spec.vocab_size // 2)
        for price in PRICES:
            if price < first:
                yield from self.parity(f"parity, {100 * price:g} %", price)

    def parity(self, name: str, price: float = inf, **rules: Any) -> Generator[Way, None, float]:
        """One training for parity. Returns its price."""
        texts = {name: open_source(lines, Reading(), TEXTS) for name, lines in self.dev.lines.items()}
        sources = with_fairness(self.sources, method=PARITY, price=price, parity=ParityOptions(**rules), texts=texts)
        tok = train_parity(sources, self.new_run(), self.seed)
        assert tok.report is not None
        balance = tok.report.balance
        assert balance is not None
        tokens = {name: row.tokens_after for name, row in balance.languages.items() if row.tokens_after is not None}
        options: dict[str, Any] = {"objective": PARITY}
        options |= {"parity": rules} if rules else {}
        options |= {"price": price} if price < inf else {}
        yield Way(name, options, tokens, balance.gini_after or 0.0, tok)
        return balance.total_after / balance.total_before - 1


def with_fairness(sources: Sources, **changes: Any) -> Sources:
    """The sources with another price, method or options of parity."""
    assert sources.fairness is not None
    return replace(sources, fairness=replace(sources.fairness, **changes))
