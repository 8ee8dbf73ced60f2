"""What people read about languages: which one suffers, how unequal they are by tokenizer, and who is on the front."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spm_lite.evaluation.figures.fair_front import FairPoint, front_of
from spm_lite.evaluation.figures.mixture import MIXTURE
from spm_lite.evaluation.report.sections import Table
from spm_lite.evaluation.report.summaries import number

Spread = Mapping[str, Any]
EXPLAINED = (
    "Tokens for the same content. Gini: 0 if all languages need as many. max/min: most tokens of a language against "
    "the fewest; max/mean: against the mean. 95 %: intervals over documents."
)

LANGUAGES = "Which language suffers"  # the heading
GIVE_TRANSLATIONS = (
    "Rows of different languages do not compare: their texts differ in content, and their characters in bytes. To see "
    "which language suffers, give translations: parallel= (--parallel eng=eng.txt jpn=jpn.txt)."
)
SAID_AT_MOST = 6  # tokenizers of which a sentence speaks one by one


def language_sentences(data: Mapping[str, Any]) -> list[str]:
    """Which language suffers, if texts are translations; else how to find out, if there are several."""
    if data["parity"]:
        return [one for one in (suffering(data), front_sentence(points_of(data))) if one]
    return [GIVE_TRANSLATIONS] if len([text for text in data["texts"] if text != MIXTURE]) > 1 else []


def suffering(data: Mapping[str, Any]) -> str:
    """The language with the most tokens for the same content, by tokenizer, against the one with the fewest."""
    parts = []
    for name in data["parity"]:
        spread = spread_of(data, name)
        if spread["worst"] is None or spread["tax_max"] is None:
            continue
        between = "" if spread.get("tax_max_ci95") is None else f", 95 %: {ends(spread['tax_max_ci95'])}"
        lost = f"; {name} loses text" if loses_some(data, name) else ""
        with_what = f" with {name}" if len(data["parity"]) > 1 else ""
        times = f"{number(spread['tax_max'])} times as many as {spread['best']}"
        parts.append(f"{spread['worst']}{with_what} ({times}{between}{lost})")
    if not parts or len(parts) > SAID_AT_MOST:
        return ""
    return f"Most tokens for the same content: {', '.join(parts)}."


def parity_table(data: Mapping[str, Any]) -> Table:
    """A column for each tokenizer. Without rows, if there are no parallel texts."""
    names = [*data["parity"]]
    if not names:
        return Table("", "", [], [])
    reference = data["parity"][names[0]]["reference"]
    spreads = {name: spread_of(data, name) for name in names}
    on_front = {point.name for point in front_of(points_of(data))}
    makers: list[tuple[str, Callable[[str], str]]] = [
        ("tokens", lambda name: number(spreads[name].get("tokens"))),
        ("Gini", lambda name: small(spreads[name]["gini"])),
        ("  95 %", lambda name: ends(spreads[name].get("gini_ci95"))),
        ("max/min", lambda name: number(spreads[name]["tax_max"])),
        ("  95 %", lambda name: ends(spreads[name].get("tax_max_ci95"))),
        ("max/mean", lambda name: number(spreads[name].get("max_mean"))),
        ("  95 %", lambda name: ends(spreads[name].get("max_mean_ci95"))),
        ("median/min", lambda name: number(spreads[name]["tax_median"])),
        ("most", lambda name: spreads[name]["worst"] or "-"),
        ("fewest", lambda name: spreads[name]["best"] or "-"),
        ("represented", lambda name: represented(data, name)),
    ]
    if len(names) > 1:
        makers.append(("on the front", lambda name: "yes" if name in on_front else "no"))
    rows = [(what, [make(name) for name in names]) for what, make in makers]
    return Table(f"Parity over languages (reference {reference})", EXPLAINED, names, rows)


def loses_some(data: Mapping[str, Any], name: str) -> bool:
    """Whether a tokenizer loses the text of some language."""
    figures = data["parity"][name]
    return bool(figures["represented"]["languages"] < figures["all"]["languages"])


def spread_of(data: Mapping[str, Any], name: str) -> Spread:
    """How unequal the languages are for one tokenizer: of spelled costs, if it does not represent all."""
    spread: Spread = data["parity"][name]["all_spelled" if loses_some(data, name) else "all"]
    return spread


def represented(data: Mapping[str, Any], name: str) -> str:
    figures = data["parity"][name]
    return f"{figures['represented']['languages']} of {figures['all']['languages']}"


def points_of(data: Mapping[str, Any]) -> list[FairPoint]:
    """The tokenizers as points of the front. Older audits have no totals, so no points."""
    found = []
    for name in data["parity"]:
        spread = spread_of(data, name)
        if spread.get("tokens") and spread["gini"] is not None:
            ci95 = spread["gini_ci95"]
            interval = None if ci95 is None else (ci95[0], ci95[1])
            found.append(FairPoint(name, spread["tokens"], spread["gini"], interval, loses_some(data, name)))
    return found


def front_sentence(points: Sequence[FairPoint]) -> str:
    """Who is on the front, in one sentence; empty for fewer than two tokenizers."""
    front = front_of(points)
    if len(points) < 2 or not front:
        return ""
    if len(front) == 1:
        return f"{front[0].name} has both the fewest tokens and the lowest Gini."
    shown = [f"{point.name} ({number(point.tokens)} tokens, Gini {small(point.gini)})" for point in front]
    return f"On the front, where no other is better in both tokens and Gini: {', '.join(shown)}."


def small(value: float | None) -> str:
    """A number below 1 to three digits, without the zero before its point."""
    return number(value).removeprefix("0") if value else number(value)


def ends(interval: Sequence[float] | None) -> str:
    """An interval, each end to a fifth of its half width, but to four digits at most.

    >>> ends([1.3801, 1.4523]), ends([0.05003, 0.05361]), ends(None)
    ('1.380-1.452', '.0500-.0536', '-')
    """
    if interval is None:
        return "-"
    low, high = interval
    most = 3 if high >= 1 else 4
    digits = most if high <= low else min(max(math.ceil(-math.log10((high - low) / 10)), 0), most)
    return "-".join(f"{end:.{digits}f}".removeprefix("0" if digits else "") for end in (low, high))
