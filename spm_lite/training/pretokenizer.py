"""A function of the caller's that says where no piece may pass: normalized text -> its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spm_lite.counts.chunk_counter import CutRules
from spm_lite.errors import OptionError, TrainingError
from spm_lite.io.corpus import Block, split_block
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.specs import TrainerSpec

BOUNDARY = "\x1f"  # what the cutter takes for one under the reference's rules


def check_pretokenizer(spec: TrainerSpec) -> None:
    """Raise OptionError where a pretokenizer cannot be used."""
    if spec.model_type not in ("unigram", "bpe"):
        raise OptionError(
            f"pretokenizer and model_type={spec.model_type!r}: PretokenizerForTraining is only supported in UNIGRAM or "
            "BPE mode."
        )
    if spec.pretokenization_delimiter:
        raise OptionError(
            f"pretokenizer callback and pretokenization_delimiter cannot be set simultaneously. The latter is "
            f"{spec.pretokenization_delimiter!r}"
        )


@dataclass
class Pretokenizer:
    """Splits every text that training uses, after normalization and with U+001F in place of each meta piece."""

    split: Callable[[str], Sequence[str | bytes]]
    allow_inconsistent: bool = False  # the parts may make another text than was given
    n_texts: int = 0  # so far

    def split_blocks(self, blocks: Iterable[Block], rules: CutRules, weighted: bool) -> Iterator[Block]:
        """The lines of `blocks`, normalized, with a boundary between their parts.

        weighted: what follows the first TAB of a line is kept as it is.
        Raises TrainingError if the function fails, or gives no list of texts that together make the one given.
        """
        for block in blocks:
            if not weighted:
                yield [self.split_line(line, rules) for line in split_block(block)]
                continue
            rows = [line.partition(b"\t") for line in split_block(block)]
            yield [self.split_line(text, rules) + tab + count for text, tab, count in rows]

    def split_line(self, line: bytes, rules: CutRules) -> bytes:
        """One line; see `split_blocks`."""
        text = rules.marked_text(line).decode("utf-8", "replace")
        try:
            parts = list(map(as_text, as_sequence(self.split(text))))
        except Exception as error:
            raise TrainingError(f"Pretokenizer failed: {type(error).__name__}: {error}") from error
        joined = "".join(parts)
        if joined != text and not self.allow_inconsistent:
            raise TrainingError(
                f"Pretokenized output mismatch at sample {self.n_texts}: joined={joined!r:.200}, "
                f"original={text!r:.200}. Set allow_inconsistent_pretokenization=True if that is meant"
            )
        if " " in joined:
            raise TrainingError(
                f"Normalized string must not include spaces: the pretokenizer made {joined!r:.200} at sample "
                f"{self.n_texts}; U+2581 stands for a space"
            )
        self.n_texts += 1
        return BOUNDARY.join(parts).encode("utf-8", "replace")

    def cut_rules(self, spec: TrainerSpec) -> CutRules:
        """How the lines of `split_blocks` are cut: they are normalized, and have no meta pieces in them."""
        normalizer = Normalizer(Charsmap(), add_dummy_prefix=False, remove_extra_whitespaces=False)
        return CutRules(normalizer, dataclasses.replace(spec, max_sentence_length=None), (), True, True)


def as_sequence(parts: Any) -> Sequence[Any]:
    """What the function gave, if it can be a list of parts."""
    if isinstance(parts, Sequence):
        return parts
    raise TypeError(f"it gave {type(parts).__name__}, not a list of str")


def as_text(part: Any) -> str:
    """One part as str."""
    if isinstance(part, str):
        return part
    if isinstance(part, bytes):
        return part.decode()
    raise TypeError(f"a part of what it gave is {type(part).__name__}, not str")
