"""Pretokenizer: a function of the caller that splits normalized text into parts, whose ends no piece may cross."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.documents import Block, split_block
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.training.counts.cut_rules import CutRules

BOUNDARY = "\x1f"  # under the reference's rules, the chunk counter cuts here


def check_pretokenizer(spec: TrainerSpec) -> None:
    """Raise OptionError for options that exclude a pretokenizer."""
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
    """Splits every text that training uses, after normalization, with U+001F in place of each meta piece."""

    split: Callable[[str], Sequence[str | bytes]]
    allow_inconsistent: bool = False  # the parts need not join to the text that was given
    n_texts: int = 0  # texts split so far

    def split_blocks(self, blocks: Iterable[Block], rules: CutRules, weighted: bool) -> Iterator[Block]:
        """The lines of `blocks`, normalized, with BOUNDARY between their parts.

        weighted: the rest of a line from its first TAB on is a count, and is kept unchanged.
        Raises TrainingError if the function fails, or if it returns no list of texts that join to the given text.
        """
        for block in blocks:
            if not weighted:
                yield [self.split_line(line, rules) for line in split_block(block)]
                continue
            rows = [line.partition(b"\t") for line in split_block(block)]
            yield [self.split_line(text, rules) + tab + count for text, tab, count in rows]

    def split_line(self, line: bytes, rules: CutRules) -> bytes:
        """One line, normalized and split as in `split_blocks`."""
        text = rules.marked_text(line).decode("utf-8", "replace")
        try:
            parts = list(map(part_as_str, as_sequence(self.split(text))))
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
                f"{self.n_texts}; U+2581 is a space"
            )
        self.n_texts += 1
        return BOUNDARY.join(parts).encode("utf-8", "replace")

    def cut_rules(self, spec: TrainerSpec) -> CutRules:
        """The rules to cut the lines of `split_blocks`, which are normalized already and hold no meta pieces."""
        normalizer = make_normalizer(NormalizerSpec(add_dummy_prefix=False))
        return CutRules(normalizer, dataclasses.replace(spec, max_sentence_length=None), (), True, True)


def as_sequence(parts: Any) -> Sequence[Any]:
    """The result of the function, unchanged. Raises TypeError if it is not a sequence."""
    if isinstance(parts, Sequence):
        return parts
    raise TypeError(f"it gave {type(parts).__name__}, not a list of str")


def part_as_str(part: Any) -> str:
    """One part as str. Raises TypeError if it is neither str nor bytes."""
    if isinstance(part, str):
        return part
    if isinstance(part, bytes):
        return part.decode()
    raise TypeError(f"a part of what it gave is {type(part).__name__}, not str")
