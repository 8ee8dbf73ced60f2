"""objective="parity": plain training first, which the price is measured against; then merges in turns of languages."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import inf
from typing import TYPE_CHECKING

from spm_lite.errors import OptionError
from spm_lite.files.corpus import TEXTS, open_source
from spm_lite.files.read_options import Reading
from spm_lite.kinds import NORMAL
from spm_lite.specs import PARITY
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.training.balance.balance_result import BalanceRow, balance_of
from spm_lite.training.balance.costs import MeasuredTexts
from spm_lite.training.balance.dev_texts import read_dev_texts
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.bpe.language_merger import LanguageMerger
from spm_lite.training.bpe.parity_trainer import ParityTrainer
from spm_lite.training.counting import Counting
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet
from spm_lite.training.weighted_sources import kept_tables

if TYPE_CHECKING:
    from spm_lite.training.balance.balance_result import Balance
    from spm_lite.training.balance.dev_texts import DevTexts
    from spm_lite.training.balance.fairness_options import Fairness
    from spm_lite.training.steps import Training
    from spm_lite.training.weighted_sources import Sources

LEAST_EXCESS = 0.001  # of the tokens of all dev texts, that is told
BYTES = "".join(map(chr, range(256)))  # the alphabet of byte-level BPE


def train_parity(sources: Sources, run: Training, seed: int) -> Tokenizer:
    """The Tokenizer whose merges were chosen in turns of the languages. Its report has a `Balance`.

    run: the training, checked. seed: as in `Training.learn`. Raises OptionError for arguments that exclude the
    objective, and what a plain training raises.
    """
    check_parity(run)
    with run.phase("count"), kept_tables(False) as keep:
        run.counted = run.counted_sources(sources, seed, keep)
        assert sources.fairness is not None
        dev = read_dev_texts(sources.fairness) if sources.fairness.texts else None
    return ParityTrainings(sources, run, seed, dev).train(sources.fairness, run)


def check_parity(run: Training) -> None:
    """Raise OptionError for arguments of a call that exclude the objective."""
    if run.reference_rules:
        raise OptionError(
            f"objective={PARITY!r} and reference_rules=True: sentencepiece's rules read one text; give one of them",
            remedies=[{"reference_rules": False}],
        )
    if run.memory_limit is not None:
        raise OptionError(
            f"objective={PARITY!r} and memory_limit={run.memory_limit}: the texts of all languages are in memory at "
            "once; leave out memory_limit",
            remedies=[{"memory_limit": None}],
        )


class ParityTrainings:
    """A plain training, which prices are measured against, and trainings for parity on the same texts."""

    def __init__(self, sources: Sources, run: Training, seed: int, dev: DevTexts | None) -> None:
        """Train plain. run: has counted the sources. dev: None: costs are measured on the training text."""
        assert run.counted is not None and sources.fairness is not None
        self.sources, self.seed = sources, seed
        with run.phase("count"):
            self.tables = {name: load() for name, load in run.counted.loads.items()}
            self.dev_tables = self.tables if dev is None else counted_lines(dev, run)
            self.texts = MeasuredTexts(sources.fairness, run.counted, dev)
        self.wanted = {name: float(n) for name, n in self.texts.wanted.items()}
        run.checkpoint, checkpoint = None, run.checkpoint
        run.trainer = self.plain = BpeTrainer()
        self.pieces = run.learn(sources, seed)
        self.alphabet, self.spec = run.alphabet, run.spec
        with run.phase("measure"):
            tok = run.tokenizer(self.pieces)
            self.before = self.texts.tokens(tok, run.num_threads)
            self.warnings = self.texts.warnings(tok, self.before, run.num_threads)
        run.checkpoint = checkpoint

    def train(self, fairness: Fairness, run: Training) -> Tokenizer:
        """One training for parity. fairness: its price, and the options of parity. run: has counted the sources."""
        with run.phase("measure"):
            most_tokens = self.most_tokens(fairness.price)
        run.trainer = trainer = ParityTrainer(**asdict(fairness.parity), most_tokens=most_tokens)
        goals = self.wanted or dict.fromkeys(self.dev_tables, 1.0)
        for name, table in self.tables.items():
            trainer.add_language(table, self.dev_tables.get(name), goals.get(name, 0.0))
        tok = run.tokenizer(run.learn(self.sources, self.seed))
        with run.phase("measure"):
            balance = self.balance(fairness.price, trainer, self.texts.tokens(tok, run.num_threads))
        report = replace(run.report(len(tok), tok.to_bytes()), balance=balance)
        return Tokenizer._from_bytes(tok.to_bytes(), "the trained model", report)

    def most_tokens(self, price: float) -> list[float]:
        """How many tokens all dev texts may have, by the number of learned pieces; [] if there is no price.

        With fewer pieces than the alphabet has, there is nothing to compare with, and no limit.
        """
        if price == inf:
            return []
        learned = [text for text, _, kind in self.pieces if kind == NORMAL]
        letters = self.alphabet or BYTES
        alphabet = Alphabet.from_items((letter, len(letters) - i) for i, letter in enumerate(letters))
        kept = set(learned).intersection(letters) if self.alphabet else set(letters)
        follower = LanguageMerger()
        for name in self.tables:
            follower.add_language(ChunkTable(), self.dev_tables.get(name), 0.0)
        merges = self.plain.merged_pairs()[: len(learned) - len(kept)]
        totals = follower.follow(alphabet, self.spec, merges, kept)
        return [inf] * len(kept) + [(1 + price) * total for total in totals]

    def balance(self, price: float, trainer: ParityTrainer, after: dict[str, int]) -> Balance:
        """What a training found. after: tokens of each language that is measured."""
        before, rows, told, n_exhausted = self.before, {}, [], 0
        for name, (_, n_merges, is_done) in zip(self.tables, trainer.outcome(), strict=True):
            rows[name] = BalanceRow(before.get(name), after.get(name), self.wanted.get(name), merges=n_merges)
            if name in self.wanted and after[name] > self.wanted[name]:
                told.append(f"{name}: {after[name]:,} tokens, and its target allows {self.wanted[name]:,.0f}")
            if is_done:
                n_exhausted += 1
                told.append(
                    f"{name}: after {n_merges:,} merges, no pair of its text was frequent enough: give it more text"
                )
        most, total = sum(before.values()) * (1 + price), sum(after.values())
        if total > most + LEAST_EXCESS * total:
            told.append(f"the price of {price:.1%} is not kept, although the last merges are plain")
        n_plain = trainer.plain_merges()
        stopped_by = "all languages were exhausted" if n_exhausted == len(rows) else "there are enough pieces"
        if n_plain:
            stopped_by += f"; {n_plain:,} merges are plain"
        return balance_of(PARITY, rows, warnings=(*self.warnings, *told), stopped_by=stopped_by)


def counted_lines(dev: DevTexts, run: Training) -> dict[str, ChunkTable]:
    """The chunks of dev texts, cut as the training cuts text; all lines count."""
    spec = replace(run.spec, input_sentence_size=0, max_sentence_length=None)
    options = replace(run.options, trainer=spec)
    return {
        name: Counting(options, run.num_threads).count_text(open_source(lines, Reading(), TEXTS), 0)
        for name, lines in dev.lines.items()
    }
