"""One row of a progress display: what is known of a phase, in the width that there is."""

from __future__ import annotations

from typing import NamedTuple

from spm_lite.printable import visible
from spm_lite.progress.meter import Progress

LABELS = {  # phase -> what is shown for it
    "count": "counting",
    "spill": "writing counts",
    "merge": "merging counts",
    "alphabet": "alphabet",
    "seeds": "seed pieces",
    "em": "pruning",
    "merges": "merging pairs",
    "encode": "encoding",
    "decode": "decoding",
    "compare": "comparing",
}
LEAST_BAR = 6  # columns; a shorter bar is left out
MOST_BAR = 40
GAP = "  "


class PhaseState(NamedTuple):
    """A phase as it is now."""

    progress: Progress
    seconds: float  # that the phase has taken
    is_running: bool

    @property
    def label(self) -> str:
        """The name of the phase for people."""
        return LABELS.get(self.progress.phase) or visible(self.progress.phase)


class Row(NamedTuple):
    """A row in parts. Its width is the sum of theirs and a gap between each two."""

    label: str
    bar_width: int  # 0: no bar
    fraction: float  # of the bar that is full
    fields: tuple[str, ...]

    def text(self, full: str = "=", empty: str = "-") -> str:
        """The row as text, its bar made of these characters.

        >>> Row("counting", 10, 0.5, ("50 %", "0:03 left")).text()
        'counting  =====-----  50 %  0:03 left'
        """
        done = int(self.bar_width * self.fraction)
        bar = (full * done + empty * (self.bar_width - done),) if self.bar_width else ()
        return GAP.join((self.label, *bar, *self.fields)).rstrip()


def row_of(state: PhaseState, width: int, label_width: int = 0) -> Row:
    """The row of a phase that fits into `width` columns; what matters least is left out first."""
    fields = fields_of(state)
    label = state.label.ljust(label_width)[: max(width, 1)]
    chosen: list[tuple[int, str]] = []  # place in the row, text
    room = width - len(label)
    fraction = known_fraction(state)
    # The bar comes before all but the two most important fields.
    for rank, (place, text) in enumerate(fields):
        kept_for_bar = LEAST_BAR + len(GAP) if fraction is not None and rank >= 2 else 0
        if text and len(GAP) + len(text) + kept_for_bar <= room:
            chosen.append((place, text))
            room -= len(GAP) + len(text)
    bar_width = 0
    if fraction is not None and room >= LEAST_BAR + len(GAP):
        bar_width = min(room - len(GAP), MOST_BAR)
    return Row(label, bar_width, min(fraction or 0.0, 1.0), tuple(text for _, text in sorted(chosen)))


def fields_of(state: PhaseState) -> list[tuple[int, str]]:
    """(place in the row, text) of what is known of a phase, the most important first; empty texts: not known."""
    progress, fraction = state.progress, known_fraction(state)
    done = shown_amount(progress.done, progress.unit) if progress.done else ""
    rate = f"{shown_amount(progress.rate, progress.unit)}/s" if progress.rate else ""
    if not state.is_running:
        return [(0, f"{shown_seconds(state.seconds):>6}"), (1, done), (2, rate)]
    percent = f"{min(fraction, 1.0):4.0%}" if fraction is not None else ""
    return [(0, percent), (4, time_left(progress)), (2, rate), (3, clock(state.seconds)), (1, done)]


def known_fraction(state: PhaseState) -> float | None:
    """The part of a running phase that is done; None: not known. Nothing is known of a phase of one step."""
    progress = state.progress
    is_known = state.is_running and (progress.fraction or progress.unit)
    return progress.fraction if is_known else None


def line_of(state: PhaseState) -> str:
    """A phase as a line of a log.

    >>> line_of(PhaseState(Progress("count", 0.5, 2e6, 10_000_000, "bytes"), 5.0, True))
    'counting: 50%, 10.0 MB, 2.0 MB/s, 0:05, 0:05 left'
    """
    fields = ", ".join(text.strip() for _, text in sorted(fields_of(state)) if text)
    return f"{state.label}: {fields}" if fields else state.label


def time_left(progress: Progress) -> str:
    """How long the phase will still take, at the rate so far; empty if not known."""
    if not progress.rate or not progress.fraction:
        return ""
    total = progress.done / progress.fraction
    return f"{clock(max(total - progress.done, 0.0) / progress.rate)} left"


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours if there are any.

    >>> clock(75), clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def shown_seconds(seconds: float) -> str:
    """The time that something took."""
    return f"{seconds:.1f} s" if seconds < 59.95 else clock(seconds)


def shown_amount(amount: float, unit: str) -> str:
    """An amount with its unit; empty without a unit.

    >>> shown_amount(12_345_678, "bytes"), shown_amount(5200, "merges")
    ('12.3 MB', '5,200 merges')
    """
    if unit == "bytes":
        return f"{amount / 1e6:,.1f} MB" if amount < 1e10 else f"{amount / 1e9:,.1f} GB"
    return f"{amount:,.0f} {unit}" if unit else ""
