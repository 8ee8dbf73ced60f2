"""How far a long call is: the value that a `progress` function receives, and how it is computed."""

from __future__ import annotations

import time
from collections.abc import Callable

from spm_lite._typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

UNITS = {  # phase -> unit of `done`
    "count": "bytes",  # of text read
    "spill": "bytes",  # of temporary files written
    "merge": "bytes",  # of temporary files read back
    "merges": "merges",
    "em": "pieces",  # of the seed vocabulary, pruned
    "encode": "bytes",  # of text read
    "decode": "bytes",  # of ids or pieces read
    "compare": "bytes",  # of text read
}


class Progress(NamedTuple):
    """How far a training or an encoding of files is: the one argument of a `progress` function.

    Attributes:
        phase: "encode" or, in training, "count" (reading text), "spill" and "merge" (temporary files), "alphabet", then
            "seeds" and "em" (Unigram) or "merges" (BPE). Phases may alternate.
        fraction: the part of this phase that is done, 0 to 1; None: not known.
        rate: units per second since the phase began; None: not known yet, or the phase has no unit.
        done: the number of units done.
        unit: "bytes", "merges" or "pieces"; "" for a phase of one step.

    >>> Progress("count", 0.5, 2e6, 10_000_000, "bytes").rate
    2000000.0
    """

    phase: str
    fraction: float | None
    rate: float | None
    done: int
    unit: str


Progress.__module__ = "spm_lite"  # where users find it; a pickle names this place


Reporter: TypeAlias = Callable[[str, int, int], object]  # phase, units done, units in total (0: not known)


class Meter:
    """A Reporter that calls a `progress` function with a Progress, computing fraction and rate."""

    def __init__(self, progress: Callable[[Progress], object], close: Callable[[], None] | None = None) -> None:
        """close: called at the end of the call that reports; None: nothing is to be closed."""
        self.progress = progress
        self.close = close
        self.phase = ""
        self.began = 0.0  # time at the start of the phase, seconds
        self.first = 0  # units done at the start of the phase
        self.done = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if phase != self.phase or done < self.done:
            self.phase, self.began, self.first = phase, now, done
        self.done = done
        unit = UNITS.get(phase, "")
        seconds = now - self.began
        rate = (done - self.first) / seconds if unit and seconds > 0 else None
        self.progress(Progress(phase, min(done / total, 1.0) if total else None, rate, done, unit))
