"""Being told to end: the files begun are removed on the way out, as after Ctrl-C."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

PAUSE = 10.0  # seconds in which signals count as one
AGAIN = 3.0  # seconds after which a program that has not ended is told once more
_left_at = -math.inf
_told = 0  # the last signal that came; 0: none


@contextlib.contextmanager
def clean_exit() -> Iterator[None]:
    """Within, a signal to end raises SystemExit(128 + signal), and so does what goes wrong behind it.

    Likewise Ctrl-C and KeyboardInterrupt. A signal that is ignored or handled already stays so. Where the SystemExit is
    lost an alarm raises it again.
    """
    global _left_at, _told
    ours = []
    if threading.current_thread() is threading.main_thread():  # elsewhere Python allows no handlers
        ours = [number for number, (usual, _) in HANDLERS.items() if signal.getsignal(number) is usual]
    if ours:
        _left_at, _told = -math.inf, 0  # what ended an earlier command says nothing of this one
    for number in ours:
        signal.signal(number, HANDLERS[number][1])
    try:
        yield
    except Exception:
        if _told in ours:  # numpy makes an ImportError of what is raised while it is imported
            raise (KeyboardInterrupt() if _told == signal.SIGINT else SystemExit(128 + _told)) from None
        raise
    finally:
        if ours:
            take_alarm_back()
        for number in ours:
            signal.signal(number, HANDLERS[number][0])


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler of Ctrl-C, as Python's own."""
    global _told
    _told = number
    raise KeyboardInterrupt


def leave(number: int, frame: FrameType | None) -> None:
    """The handler. The second signal, which `timeout` sends to the whole group, must not disturb the cleaning.

    One that comes later counts again: Python drops an exception where a callback runs, as in the midst of an import,
    and compiled modules clear what is raised while they are loaded.
    """
    global _left_at, _told
    before, _left_at = _left_at, time.monotonic()
    _told = number
    if _left_at - before >= PAUSE:
        set_alarm()
        raise SystemExit(128 + number)
    _left_at = before


def set_alarm() -> None:
    """Let `leave_again` be called soon, unless the program has an alarm of its own."""
    if not hasattr(signal, "setitimer") or signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, leave_again):
        return
    if signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0):
        signal.signal(signal.SIGALRM, leave_again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN)


def take_alarm_back() -> None:
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is leave_again:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def leave_again(number: int, frame: FrameType | None) -> None:
    """The handler of the alarm. While the first exception is on its way, and cleaning takes long, it waits."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, SystemExit):
            set_alarm()
            return
        error = error.__context__
    raise SystemExit(128 + _told)


HANDLERS: dict[int, tuple[Any, Any]] = {signal.SIGINT: (signal.default_int_handler, interrupt)}  # the usual, and ours
HANDLERS |= {getattr(signal, name): (signal.SIG_DFL, leave) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)}
