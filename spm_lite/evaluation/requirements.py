"""Requirements on the figures of an audit, such as `de.fertility<1.8`, for tests that run by themselves.

[TOKENIZER:][TEXT.]FIGURE OP NUMBER. Without a tokenizer or a text, all of them must meet it. The mixture of weighted
texts must meet only the rules that name it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.mixture import MIXTURE, flat, with_mixture
from spm_lite.evaluation.vocabulary.junk import KINDS
from spm_lite.near_names import near_names

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
FORM = re.compile(r"\s*(.+?)\s*(<=|>=|==|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
SHORT = {  # names for people -> figures of a text
    "fertility": "fertility.value", "roundtrip": "roundtrip.rate", "unknown": "unknown.character_share",
    "byte_fallback": "byte_fallback.token_share", "split_rate": "letter_words.split_rate",
    "single_token_words": "single_token_words.rate",
}  # fmt: skip
PARITY = {"premium.max": "tax_max", "premium.median": "tax_median", "max_mean": "max_mean", "gini": "gini"}


@dataclass(frozen=True)
class Requirement:
    """One requirement. tokenizer, text: None: each of them."""

    asked: str
    tokenizer: str | None
    text: str | None
    figure: str
    is_of_texts: bool  # whether each text has the figure; else it is one of the tokenizer
    sign: str
    limit: float


@dataclass(frozen=True)
class Failure:
    """A requirement that is not met. `str(failure)` says it in words. value: None: it could not be computed."""

    __module__ = "spm_lite"

    requirement: str
    tokenizer: str
    text: str | None
    figure: str
    value: float | None

    def __str__(self) -> str:
        where = f"{self.tokenizer}, {self.text}" if self.text is not None else self.tokenizer
        value = "could not be computed" if self.value is None else f"is {self.value:.6g}"
        return f"{where}: {self.figure} {value}, but {self.requirement} is required"


def failures(data: Mapping[str, Any], requirements: list[str]) -> list[Failure]:
    """The requirements that are not met. Raises OptionError for one that cannot be read, or names no figure."""
    found, known = [], figures_of(data)
    for asked in requirements:
        one = parse(data, known, asked)
        meets = OPERATORS[one.sign]
        for tokenizer, text, value in values(data, one):
            if value is None or not meets(value, one.limit):
                found.append(Failure(one.asked, tokenizer, text, one.figure, value))
    return found


def parts_of(asked: str) -> tuple[str, str, str]:
    """The name, operator and number of a requirement. Raises OptionError for another form."""
    match = FORM.fullmatch(asked)
    if match is None:
        raise OptionError(
            f"the requirement {asked!r:.80} is not of the form [TOKENIZER:][TEXT.]FIGURE OP NUMBER, such as "
            "'unreachable<=0' or 'de.fertility<1.8'; OP is < <= > >= or =="
        )
    name, sign, limit = match.groups()
    return name, sign, limit


def parse(data: Mapping[str, Any], known: Mapping[str, str], asked: str) -> Requirement:
    """Read a requirement. known: as `figures_of` returns them."""
    name, sign, limit = parts_of(asked)
    tokenizer = next((one for one in data["tokenizers"] if name.startswith(f"{one}:")), None)
    rest = name[len(tokenizer) + 1 :] if tokenizer is not None else name
    texts = with_mixture(data, "corpus")
    text = next((one for one in texts if rest.startswith(f"{one}.") and rest[len(one) + 1 :] in known), None)
    figure = rest[len(text) + 1 :] if text is not None else rest
    if figure not in known:
        near = near_names(figure, known)
        raise OptionError(
            f"the requirement {asked!r:.80}: there is no figure {figure!r:.60}"
            + (f" (did you mean {' or '.join(map(repr, near))}?)" if near else "")
            + f". Tokenizers: {', '.join(data['tokenizers'])}; texts: {', '.join(texts) or 'none'}; figures: "
            f"{', '.join(sorted(known)):.600}"
        )
    if text is not None and known[figure] != "text":
        raise OptionError(f"the requirement {asked!r:.80}: {figure} is a figure of a tokenizer, not of a text")
    return Requirement(asked, tokenizer, text, figure, known[figure] == "text", sign, float(limit))


def figures_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The figures that an audit has: name -> "tokenizer", or "text" if each text has it."""
    found = dict.fromkeys(("unreachable", "size"), "tokenizer")
    for name in data["tokenizers"]:
        found |= dict.fromkeys(of_vocabulary(data, name), "tokenizer")
    if data["parity"]:
        found |= dict.fromkeys(PARITY, "tokenizer")
    for text in data["corpus"].values():
        for figures in text.values():
            found |= dict.fromkeys((*SHORT, *numbers(figures)), "text")
    if any(text["models"] for text in data["ngram"].values()):
        found["bits_per_byte"] = "text"
    if data["parity"]:
        found["premium"] = "text"
    return found


def numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    """All figures of a text that are one number."""
    return {name: value for name, value in flat(figures).items() if isinstance(value, (int, float))}


def of_vocabulary(data: Mapping[str, Any], name: str) -> dict[str, float]:
    """Further figures of a vocabulary: pieces of junk and duplicates, by kind."""
    found = data["vocabulary"].get(name, {})
    if "junk" not in found:  # of other programs' tokenizers less is known
        return {}
    junk = dict.fromkeys((f"junk.{kind}" for kind in KINDS), 0)
    junk |= {f"junk.{kind}": value["count"] for kind, value in found["junk"].items()}
    return junk | {f"duplicates.{kind}": value["pieces"] for kind, value in found.get("duplicates", {}).items()}


def values(data: Mapping[str, Any], one: Requirement) -> Iterator[tuple[str, str | None, float | None]]:
    """Yield (tokenizer, text, value) for all that a requirement is about."""
    for name in [one.tokenizer] if one.tokenizer is not None else data["tokenizers"]:
        if not one.is_of_texts:
            yield name, None, value_of_tokenizer(data, name, one.figure)
            continue
        for text in [one.text] if one.text is not None else data["texts"]:
            if one.figure == "premium" and one.text is None and text not in data["parity"][name]["languages"]:
                continue
            yield name, text, value_on_text(data, name, text, one.figure)


def value_of_tokenizer(data: Mapping[str, Any], name: str, figure: str) -> float | None:
    if figure == "size":
        return data["tokenizers"][name]["size"]  # type: ignore[no-any-return]
    if figure == "unreachable":
        pieces = data["vocabulary"].get(name, {}).get("reach", {}).get("unreachable")
        return None if pieces is None else len(pieces)
    if figure in PARITY:
        return data["parity"].get(name, {}).get("all_spelled", {}).get(PARITY[figure])  # type: ignore[no-any-return]
    known = of_vocabulary(data, name)
    return known.get(figure, 0 if known else None)


def value_on_text(data: Mapping[str, Any], name: str, text: str, figure: str) -> float | None:
    """A figure of a tokenizer on a text. Unknown tokens count as their bytes, so that lost text is no gain."""
    if figure == "premium":
        return data["parity"][name]["languages"].get(text, {}).get("premium_spelled")  # type: ignore[no-any-return]
    if figure == "bits_per_byte":
        models = with_mixture(data, "ngram").get(text, {}).get("models", {}).get(name, {})
        order = next((order for order in ("n2", "n3", "n1") if order in models), "")
        return models.get(order, {}).get("bits_per_byte_spelled")  # type: ignore[no-any-return]
    return numbers(with_mixture(data, "corpus").get(text, {}).get(name, {})).get(SHORT.get(figure, figure))


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
        return f"{where}: {self.figure} {figure_text(self.before)} -> {figure_text(self.after)}{share}"


def figure_text(value: float | None) -> str:
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
