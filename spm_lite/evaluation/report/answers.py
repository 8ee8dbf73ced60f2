"""The sentences of an audit that answer a question: which tokenizer to take, and which language suffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spm_lite.evaluation.figures.mixture import MIXTURE
from spm_lite.evaluation.report.parity_summary import ends, front_sentence, loses_some, points_of, spread_of
from spm_lite.evaluation.report.ranking import Ranking, listed
from spm_lite.evaluation.report.summaries import number, percent

TAKE = "Which one to take"
LANGUAGES = "Which language suffers"
BROKEN = "What is broken"
GIVE_TRANSLATIONS = (
    "Rows of different languages do not compare: their texts differ in content, and their characters in bytes. To see "
    "which language suffers, give translations: parallel= (--parallel eng=eng.txt jpn=jpn.txt)."
)
SAID_AT_MOST = 6  # tokenizers of which a sentence speaks one by one


def take_sentence(data: Mapping[str, Any]) -> str:
    """Which tokenizer to take, and why. Of only one: whether it keeps text."""
    names = [*data["tokenizers"]]
    if len(names) > 1:
        return Ranking(data).choice.sentence if data["verdicts"] else without_verdicts(data)
    return kept_sentence(data, names[0])


def without_verdicts(data: Mapping[str, Any]) -> str:
    if any(one["texts"] for one in data["texts"].values()):
        return "Cannot tell which is better: no n-gram models were asked for. Leave out orders=() (--orders none)."
    return "Cannot tell which is better without text: give some as texts= (--text en=en.txt)."


def kept_sentence(data: Mapping[str, Any], name: str) -> str:
    """Whether the only tokenizer gives texts back, and how to compare it."""
    if not data["texts"]:
        n, size = len(data["faults"]), data["tokenizers"][name]["size"]
        found = f"{name} has {n or 'no'} fault{'s' * (n != 1)}" + (f" in {number(size)} pieces" if size else "")
        return f"{found}. To judge it on text, give texts= (--text en=en.txt)."
    rates = {text: (tokenizers[name]["roundtrip"] or {}).get("rate") for text, tokenizers in data["corpus"].items()}
    changed = {text: rate for text, rate in rates.items() if rate is not None and rate < 1}
    if changed:
        worst = min(changed, key=lambda text: changed[text])
        found = (
            f"{name} does not give back all of {listed([*changed])}: {percent(changed[worst])} of {worst} come back."
        )
    elif None in rates.values():
        found = f"{name} does not decode, so it is not known whether texts come back."
    else:
        total = sum(one["texts"] for one in data["texts"].values())
        found = f"{name} gives back all of {total:,} texts."
    return f"{found} To learn whether another tokenizer is better, name it too."


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
