"""The chart of the front, as SVG: tokens from left to right, Gini's coefficient upwards, a mark for each tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

from spm_lite.cards import escaped
from spm_lite.evaluation.figures.fair_front import FairPoint, front_of
from spm_lite.evaluation.report.chart_axes import LEFT, LETTER, WIDTH, Scale, figure, level_lines, short, upright_lines
from spm_lite.evaluation.report.page_style import colour, mark
from spm_lite.evaluation.report.parity_summary import small
from spm_lite.evaluation.report.summaries import number

HEIGHT = 260
TOP = 12
LINE = 13  # pixels between names
CAPTION = (
    "Tokens of all languages against Gini's coefficient: left and down are better. The line joins those of which no "
    "other is better in both. Upright lines: 95 % intervals. Hollow marks lose text; beyond the "
    "axes, they stand at the edge."
)


def front_chart(points: Sequence[FairPoint], caption: str = CAPTION) -> str:
    """The points with their names; those on the front are joined. caption: escaped already."""
    shown = [point for point in points if not point.is_lost] or points
    most = max(point.interval[1] if point.interval else point.gini for point in shown)
    fewest, top = min(point.tokens for point in shown), max(point.tokens for point in shown)
    margin = 0.06 * (top - fewest) or 0.01 * top
    x = Scale(fewest - margin, top + margin, LEFT, WIDTH - 16)
    y = Scale(0.0, most * 1.05 or 1.0, HEIGHT, TOP)
    drawing = level_lines(y) + upright_lines(x, TOP, HEIGHT)
    steps = " ".join(f"{x(point.tokens):.1f},{y(point.gini):.1f}" for point in front_of(points))
    drawing += f'<polyline points="{steps}" fill="none" stroke="currentColor" opacity=".45" stroke-width="1.5"/>'
    for k, point in enumerate(points):
        between = ""
        if point.interval is not None:
            low, high = point.interval
            place = f'x1="{x(point.tokens):.1f}" y1="{y(low):.1f}" x2="{x(point.tokens):.1f}" y2="{y(high):.1f}"'
            drawing += f'<line {place} stroke="{colour(k)}" stroke-width="1.6" opacity=".7"/>'
            between = f" [{small(low)}, {small(high)}]"
        title = f"{point.name}: {number(point.tokens)} tokens, Gini {small(point.gini)}{between}"
        drawing += mark(k, x(point.tokens), y(point.gini), point.is_lost, escaped(title))
    return figure(caption, drawing + names_beside(points, x, y), HEIGHT + 34, "tokens against Gini")


def names_beside(points: Sequence[FairPoint], x: Scale, y: Scale) -> str:
    """The names, right of their marks, or left in the right third; they make way for each other downwards."""
    drawn, taken = "", []  # type: ignore[var-annotated]
    for point in sorted(points, key=lambda point: -point.gini):
        at, level = x(point.tokens), y(point.gini) + 4
        is_left = at > LEFT + (WIDTH - LEFT) * 2 / 3
        name = escaped(short(point.name))
        width = LETTER * len(short(point.name))
        begin = at - 9 - width if is_left else at + 9
        while any(abs(level - other) < LINE and begin < right and left < begin + width for left, right, other in taken):
            level += LINE / 2
        taken.append((begin, begin + width, level))
        place = f'x="{at - 9 if is_left else at + 9:.1f}" y="{level:.1f}"'
        drawn += f'<text {place} text-anchor="{"end" if is_left else "start"}">{name}</text>'
    return drawn
