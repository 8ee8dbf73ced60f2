"""The progress display: each phase of a long call is a row, and finished phases stay with their time."""

from __future__ import annotations

import time

from spm_lite._typing import TYPE_CHECKING, NamedTuple
from spm_lite.progress.meter import Meter, Progress

if TYPE_CHECKING:
    from spm_lite.progress.rows import PhaseState
    from spm_lite.progress.screens import Screen

DELAY = 0.3  # seconds before anything is shown: a short call shows nothing, and loads nothing for it


class Phase(NamedTuple):
    """A phase that was reported."""

    progress: Progress  # the last report
    seconds: float  # taken by its earlier parts: phases may alternate
    began: float  # time at which it last began


class ProgressBar:
    """Shows the progress of each phase of a call, on the terminal, in the notebook, or as lines of a log.

    It is a function of (phase, done, total), total 0 or None if not known; `measured` takes a Progress of the library.

    >>> with ProgressBar(quiet=True) as bar:
    ...     bar("encode", 1, 2)
    """

    def __init__(self, quiet: bool = False) -> None:
        """quiet: show nothing."""
        self._is_shown = not quiet
        self._began = time.monotonic()
        self._phases: dict[str, Phase] = {}
        self._running = ""  # name of the running phase; "": none
        self._screen: Screen | None = None
        self._meter = Meter(self.measured)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __call__(self, phase: str, done: int, total: int | None = None) -> None:
        """Show how much of a phase is done."""
        self._meter(phase, done, total or 0)

    def measured(self, progress: Progress) -> None:
        """Show the progress of a call of the library."""
        if not self._is_shown:
            return
        now = time.monotonic()
        name = progress.phase
        if name != self._running:
            self._finish(now)
            # Phases may alternate: the running one is the last row. Another thread may be drawing the old rows.
            others = {other: phase for other, phase in self._phases.items() if other != name}
            seconds = self._phases[name].seconds if name in self._phases else 0.0
            self._phases = {**others, name: Phase(progress, seconds, now)}
            self._running = name
        self._phases[name] = self._phases[name]._replace(progress=progress)
        if self._screen is None and now - self._began >= DELAY:
            from spm_lite.progress.screens import screen_for  # here, since most calls are short

            self._screen = screen_for(self.states)
        if self._screen is not None:
            self._screen.update(now - self._began)

    def states(self) -> list[PhaseState]:
        """All phases as they are now, in order."""
        from spm_lite.progress.rows import PhaseState

        now, running = time.monotonic(), self._running
        return [
            PhaseState(phase.progress, phase.seconds + (now - phase.began if name == running else 0.0), name == running)
            for name, phase in list(self._phases.items())
        ]

    def _finish(self, now: float) -> None:
        """End the running phase."""
        if self._running:
            phase = self._phases[self._running]
            self._phases[self._running] = phase._replace(seconds=phase.seconds + now - phase.began)
            self._running = ""

    def close(self) -> None:
        """End the display; the rows stay. Later reports are not shown."""
        self._finish(time.monotonic())
        self._is_shown = False
        if self._screen is not None:
            screen, self._screen = self._screen, None
            screen.close()
