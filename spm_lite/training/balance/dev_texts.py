"""Dev texts: what the costs of languages are measured on while a training looks for fair shares.

Where line i says the same in all languages, a line that is blank in one of them is left out in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from spm_lite.encode.encode_batch import count_batch
from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.documents import CorpusFigures, all_texts
from spm_lite.files.plain_text import log_notes
from spm_lite.specs import TARGET_UNITS
from spm_lite.texts.object_texts import ObjectTexts

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.balance.fairness_options import Fairness


@dataclass(frozen=True)
class DevTexts:
    """The dev texts of each language, read and checked."""

    lines: dict[str, list[bytes]]
    n_left_out: int  # lines that are blank in a language
    sizes: dict[str, dict[str, int]]  # of each language: its "bytes", "characters" and "texts"

    def tokens(self, tok: Tokenizer, num_threads: int) -> dict[str, int]:
        """The number of tokens of each language. Raises TrainingError if one has none: no cost is a multiple of 0."""
        encoder = tok._encoder
        found = {
            name: int(np.asarray(count_batch(encoder, ObjectTexts(lines), num_threads)).sum())
            for name, lines in self.lines.items()
        }
        for name, n in found.items():
            if n == 0:
                raise TrainingError(
                    f"the parallel text of {name!r:.60}: nothing is left of its {len(self.lines[name]):,} lines after "
                    "normalization: give texts that have some characters"
                )
        return found


def read_dev_texts(fairness: Fairness) -> DevTexts:
    """Read the dev texts. Raises OptionError if their lines cannot say the same one by one, or if there are none."""
    lines = {name: noted_texts(source) for name, source in fairness.texts.items()}
    if fairness.is_parallel:
        check_lengths(lines)
    kept = without_blanks(lines, fairness.is_parallel)
    for name, found in kept.items():
        if not found:
            which = "each is blank in one of the languages" if fairness.is_parallel and lines[name] else "it is empty"
            raise TrainingError(
                f"the parallel text of {name!r:.60} has no line to measure costs on ({len(lines[name]):,} were read; "
                f"{which}): give texts that have some lines"
            )
    n_left_out = sum(map(len, lines.values())) - sum(map(len, kept.values()))
    return DevTexts(kept, n_left_out, {name: sizes_of(found) for name, found in kept.items()})


def noted_texts(source: Source) -> list[bytes]:
    """The texts of a source. What looks wrong with them, such as another encoding, is logged."""
    figures = CorpusFigures()
    texts = all_texts(source, figures)
    log_notes(figures.notes.texts)
    return texts


def check_lengths(lines: Mapping[str, list[bytes]]) -> None:
    """Raise OptionError unless all languages have the same number of lines."""
    (first, texts), *others = lines.items()
    for name, found in others:
        if len(found) != len(texts):
            raise OptionError(
                "parallel texts must have the same number of lines, and line i says the same in each: "
                f"{first!r:.60} has {len(texts):,} and {name!r:.60} has {len(found):,}. "
                "Take out the lines that one of them lacks"
            )


def without_blanks(lines: Mapping[str, list[bytes]], everywhere: bool) -> dict[str, list[bytes]]:
    """The lines that are not blank. everywhere: a line that is blank in one language is left out in all."""
    if not everywhere:
        return {name: [line for line in found if line.strip()] for name, found in lines.items()}
    full = [all(map(bytes.strip, row)) for row in zip(*lines.values(), strict=True)]
    return {name: [line for line, is_full in zip(found, full, strict=True) if is_full] for name, found in lines.items()}


def sizes_of(lines: list[bytes]) -> dict[str, int]:
    """The size of some lines in each unit of shares."""
    return {
        "bytes": sum(map(len, lines)),
        "characters": sum(len(line.decode("utf-8", "replace")) for line in lines),
        "texts": len(lines),
    }


def wanted_tokens(fairness: Fairness, sizes: Mapping[str, Mapping[str, int]]) -> dict[str, Fraction]:
    """How many tokens the texts of each language with a target would have if they reached it exactly.

    sizes: of the text of each language, as `sizes_of` gives them. Raises OptionError where the unit is not known.
    """
    is_by_line = fairness.target_unit == "tokens_per_line"
    unit = "texts" if is_by_line else fairness.target_unit.partition("_")[0]
    found = {}
    for name, target in fairness.targets.items():
        if unit not in sizes[name]:
            raise OptionError(
                f"target_unit={fairness.target_unit!r} and the source {name!r:.60}: a count table no longer has lines; "
                "give parallel, or targets in another unit",
                remedies=[{"target_unit": TARGET_UNITS[0]}],
            )
        found[name] = sizes[name][unit] * Fraction(target) if is_by_line else sizes[name][unit] / Fraction(target)
    return found
