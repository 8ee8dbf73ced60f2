"""Being told to end: the files begun are removed on the way out, as after Ctrl-C."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

PAUSE = 10.0  # seconds in which signals count as one
_left_at = -math.inf

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def clean_exit() -> Iterator[None]:
    """Within, a signal to end raises SystemExit(128 + signal). One that is ignored or handled already stays so."""
    global _left_at
    ours = []
    if threading.current_thread() is threading.main_thread():  # elsewhere Python allows no handlers
        ours = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if ours:
        _left_at = -math.inf  # what ended an earlier command says nothing of this one
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def leave(number: int, frame: FrameType | None) -> None:
    """The handler. The second signal, which `timeout` sends to the whole group, must not disturb the cleaning.

    One that comes later counts again: Python drops an exception where a callback runs, as in the midst of an import.
    """
    global _left_at
    before, _left_at = _left_at, time.monotonic()
    if _left_at - before >= PAUSE:
        raise SystemExit(128 + number)
    _left_at = before
