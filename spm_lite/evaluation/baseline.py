"""What has moved between two audits: each figure that differs by more than its error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

from spm_lite.evaluation.figures.mixture import MIXTURE, with_mixture
from spm_lite.evaluation.requirements import numbers, of_vocabulary, value_of_tokenizer, value_on_text

Z95 = 1.96
BAND = 0.005  # differences of bits per byte within half a percent say nothing
COUNTED = (  # figures without an error where the text is the same
    "tokens", "bytes_per_token", "fertility.value", "unknown.character_share", "byte_fallback.token_share",
    "letter_words.split_rate", "single_token_words.rate", "roundtrip.rate", "vocabulary.share_used",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """A figure that moved. `str(change)` says it in words."""

    __module__ = "spm_lite"

    tokenizer: str
    text: str | None
    figure: str
    before: float | None
    after: float | None

    def __str__(self) -> str:
        where = self.tokenizer if self.text is None else f"{self.tokenizer}, {self.text}"
        share = f" ({self.after / self.before - 1:+.2%})" if self.before and self.after is not None else ""
        return f"{where}: {self.figure} {shown(self.before)} -> {shown(self.after)}{share}"


def shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what moved for tokenizers and texts of the same names.

    Counts on the same text move if they differ at all; premiums, if they differ by more than their common error at
    95 %; bits per byte, by half a percent. Of another text under the same name only premiums are compared. The mixture
    is the same if its texts and shares are.
    """
    for name in after["tokenizers"]:
        if name not in before["tokenizers"]:
            continue
        figures = ["size", "unreachable", *of_vocabulary(after, name)]
        for figure in figures:
            old = value_of_tokenizer(before, name, figure)
            yield from moved(name, None, figure, old, value_of_tokenizer(after, name, figure))
        for text, known in after["texts"].items():
            if text in before["texts"]:
                is_same = before["texts"][text]["sha256"] == known["sha256"]
                yield from changes_on_text(before, after, name, text, is_same)
        if MIXTURE in before and MIXTURE in after:
            yield from changes_on_text(before, after, name, MIXTURE, is_same_mixture(before, after))


def is_same_mixture(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether the mixtures have the same texts, with the same shares."""
    shares = before[MIXTURE]["shares"]
    return bool(shares == after[MIXTURE]["shares"]) and all(
        before["texts"][text]["sha256"] == after["texts"][text]["sha256"] for text in shares
    )


def changes_on_text(
    before: Mapping[str, Any], after: Mapping[str, Any], name: str, text: str, is_same: bool
) -> Iterator[Change]:
    if is_same:
        counted, recounted = (
            numbers(with_mixture(data, "corpus").get(text, {}).get(name, {})) for data in (before, after)
        )
        for figure in COUNTED:
            yield from moved(name, text, figure, counted.get(figure), recounted.get(figure))
        bits = value_on_text(before, name, text, "bits_per_byte")
        new_bits = value_on_text(after, name, text, "bits_per_byte")
        yield from moved(name, text, "bits_per_byte", bits, new_bits, BAND * (bits or 0))
    rows = [data["parity"].get(name, {}).get("languages", {}).get(text) for data in (before, after)]
    if rows[0] and rows[1]:
        error = Z95 * hypot(rows[0]["premium_se"] or 0, rows[1]["premium_se"] or 0)
        yield from moved(name, text, "premium", rows[0]["premium_spelled"], rows[1]["premium_spelled"], error)


def moved(
    name: str, text: str | None, figure: str, before: float | None, after: float | None, error: float = 0.0
) -> Iterator[Change]:
    if before is None and after is None:
        return
    if before is None or after is None or abs(after - before) > error:
        yield Change(name, text, figure, before, after)
