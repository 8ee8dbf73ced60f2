"""What each language costs a tokenizer: on which texts that is measured, and what the costs are compared with.

Both ways to fairness, weights and parity, measure so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import mul
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.training.balance.dev_texts import wanted_tokens

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.balance.dev_texts import DevTexts
    from spm_lite.training.balance.fairness_options import Fairness
    from spm_lite.training.weighted_sources import CountedSources

DIFFERS = 1.2  # times the usual ratio of tokens for a character in dev text and in training text
CHUNKS_AT_ONCE = 1 << 16


class MeasuredTexts:
    """The texts of one call on which costs are measured: dev texts, or the training text.

    wanted: the tokens that the targets allow, by language; {}: costs are to be equal.
    """

    def __init__(self, fairness: Fairness, counted: CountedSources, dev: DevTexts | None) -> None:
        """dev: None: costs are measured on the training text."""
        self.counted, self.dev = counted, dev
        self.wanted = wanted_tokens(fairness, counted.sizes if dev is None else dev.sizes)

    def tokens(self, tok: Tokenizer, num_threads: int) -> dict[str, int]:
        """The tokens of each language that is measured."""
        if self.dev is None:
            return training_tokens(tok, self.counted, num_threads)
        return self.dev.tokens(tok, num_threads)

    def warnings(self, tok: Tokenizer, tokens: Mapping[str, int], num_threads: int) -> tuple[str, ...]:
        """Warnings of languages whose dev text is not like their training text.

        In each, a character of dev text needs more tokens than one of training text, which was learned from. How much
        more is about the same in all languages, so one that is far above the others is named.

        tok: the plain model. tokens: of the texts that are measured.
        """
        if self.dev is None:
            return ()
        learned, ratios = training_tokens(tok, self.counted, num_threads, self.dev.lines), {}
        for name, n in tokens.items():
            on_dev = n / self.dev.sizes[name]["characters"]
            ratios[name] = on_dev / (learned[name] / self.counted.sizes[name]["characters"])
        usual = median(ratios.values())
        return tuple(
            f"{name}: its dev text differs from its training text ({ratio / usual:.2f} times the usual tokens for a "
            "character), so other text will not be as fair: give dev text of the same kind"
            for name, ratio in ratios.items()
            if ratio > DIFFERS * usual
        )


def training_tokens(
    tok: Tokenizer, counted: CountedSources, num_threads: int, names: Collection[str] | None = None
) -> dict[str, int]:
    """The tokens of the training text of each source, or of those named; a memory limit may have left out rare text."""
    alone, found = LonePieces(tok), {}
    for name in counted.loads if names is None else names:
        table, found[name] = counted.loads[name](), 0
        for begin in range(0, len(table), CHUNKS_AT_ONCE):
            texts, counts = zip(*table.items_from(begin, begin + CHUNKS_AT_ONCE), strict=True)
            n_ids = np.asarray(alone.count([*texts], num_threads)).tolist()
            found[name] += sum(map(mul, n_ids, counts))
    return found
