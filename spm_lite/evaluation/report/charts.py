"""The charts of the page, as SVG: premiums, the front, differences of bits per byte, scripts, lengths, frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spm_lite.cards import escaped
from spm_lite.evaluation.figures.mixture import with_mixture
from spm_lite.evaluation.prediction.verdicts import BITS
from spm_lite.evaluation.report.chart_axes import (
    LEFT,
    WIDTH,
    Scale,
    figure,
    group_name,
    left_of,
    level_lines,
    log_scale,
    short,
    upright_lines,
)
from spm_lite.evaluation.report.faults import loses
from spm_lite.evaluation.report.front_chart import front_chart
from spm_lite.evaluation.report.page_style import colour, mark
from spm_lite.evaluation.report.parity_summary import points_of
from spm_lite.evaluation.report.standings import NOT_JUDGED
from spm_lite.evaluation.report.summaries import number, percent

ROW = 22
GAP = 11  # above and below the marks of a text
EDGE = 16  # right of a chart
MOST_SCRIPTS = 8
SEEN = 0.005  # a smaller share of a bar is not seen
ALIKE = 0.02  # of all pieces: bars of scripts that differ less are one
TONES = ("#4e79c4", "#e08a3c", "#4aa564", "#b065c9", "#c2a22e", "#3aa0ad", "#c75b6b", "#6b7683", "#a9b2bb")
MOST_LENGTHS = 60  # rows of one chart, so that it fits on a sheet of paper
NARROW = 13  # between the marks of one text
BAND = 0.005  # of bits per byte: smaller differences say nothing


def charts(data: Mapping[str, Any]) -> Iterator[str]:
    """All charts that there are figures for."""
    for chart in (premiums, front, differences, scripts, lengths, frequencies):
        drawn = chart(data)
        if drawn:
            yield drawn


def premiums(data: Mapping[str, Any]) -> str:
    """Tokens of each language against the reference, on a logarithmic axis."""
    parity = data["parity"]
    if not parity:
        return ""
    first = next(iter(parity.values()))
    names = sorted(first["languages"], key=lambda name: first["languages"][name]["premium_spelled"] or 0)
    rows = {one: parity[one]["languages"] for one in parity}
    every = [
        row[name][kind] or 1 for row in rows.values() for name in names for kind in ("premium_spelled", "byte_premium")
    ]
    left = left_of(names)
    x = log_scale([1, *every], left, WIDTH - EDGE)
    bottom = ROW * len(names) + 4
    drawing = upright_lines(x, 0, bottom)
    for i, name in enumerate(names):
        y = ROW * (i + 0.5)
        drawing += group_name(name, left, ROW * i, ROW * (i + 1))
        bytes_at = x(first["languages"][name]["byte_premium"] or 1)
        place = f'x1="{bytes_at:.1f}" y1="{y - 7}" x2="{bytes_at:.1f}" y2="{y + 7}"'
        drawing += f'<line {place} stroke="currentColor" opacity=".5"/>'
        for k, one in enumerate(parity):
            value = rows[one][name]["premium_spelled"]
            if value:
                is_lost = loses(data["corpus"][name][one])
                between = rows[one][name].get("premium_spelled_ci95")
                shown = f" [{number(between[0])}, {number(between[1])}]" if between else ""
                title = escaped(f"{one}, {name}: {number(value)}{shown}{' (loses text)' if is_lost else ''}")
                if between:
                    place = f'x1="{x(between[0]):.1f}" y1="{y}" x2="{x(between[1]):.1f}" y2="{y}"'
                    drawing += f'<line {place} stroke="{colour(k)}" stroke-width="2"/>'
                drawing += mark(k, x(value), y, is_lost, title)
    caption = (
        f"Tokens for the same content, relative to {escaped(first['reference'])}. Left is better; hollow marks lose "
        "text, and their unknown tokens count as bytes. Lines: 95 % intervals. Grey ticks: bytes of UTF-8 relative to "
        "the reference."
    )
    return figure(caption, drawing, bottom + 22, "premium by language")


def front(data: Mapping[str, Any]) -> str:
    """Tokens of the parallel texts against Gini's coefficient, if there are two tokenizers or more."""
    points = points_of(data)
    return front_chart({"": points}) if len(points) > 1 else ""


def differences(data: Mapping[str, Any]) -> str:
    """Differences in bits per byte from one tokenizer, with 95 % intervals: a row for each text, a mark for each."""
    base = base_of(data)
    rows = difference_rows(data, base)
    if not rows:
        return ""
    names = [*data["tokenizers"]]
    reach = max([*(abs(end) for row in rows.values() for one in row for end in one.ends), 4 * BAND]) * 1.1
    left = left_of(rows)
    x = Scale(-reach, reach, left, WIDTH - EDGE)
    drawing, y = "", GAP
    for text, row in rows.items():
        drawing += group_name(text, left, y - GAP, y + NARROW * (len(row) - 1) + GAP)
        for one in row:
            low, high = one.ends
            title = f"{text}: {names[one.other]} - {base} {number(one.difference)} [{number(low)}, {number(high)}]"
            place = f'x1="{x(low):.1f}" y1="{y:.1f}" x2="{x(high):.1f}" y2="{y:.1f}"'
            drawing += f'<line {place} stroke="{colour(one.other)}" stroke-width="2"/>'
            title += " (not judged)" if one.is_open else ""
            drawing += mark(one.other, x(one.difference), y, one.is_open, escaped(title))
            y += NARROW
        y += 2 * GAP - NARROW
    bottom = y - GAP
    begin, end = x(-BAND), x(BAND)
    band = f'<rect class="band" x="{begin:.1f}" y="0" width="{end - begin:.1f}" height="{bottom:.1f}"/>'
    caption = (
        f"Bits per byte above those of {escaped(base)} (n-gram models of two tokens), with 95 % intervals. Left of "
        "zero is better. Within the band, a difference means nothing. Hollow marks are not judged: there is too little "
        "text. Texts that one of the two loses are left out."
    )
    return figure(caption, band + upright_lines(x, 0, bottom) + drawing, bottom + 22, "difference in bits per byte")


@dataclass
class Difference:
    """Bits per byte of the tokenizer at a place, minus the bits per byte of `other`. is_open: no verdict exists."""

    other: int
    difference: float
    ends: tuple[float, float]
    is_open: bool


def difference_rows(data: Mapping[str, Any], base: str) -> dict[str, list[Difference]]:
    """The differences of each text that neither tokenizer loses."""
    names = [*data["tokenizers"]]
    rows: dict[str, list[Difference]] = {}
    for one in data["verdicts"]:
        text, pair = one["text"], (one["a"], one["b"])
        if one["figure"] != BITS or one["verdict"] == "loses text" or base not in pair:
            continue
        if any(loses(with_mixture(data, "corpus")[text][name]) for name in pair):
            continue
        figures = with_mixture(data, "ngram")[text]["pairs"][" - ".join(pair)].get("n2")
        if figures and figures["ci95"]:
            sign = 1 if pair[1] == base else -1
            low, high = sorted(sign * end for end in figures["ci95"])
            other = names.index(pair[0] if sign == 1 else pair[1])
            is_open = one["verdict"] in NOT_JUDGED
            rows.setdefault(text, []).append(Difference(other, sign * figures["difference"], (low, high), is_open))
    return rows


def base_of(data: Mapping[str, Any]) -> str:
    """The tokenizer that the others are compared with: the first of those that lose the fewest texts."""
    losses: dict[str, int] = {
        name: sum(loses(text[name]) for text in data["corpus"].values()) for name in data["tokenizers"]
    }
    return min(losses, key=lambda name: losses[name])


def scripts(data: Mapping[str, Any]) -> str:
    """The scripts of each vocabulary, and of the tokens on all texts; one bar for tokenizers that hardly differ."""
    pieces = {
        name: data["vocabulary"].get(name, {}).get("tables", {}).get("scripts") or {} for name in data["tokenizers"]
    }
    tokens: dict[str, dict[str, int]] = {name: {} for name in data["tokenizers"]}
    for text in data["corpus"].values():
        for name, counts in tokens.items():
            for script, count in (text.get(name, {}).get("tokens_by_script") or {}).items():
                counts[script] = counts.get(script, 0) + count
    bars = [*alike("pieces", pieces), *alike("tokens of all texts", tokens)]
    if not bars:
        return ""
    sums: dict[str, float] = {}
    for _, shares in bars:
        for script, share in shares.items():
            sums[script] = sums.get(script, 0.0) + share
    large = [script for script in sums if any(shares.get(script, 0.0) > SEEN for _, shares in bars)]
    shown = sorted(large, key=lambda script: -sums[script])[:MOST_SCRIPTS]
    drawing, y = "", 0.0
    for name, shares in bars:
        drawing += f'<text x="0" y="{y + 12:.1f}">{escaped(name)}</text>'
        parts = {script: shares.get(script, 0.0) for script in shown}
        parts["other"] = max(1.0 - sum(parts.values()), 0.0)
        begin = 0.0
        for k, (script, share) in enumerate(parts.items()):
            width = WIDTH * share
            if share > 0.0005:
                drawing += (
                    f'<rect x="{begin:.1f}" y="{y + 16:.1f}" width="{width:.1f}" height="16" fill="{TONES[k]}" '
                    f'stroke="var(--ground)"><title>{escaped(script)} {percent(share)}</title></rect>'
                )
            begin += width
        y += 40
    legend = "".join(
        f'<span><svg viewBox="0 0 12 12" width="12" height="12"><rect width="12" height="12" fill="{TONES[k]}"/></svg>'
        f"{escaped(script)}</span>"
        for k, script in enumerate([*shown, *(["other"] if len(sums) > len(shown) else [])])
    )
    return figure("Scripts, the largest first.", drawing, y, "scripts", f"<p class=key>{legend}</p>")


def alike(what: str, counts: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield a name and the shares of scripts for each bar: one for all tokenizers, if none is far from the others."""
    shares = {
        name: {script: count / sum(one.values()) for script, count in one.items()}
        for name, one in counts.items()
        if sum(one.values())
    }
    scripts = {script for one in shares.values() for script in one}
    columns = [[one.get(script, 0.0) for one in shares.values()] for script in scripts]
    if len(shares) > 1 and all(max(column) - min(column) < ALIKE for column in columns):
        yield f"{what}, all tokenizers (within {ALIKE:.0%})", next(iter(shares.values()))
    else:
        yield from ((f"{what}, {short(name)}", one) for name, one in shares.items())


LENGTHS = ("p5", "p25", "p50", "p75", "p95", "max")


def lengths(data: Mapping[str, Any]) -> str:
    """Tokens of a text: the middle half as a box, 5 to 95 % as a line. Many rows make several charts of one scale."""
    rows = [
        (text, k, figures["length"])
        for text, tokenizers in data["corpus"].items()
        for k, figures in enumerate(tokenizers.values())
        if (figures.get("length") or {}).get("p95") and None not in map(figures["length"].get, LENGTHS)
    ]
    if not rows:
        return ""
    ends = [value for *_, row in rows for value in (max(row["p5"], 1), row["p95"])]
    x = log_scale(ends, left_of(data["corpus"]), WIDTH - EDGE)
    caption = (
        "Tokens of a text: the mark is the median, the box the middle half, the line 5 to 95 %. Hollow: loses text."
    )
    drawn = ""
    step = max(1, MOST_LENGTHS // len(data["tokenizers"])) * len(data["tokenizers"])
    for first in range(0, len(rows), step):
        drawn += lengths_of(data, rows[first : first + step], x, caption)
        caption = "Tokens of a text, of further texts."
    return drawn


def lengths_of(data: Mapping[str, Any], rows: list[tuple[str, int, Any]], x: Scale, caption: str) -> str:
    """The chart of some rows: text, place of the tokenizer, figures."""
    drawing, y = "", GAP - NARROW
    counts = Counter(text for text, *_ in rows)
    for i, (text, k, row) in enumerate(rows):
        y += NARROW
        if i == 0 or text != rows[i - 1][0]:
            y += 2 * GAP - NARROW if i else 0
            drawing += group_name(text, round(x.begin), y - GAP, y + NARROW * (counts[text] - 1) + GAP)
        name = [*data["tokenizers"]][k]
        title = escaped(
            f"{name}, {text}: median {number(row['p50'])}, 95 % below {number(row['p95'])}, most {number(row['max'])}"
        )
        low, first, middle, third, high = (x(max(row[key], 1)) for key in ("p5", "p25", "p50", "p75", "p95"))
        drawing += (
            f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke="{colour(k)}"/>'
            f'<rect x="{first:.1f}" y="{y - 4}" width="{max(third - first, 1):.1f}" height="8" fill="{colour(k)}" '
            f'opacity=".55"><title>{title}</title></rect>'
        )
        drawing += mark(k, middle, y, loses(data["corpus"][text][name]), title)
    bottom = y + GAP
    return figure(caption, upright_lines(x, 0, bottom) + drawing, bottom + 22, "lengths")


def frequencies(data: Mapping[str, Any]) -> str:
    """Count over rank of the tokens of the largest text, both logarithmic."""
    texts = [text for text in data["corpus"] if any(one.get("rank_frequency") for one in data["corpus"][text].values())]
    if not texts:
        return ""
    text = max(texts, key=lambda name: data["texts"][name]["bytes"])
    curves = [
        (k, one["rank_frequency"]) for k, one in enumerate(data["corpus"][text].values()) if one.get("rank_frequency")
    ]
    points = [point for _, curve in curves for point in curve]
    x = log_scale([rank for rank, _ in points], LEFT, WIDTH - EDGE)
    y = log_scale([count for _, count in points], 230, 10)
    drawing = upright_lines(x, 10, 230) + level_lines(y)
    for k, curve in curves:
        path = " ".join(f"{x(rank):.1f},{y(count):.1f}" for rank, count in curve)
        drawing += f'<polyline points="{path}" fill="none" stroke="{colour(k)}" stroke-width="1.5"/>'
        drawing += "".join(mark(k, x(rank), y(count)) for rank, count in curve[:: max(len(curve) // 6, 1)])
    return figure(f"How often the tokens of {escaped(text)} occur, by rank.", drawing, 252, "rank and frequency")
