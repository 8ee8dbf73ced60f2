"""The mixture of weighted texts: the share of each, and the figures of a tokenizer on all of them together.

Shares are of the bytes as given. So a text counts share / bytes times. A rate is the sum of numerators over the sum of
denominators, in which each text counts that often. Other figures are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import fsum
from typing import Any

from spm_lite.arguments import as_weights
from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.distributions import ratio

MIXTURE = "mixture"  # the name of its row
RATIOS = {  # figure: what is above, what is below
    "bytes_per_token": ("bytes", "tokens"),
    "characters_per_token": ("characters", "tokens"),
    "graphemes_per_token": ("graphemes", "tokens"),
    "words_per_token": ("words", "tokens"),
    "bytes_per_token_spelled": ("bytes", "tokens_spelled"),
    "tokens_per_word": ("tokens", "words"),
    "tokens_per_grapheme": ("tokens", "graphemes"),
    "tokens_per_character": ("tokens", "characters"),
    "length.mean": ("tokens", "texts"),
    "unknown.token_share": ("unknown.tokens", "tokens"),
    "unknown.character_share": ("unknown.characters", "characters"),
    "byte_fallback.token_share": ("byte_fallback.tokens", "tokens"),
    "byte_fallback.character_share": ("byte_fallback.characters", "characters"),
    "letter_words.split_rate": ("letter_words.split", "letter_words.words"),
    "roundtrip.rate": ("roundtrip.same", "texts"),
}


def as_shares(weights: Any, names: Sequence[str]) -> dict[str, float] | None:
    """The share of each text, in the order of the names. Raises ArgumentTypeError and OptionError for wrong weights."""
    if weights is None:
        return None
    remedies = [{"weights": None}]
    if len(names) < 2:
        raise OptionError(
            f"weights is for two or more texts, not {len(names)}: pass more, or leave out weights", remedies=remedies
        )
    if MIXTURE in names:
        raise OptionError(
            f"a text is named {MIXTURE!r}, and weights adds a row of this name: give the text another name",
            remedies=remedies,
        )
    found = as_weights(weights, names, "text")
    total = sum(Fraction(weight) for weight in found.values())
    return {name: float(Fraction(weight) / total) for name, weight in found.items()}


def mixed_figures(of_texts: Mapping[str, Mapping[str, Any]], shares: Mapping[str, float]) -> dict[str, Any]:
    """The figures of one tokenizer on the mixture; None: one that cannot be computed. of_texts: its corpus figures.

    >>> rows = {"en": {"bytes": 400, "tokens": 100}, "de": {"bytes": 30, "tokens": 10}}
    >>> mixed_figures(rows, {"en": 0.5, "de": 0.5})["bytes_per_token"]  # 1 / (0.5 / 4 + 0.5 / 3)
    3.4285714285714284
    """
    rows = {text: flat(figures) for text, figures in of_texts.items()}

    def total(name: str) -> float | None:
        """The sum over the texts for a byte of the mixture; None: it is not known for one of them."""
        sums = [(shares[text], row.get(name), row["bytes"]) for text, row in rows.items()]
        if any(value is None or not n_bytes for _, value, n_bytes in sums):
            return None
        return fsum(share * (value / n_bytes) for share, value, n_bytes in sums)

    def of_totals(above: str, below: str) -> float | None:
        sums = total(above), total(below)
        return None if sums[0] is None or sums[1] is None else ratio(sums[0], sums[1])

    result: dict[str, Any] = {}
    for name, (above, below) in RATIOS.items():
        section, _, last = name.rpartition(".")
        place = result.setdefault(section, {}) if section else result
        place[last] = of_totals(above, below)
    units = {row.get("fertility.unit") for row in rows.values()}
    unit = units.pop() if len(units) == 1 else None  # words of one text and clusters of another have no sum
    result["fertility"] = {"unit": unit, "value": result[f"tokens_per_{unit}"] if unit else None}
    return result


def flat(figures: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """All figures that are one value; those within others by names such as `unknown.character_share`."""
    row: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping) and name not in ("tokens_by_script", "text_by_script", "reasons"):
            row |= flat(value, f"{prefix}{name}.")
        elif not isinstance(value, (list, Mapping)):
            row[prefix + name] = value
    return row


def with_mixture(data: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """A section of an audit by text, the mixture last if there is one."""
    return {**data[section], MIXTURE: data[MIXTURE][section]} if MIXTURE in data else data[section]
