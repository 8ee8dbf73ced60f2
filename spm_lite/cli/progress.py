"""A bar on standard error while something takes long; silent unless that is a terminal."""

from __future__ import annotations

import sys
import time

from spm_lite.cli.console import is_terminal, say

WIDTH = 30  # characters of the bar itself
PERIOD = 0.1  # seconds between two drawings


class ProgressBar:
    """Shows how far each stage of a job is. Call it with (stage, done, total); total 0 means unknown.

    >>> with ProgressBar(quiet=True) as bar:
    ...     bar("counting", 1, 2)
    """

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and is_terminal(sys.stderr)
        self._drawn_at = 0.0
        self._stage = ""
        self._size = 0  # characters on the line now

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def __call__(self, stage: str, done: float, total: float | None = None) -> None:
        """Draw, at most ten times a second, and at each change of stage."""
        if not self._shown:
            return
        now = time.monotonic()
        if stage == self._stage and now - self._drawn_at < PERIOD:
            return
        self._stage, self._drawn_at = stage, now
        if total:
            share = min(1.0, done / total)
            full = int(share * WIDTH)
            line = f"{stage:<20} [{'#' * full}{'.' * (WIDTH - full)}] {share:4.0%}"
        else:
            line = f"{stage:<20} {done:,.0f}"
        say("\r" + line.ljust(self._size))
        self._size = len(line)

    def clear(self) -> None:
        """Leave the line empty for what comes next."""
        if self._size:
            say("\r" + " " * self._size + "\r")
            self._size = 0
