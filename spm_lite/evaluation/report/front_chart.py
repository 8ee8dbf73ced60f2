"""The chart of the front, as SVG: tokens from left to right, Gini's coefficient upwards, a mark for each tokenizer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from spm_lite.cards import escaped
from spm_lite.evaluation.figures.parity import FairPoint, front_of
from spm_lite.evaluation.report.chart_axes import LEFT, LETTER, WIDTH, Scale, figure, level_lines, short, upright_lines
from spm_lite.evaluation.report.page_style import CHARTS, GROUND, colour, mark
from spm_lite.evaluation.report.parity_summary import small
from spm_lite.evaluation.report.summaries import number

HEIGHT = 260
TOP = 12
LINE = 13  # pixels between names
ROW, COLUMN, AT_ONCE = 18, 100, 3  # of the key: pixels between rows and columns, and groups in a row
CAPTION = (
    "Tokens of all languages against Gini's coefficient: left and down are better. The line joins those of which no "
    "other is better in both. Upright lines: 95 % intervals. Hollow marks lose text; beyond the "
    "axes, they stand at the edge."
)


def front_chart(
    groups: Mapping[str, Sequence[FairPoint]], caption: str = CAPTION, unit: str = "tokens", has_own_marks: bool = True
) -> str:
    """The points with their names; in each group, those on its front are joined. groups: by name.

    caption: escaped already. unit: of the tokens. has_own_marks: each point has a mark of its own, not each group.
    """
    points = [point for group in groups.values() for point in group]
    shown = [point for point in points if not point.is_lost] or points
    most = max(point.interval[1] if point.interval else point.gini for point in shown)
    fewest, top = min(point.tokens for point in shown), max(point.tokens for point in shown)
    margin = 0.06 * (top - fewest) or 0.01 * abs(top) or 1.0
    x = Scale(fewest - margin, top + margin, LEFT, WIDTH - 16)
    head = TOP + ROW * math.ceil(len(groups) / AT_ONCE) if len(groups) > 1 else TOP
    y = Scale(0.0, most * 1.05 or 1.0, HEIGHT, head)
    drawing = level_lines(y) + upright_lines(x, head, HEIGHT)
    drawing += f'<text class="soft" x="0" y="{TOP}">Gini</text>'
    drawing += f'<text class="soft" x="{WIDTH - 20}" y="{HEIGHT + 30}" text-anchor="end">{unit}</text>'
    for k, (name, group) in enumerate(groups.items()):
        if len(groups) > 1:
            at, level = LEFT + COLUMN * (k % AT_ONCE), TOP - 4 + ROW * (k // AT_ONCE)
            drawing += mark(k, at, level) + f'<text x="{at + 10}" y="{level + 4}">{escaped(name)}</text>'
        steps = " ".join(f"{x(point.tokens):.1f},{y(point.gini):.1f}" for point in front_of(group))
        drawing += f'<polyline points="{steps}" fill="none" stroke="currentColor" opacity=".45" stroke-width="1.5"/>'
        for number_in_group, point in enumerate(group):
            drawing += drawn_point(point, number_in_group if has_own_marks else k, x, y, unit)
    return figure(caption, drawing + names_beside(points, x, y), HEIGHT + 34, "tokens against Gini")


def drawn_point(point: FairPoint, k: int, x: Scale, y: Scale, unit: str) -> str:
    """A mark, with the interval of its coefficient. k: which mark."""
    drawn, between = "", ""
    if point.interval is not None:
        low, high = point.interval
        place = f'x1="{x(point.tokens):.1f}" y1="{y(low):.1f}" x2="{x(point.tokens):.1f}" y2="{y(high):.1f}"'
        drawn = f'<line {place} stroke="{colour(k)}" stroke-width="1.6" opacity=".7"/>'
        between = f" [{small(low)}, {small(high)}]"
    title = f"{point.name}: {number(point.tokens)} {unit}, Gini {small(point.gini)}{between}"
    return drawn + mark(k, x(point.tokens), y(point.gini), point.is_lost, escaped(title))


def picture(chart: str) -> str:
    """The drawing of a chart as an SVG file: it stands alone, and follows the viewer's choice of light or dark."""
    begin, rest = chart.index("<svg "), chart.index(">", chart.index("<svg "))
    head = chart[begin:rest].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    style = f"<style>{GROUND}{CHARTS}svg {{ background: var(--ground); color: var(--ink); }}</style>"
    return f"{head}>{style}{chart[rest + 1 : chart.rindex('</svg>')]}</svg>\n"


def names_beside(points: Sequence[FairPoint], x: Scale, y: Scale) -> str:
    """The names, right of their marks, or left in the right third; they make way for each other upwards."""
    drawn, taken = "", []  # type: ignore[var-annotated]
    for point in sorted(points, key=lambda point: point.gini):
        at, level = x(point.tokens), y(point.gini) + 4
        is_left = at > LEFT + (WIDTH - LEFT) * 2 / 3
        name = escaped(short(point.name))
        width = LETTER * len(short(point.name))
        begin = at - 9 - width if is_left else at + 9
        while any(abs(level - other) < LINE and begin < right and left < begin + width for left, right, other in taken):
            level -= LINE / 2
        taken.append((begin, begin + width, level))
        place = f'x="{at - 9 if is_left else at + 9:.1f}" y="{level:.1f}"'
        drawn += f'<text {place} text-anchor="{"end" if is_left else "start"}">{name}</text>'
    return drawn
