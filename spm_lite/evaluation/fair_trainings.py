"""All ways to fair vocabularies at several sizes, trained from one count of the text: for `sweep(balance=)`.

Of the loop over weights, each round is a way: of the loops for all prices, which begin alike, so that a round is
trained once. Of parity, the ways are its window, no window, half of the merges plain, and each price below its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.evaluation.fair_figures import PLAIN, PRICES, FairFigures, FairSweep
from spm_lite.files.corpus import open_source
from spm_lite.files.plain_text import log_notes
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.specs import PARITY, TOKENS
from spm_lite.training.balance.dev_texts import DevTexts, read_dev_texts
from spm_lite.training.balance.fairness_options import ParityOptions, check_type, opened_texts
from spm_lite.training.balance.inequality import gini, most_to_mean
from spm_lite.training.balance.parity_training import ParityTrainings, check_parity
from spm_lite.training.balance.weight_loop import Measured, WeightLoop
from spm_lite.training.options.checks import checked_int
from spm_lite.training.run import Shares, check_call, open_one
from spm_lite.training.sizes import as_sizes
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import Sources, kept_tables

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.files.read_options import Reading
    from spm_lite.tokenizer.tokenizer import Tokenizer

METHODS = (TOKENS, PARITY)


def as_methods(balance: Any) -> list[str]:
    """The methods that a sweep compares. Raises ArgumentTypeError or OptionError if it is none of them."""
    given = [balance] if isinstance(balance, str) else balance
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"balance is {type(balance).__name__}: pass 'tokens', 'parity' or a list of both")
    found = [*given]
    for name in found:
        if name not in METHODS:
            raise OptionError(
                f"balance={name!r:.40}: must be of {', '.join(METHODS)}", remedies=[{"balance": one} for one in METHODS]
            )
    if not found:
        raise OptionError("balance is an empty list: give 'tokens', 'parity' or both", remedies=[{"balance": None}])
    return [*dict.fromkeys(found)]


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
            self.rounds.append(self.known[key].figures)
        else:
            self.known[key] = super().train(run, weights)
        return self.known[key]


class Way(NamedTuple):
    """A training with its name and the options that make it again."""

    name: str
    options: dict[str, Any]
    tokenizer: Tokenizer


def fair_sweep(
    source: Any,
    sizes: Sequence[int],
    balance: Any,
    shares: Shares,
    held_out: Any = None,
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
    """The FairSweep of `sweep(balance=)`. The arguments are those of `sweep`; `shares` has the dev texts.

    held_out: texts to measure on, by language, of which line i says the same; None: the dev texts.
    """
    methods, wanted = as_methods(balance), as_sizes(sizes)
    if "vocab_size" in options or options.get("use_all_vocab"):
        raise OptionError("vocab_size and sizes both say how large models are: leave out vocab_size")
    asked_shares = shares._replace(fairness=shares.fairness._replace(balance=TOKENS))
    sources = open_one(source, files, texts, asked_shares, reading)
    assert isinstance(sources, Sources)
    assert sources.fairness is not None
    reporter = as_reporter(progress)
    given = {**options, "num_threads": num_threads, "memory_limit": memory_limit, "seed": seed, "reading": reading}

    def run_of(size: int) -> Training:
        run = check_call(vocab_size=size, **given)
        made = Training(run.options, run.num_threads, reporter, memory_limit=run.memory_limit)
        made.reading = run.reading
        return made

    def counted_run(size: int) -> Training:
        run = run_of(size)
        run.take_counted(first)
        return run

    checked_seed, first = checked_int("seed", seed), run_of(wanted[0])
    for method in methods:
        check_type(replace(sources.fairness, method=method), first.spec)
    if PARITY in methods:
        check_parity(first)
    rows: list[FairFigures] = []
    tokenizers: dict[tuple[int, str], Tokenizer] = {}
    with closing_bar(reporter), kept_tables(memory_limit is not None) as keep:
        dev = read_dev_texts(sources.fairness)
        judged = dev
        if held_out is not None:
            judged = read_dev_texts(replace(sources.fairness, texts=opened(held_out, sources, reading)))
        first.counted = first.counted_sources(sources, checked_seed, keep)
        log_notes(first.counting.corpus.notes.texts)
        for size in wanted:
            trainings = Trainings(sources, dev, checked_seed, partial(counted_run, size))
            ways = [*trainings.ways(methods)]
            before = 0
            for way in ways:
                tokens = judged.tokens(way.tokenizer, first.num_threads).values()
                before = before or sum(tokens)  # of plain training
                price, unequal = sum(tokens) / before - 1, gini(tokens) or 0.0
                rows.append(FairFigures(size, way.name, sum(tokens), price, unequal, most_to_mean(tokens), way.options))
                tokenizers[size, way.name] = way.tokenizer
    asked = {**options, "seed": seed or None, "share_of": None if sources.share_of == "bytes" else sources.share_of}
    return FairSweep(rows, {name: value for name, value in asked.items() if value is not None}, tokenizers)


def opened(held_out: Any, sources: Sources, reading: Reading) -> dict[str, Source]:
    """The texts to measure on. Raises OptionError unless they are of the languages that have dev texts."""
    assert sources.fairness is not None
    languages = [*sources.fairness.texts]
    found = opened_texts(held_out, languages, lambda texts: open_source(texts, reading), "held_out")
    missing = next((name for name in languages if name not in found), None)
    if missing is not None:
        raise OptionError(f"held_out has no text of {missing!r:.60}, which has one in parallel: give the text")
    return found


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
            price = chosen.get(id(measured), 0.0)
            options = {"balance": TOKENS, "price": price} if price else {"weights": measured.figures.weights}
            name, options = (f"weights {number}", options) if number else (PLAIN, {})
            yield Way(name, options, measured.tokenizer)

    def parities(self) -> Iterator[Way]:
        """Parity with its window, without one, with half of the merges plain, and with each price below its own."""
        trainings = ParityTrainings(self.sources, self.new_run(), self.seed, self.dev)

        def parity(name: str, price: float = inf, **rules: Any) -> Generator[Way, None, float]:
            """One training for parity. Returns its price."""
            asked = with_fairness(self.sources, method=PARITY, price=price, parity=ParityOptions(**rules)).fairness
            assert asked is not None
            tok = trainings.train(asked, self.new_run())
            assert tok.report is not None
            balance = tok.report.balance
            assert balance is not None
            options: dict[str, Any] = {"objective": PARITY}
            options |= {"parity": rules} if rules else {}
            options |= {"price": price} if price < inf else {}
            yield Way(name, options, tok)
            return balance.total_after / balance.total_before - 1

        first = yield from parity("parity")
        yield from parity("parity, window 0", window=0)
        yield from parity("parity, hybrid", global_merges=self.new_run().spec.vocab_size // 2)
        for price in PRICES:
            if price < first:
                yield from parity(f"parity, {100 * price:g} %", price)


def with_fairness(sources: Sources, **changes: Any) -> Sources:
    """The sources with another price, method or options of parity."""
    assert sources.fairness is not None
    return replace(sources, fairness=replace(sources.fairness, **changes))
