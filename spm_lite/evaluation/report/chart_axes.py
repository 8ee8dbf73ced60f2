"""What all charts of a page share: the axis (`Scale`: where a value stands, which values are named), and the frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from spm_lite.cards import escaped
from spm_lite.evaluation.report.summaries import number
from spm_lite.printable import visible

WIDTH = 360  # pixels, so that all is legible on a narrow screen; a wide one shows charts side by side
LEFT = 48  # for the values of an upright axis
LONGEST = 14  # characters of a name
LETTER = 7  # pixels of a letter, at most


@dataclass(frozen=True)
class Scale:
    """From values to places in pixels."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; one beyond the ends stands at the end."""
        turn: Callable[[float], float] = math.log if self.is_log else float
        low, high = turn(self.low), turn(self.high)
        value = min(max(value, self.low), self.high)
        return self.begin + (turn(value) - low) / (high - low or 1.0) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Values to name: 1, 2 and 5 times a power of ten."""
        if self.is_log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [step * 10.0**power for power in powers for step in (1, 2, 5)]
            if len([one for one in found if self.low <= one <= self.high]) > 7:
                found = [10.0**power for power in powers]
        else:
            step = nice_step((self.high - self.low) / 5)
            first = math.ceil(self.low / step - 1e-9)
            found = [step * n for n in range(first, first + 12)]
        return [one for one in found if self.low * (1 - 1e-9) - 1e-12 <= one <= self.high * (1 + 1e-9) + 1e-12]


def nice_step(wanted: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below the wanted step."""
    power = 10.0 ** math.floor(math.log10(wanted)) if wanted > 0 else 1.0
    return next(step * power for step in (1, 2, 5, 10) if step * power >= wanted * (1 - 1e-9))


def log_scale(values: Iterable[float], begin: float, end: float) -> Scale:
    """A logarithmic scale over values above 0, with some room."""
    known = [value for value in values if value > 0] or [1.0]
    return Scale(min(known) / 1.08, max(known) * 1.08, begin, end, True)


def upright_lines(scale: Scale, top: float, bottom: float) -> str:
    """The lines of an axis from left to right, with their values below."""
    return "".join(
        f'<line class="axis" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>'
        f'<text class="soft" x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{number(value)}</text>'
        for value in scale.ticks()
        for x in [scale(value)]
    )


def level_lines(scale: Scale) -> str:
    """The lines of an axis from bottom to top, with their values at the left."""
    return "".join(
        f'<line class="axis" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 16}" y2="{y:.1f}"/>'
        f'<text class="soft" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number(value)}</text>'
        for value in scale.ticks()
        for y in [scale(value)]
    )


def figure(caption: str, drawing: str, height: float, label: str, legend: str = "") -> str:
    """A chart with its caption and what stands below that, both escaped already."""
    return (
        f"<figure><figcaption>{caption}</figcaption>{legend}"
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" role="img" aria-label="{label}">{drawing}</svg>'
        "</figure>"
    )


def short(name: str) -> str:
    """A name that fits beside a chart."""
    name = visible(name)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def left_of(names: Iterable[str]) -> int:
    """Where a chart begins whose rows have these names at the left."""
    return LETTER * max((len(short(name)) for name in names), default=0) + 14


def group_name(name: str, left: int, top: float, bottom: float) -> str:
    """The name of a group of rows, at the middle of it, and a line above it."""
    return (
        f'<line class="axis" x1="0" y1="{top:.1f}" x2="{WIDTH}" y2="{top:.1f}"/>'
        f'<text x="{left - 10}" y="{(top + bottom) / 2 + 4:.1f}" text-anchor="end">{escaped(short(name))}</text>'
    )
