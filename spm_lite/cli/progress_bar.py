"""A progress bar on standard error; nothing is written unless that is a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from spm_lite.cli.console import is_terminal, say

if TYPE_CHECKING:
    from spm_lite.progress import Progress

WIDTH = 30  # characters of the bar itself
PERIOD = 0.1  # seconds between two drawings


class ProgressBar:
    """Shows the progress of each stage of a job. Call it with (stage, done, total); total 0 or None: unknown.

    >>> with ProgressBar(quiet=True) as bar:
    ...     bar("counting", 1, 2)
    """

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and is_terminal(sys.stderr)
        self._drawn_at = 0.0
        self._stage = ""
        self._size = 0  # characters on the line now drawn

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def __call__(self, stage: str, done: float, total: float | None = None) -> None:
        """Draw the bar, at most ten times a second and at each change of stage."""
        if self._is_due(stage):
            self._draw(stage, done / total if total else None, "" if total else f"{done:,.0f}")

    def measured(self, progress: Progress) -> None:
        """Draw the bar from a Progress of the library, with its rate."""
        if self._is_due(progress.phase):
            amounts = [shown(progress.done, progress.unit)] if progress.fraction is None else []
            if progress.rate is not None:
                amounts.append(f"{shown(progress.rate, progress.unit)}/s")
            self._draw(progress.phase, progress.fraction, ", ".join(amounts))

    def _is_due(self, stage: str) -> bool:
        """Whether it is time to draw; if so, remember stage and time."""
        now = time.monotonic()
        if not self._shown or (stage == self._stage and now - self._drawn_at < PERIOD):
            return False
        self._stage, self._drawn_at = stage, now
        return True

    def _draw(self, stage: str, share: float | None, amounts: str) -> None:
        """Draw one line. share: done part, 0 to 1; None: unknown."""
        line = f"{stage:<20} "
        if share is not None:
            full = int(min(1.0, share) * WIDTH)
            line += f"[{'#' * full}{'.' * (WIDTH - full)}] {min(1.0, share):4.0%} "
        line = (line + amounts).rstrip()
        say("\r" + line.ljust(self._size))
        self._size = len(line)

    def clear(self) -> None:
        """Clear the line for the output that follows."""
        if self._size:
            say("\r" + " " * self._size + "\r")
            self._size = 0


def shown(amount: float, unit: str) -> str:
    """Format an amount; empty without a unit.

    >>> shown(12_345_678, "bytes"), shown(5200, "merges")
    ('12.3 MB', '5,200 merges')
    """
    if unit == "bytes":
        return f"{amount / 1e6:,.1f} MB"
    return f"{amount:,.0f} {unit}" if unit else ""
