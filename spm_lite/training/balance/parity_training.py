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
from spm_lite.training.balance.dev_texts import read_dev_texts, wanted_tokens
from spm_lite.training.balance.weight_loop import differing_texts, training_tokens
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
        texts = LanguageTexts(sources, run)
    run.checkpoint, checkpoint = None, run.checkpoint
    run.trainer = plain = BpeTrainer()
    pieces = run.learn(sources, seed)
    with run.phase("measure"):
        before, warnings = texts.measure_plain(run.tokenizer(pieces))
        most_tokens = texts.most_tokens(pieces, plain)
    run.checkpoint = checkpoint
    run.trainer = trainer = texts.add_to(ParityTrainer(**asdict(texts.fairness.parity), most_tokens=most_tokens))
    tok = run.tokenizer(run.learn(sources, seed))
    with run.phase("measure"):
        balance = texts.balance(trainer, before, texts.tokens(tok), warnings)
    report = replace(run.report(len(tok), tok.to_bytes()), balance=balance)
    return Tokenizer._from_bytes(tok.to_bytes(), "the trained model", report)


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


class LanguageTexts:
    """The tables of the languages of one call, and of their dev texts."""

    def __init__(self, sources: Sources, run: Training) -> None:
        """run: has counted the sources."""
        assert run.counted is not None and sources.fairness is not None
        self.fairness, self.run, self.counted = sources.fairness, run, run.counted
        self.tables = {name: load() for name, load in run.counted.loads.items()}
        self.dev = read_dev_texts(self.fairness) if self.fairness.texts else None  # None: costs are of these tables
        self.dev_tables = self.tables if self.dev is None else counted_lines(self.dev, run)
        sizes = self.counted.sizes if self.dev is None else self.dev.sizes
        self.wanted = {name: float(n) for name, n in wanted_tokens(self.fairness, sizes).items()}
        self.goals = self.wanted or dict.fromkeys(self.dev_tables, 1.0)

    def add_to(self, trainer: ParityTrainer) -> ParityTrainer:
        """The trainer, after it has these texts."""
        for name, table in self.tables.items():
            trainer.add_language(table, self.dev_tables.get(name), self.goals.get(name, 0.0))
        return trainer

    def tokens(self, tok: Tokenizer) -> dict[str, int]:
        """The tokens of each language that is measured."""
        if self.dev is None:
            return training_tokens(tok, self.counted, self.run.num_threads)
        return self.dev.tokens(tok, self.run.num_threads)

    def measure_plain(self, tok: Tokenizer) -> tuple[dict[str, int], tuple[str, ...]]:
        """The tokens of each language after plain training, and what makes them doubtful."""
        tokens = self.tokens(tok)
        if self.dev is None:
            return tokens, ()
        return tokens, differing_texts(tok, tokens, self.dev, self.counted, self.run.num_threads)

    def most_tokens(self, pieces: list[tuple[str, float, int]], plain: BpeTrainer) -> list[float]:
        """How many tokens all dev texts may have, by the number of learned pieces; [] if there is no price.

        pieces: of plain training. plain: the trainer that made them. With fewer pieces than the alphabet has, there is
        nothing to compare with, and no limit.
        """
        if self.fairness.price == inf:
            return []
        learned = [text for text, _, kind in pieces if kind == NORMAL]
        letters = self.run.alphabet or BYTES
        alphabet = Alphabet.from_items((letter, len(letters) - i) for i, letter in enumerate(letters))
        kept = set(learned).intersection(letters) if self.run.alphabet else set(letters)
        follower = LanguageMerger()
        for name in self.tables:
            follower.add_language(ChunkTable(), self.dev_tables.get(name), 0.0)
        merges = plain.merged_pairs()[: len(learned) - len(kept)]
        totals = follower.follow(alphabet, self.run.spec, merges, kept)
        return [inf] * len(kept) + [(1 + self.fairness.price) * total for total in totals]

    def balance(
        self, trainer: ParityTrainer, before: dict[str, int], after: dict[str, int], warnings: tuple[str, ...]
    ) -> Balance:
        """What the training found. before, after: tokens of each language that is measured."""
        rows, told, n_exhausted = {}, [], 0
        for name, (_, n_merges, is_done) in zip(self.tables, trainer.outcome(), strict=True):
            rows[name] = BalanceRow(before.get(name), after.get(name), self.wanted.get(name), merges=n_merges)
            if name in self.wanted and after[name] > self.wanted[name]:
                told.append(f"{name}: {after[name]:,} tokens, and its target allows {self.wanted[name]:,.0f}")
            if is_done:
                n_exhausted += 1
                told.append(
                    f"{name}: after {n_merges:,} merges, no pair of its text was frequent enough: give it more text"
                )
        most, total = sum(before.values()) * (1 + self.fairness.price), sum(after.values())
        if total > most + LEAST_EXCESS * total:
            told.append(f"the price of {self.fairness.price:.1%} is not kept, although the last merges are plain")
        n_plain = trainer.plain_merges()
        stopped_by = "all languages were exhausted" if n_exhausted == len(rows) else "there are enough pieces"
        if n_plain:
            stopped_by += f"; {n_plain:,} merges are plain"
        return balance_of(PARITY, rows, warnings=(*warnings, *told), stopped_by=stopped_by)


def counted_lines(dev: DevTexts, run: Training) -> dict[str, ChunkTable]:
    """The chunks of dev texts, cut as the training cuts text; all lines count."""
    spec = replace(run.spec, input_sentence_size=0, max_sentence_length=None)
    options = replace(run.options, trainer=spec)
    return {
        name: Counting(options, run.num_threads).count_text(open_source(lines, Reading(), TEXTS), 0)
        for name, lines in dev.lines.items()
    }
