"""Clean exit on SIGTERM and SIGHUP: unfinished files are removed on the way out, as after Ctrl-C.

And few garbage collections: imports and short work are over before a cycle is worth a search.
"""

from __future__ import annotations

import contextlib
import gc
import math
import signal
import sys
import threading
import time

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any


NEW_OBJECTS = 50_000  # between two searches; Python's own 700 mean a search for every few imported modules


@contextlib.contextmanager
def few_collections(is_whole_process: bool) -> Iterator[None]:
    """Within, garbage is collected rarely; after it, not at all, since the process ends.

    is_whole_process: False leaves the collector as it is, for a call within another program.
    """
    if is_whole_process:
        gc.set_threshold(NEW_OBJECTS)
    try:
        yield
    finally:
        if is_whole_process:
            gc.freeze()  # the end of Python does not search what it frees anyway


PAUSE = 10.0  # seconds in which signals count as one
AGAIN = 3.0  # seconds after which SystemExit is raised again if the program still runs
_left_at = -math.inf
_told = 0  # the last signal that came; 0: none


@contextlib.contextmanager
def clean_exit(is_whole_process: bool = True) -> Iterator[None]:
    """Within, SIGTERM and SIGHUP raise SystemExit(128 + signal); any other exception after the signal becomes it too.

    In the same way Ctrl-C raises KeyboardInterrupt. A signal that is ignored or handled already stays so. If the
    SystemExit is lost, an alarm raises it again.
    is_whole_process: False leaves all signals as they are, for a call within another program.
    """
    global _left_at, _told
    ours = []
    if is_whole_process and threading.current_thread() is threading.main_thread():  # other threads may not set handlers
        ours = [number for number, (usual, _) in HANDLERS.items() if signal.getsignal(number) is usual]
    if ours:
        _left_at, _told = -math.inf, 0  # forget the signal of an earlier command
    for number in ours:
        signal.signal(number, HANDLERS[number][1])
    try:
        yield
    except Exception:
        if _told in ours:  # numpy turns an exception during its import into an ImportError
            raise (KeyboardInterrupt() if _told == signal.SIGINT else SystemExit(128 + _told)) from None
        raise
    finally:
        if ours:
            take_alarm_back()
        for number in ours:
            signal.signal(number, HANDLERS[number][0])


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler of Ctrl-C: raises KeyboardInterrupt, as Python's own, and records the signal."""
    global _told
    _told = number
    raise KeyboardInterrupt


def leave(number: int, frame: FrameType | None) -> None:
    """The handler of SIGTERM and SIGHUP. A second signal within PAUSE, as `timeout` sends to the group, is ignored.

    It must not disturb the cleanup. A later signal counts again, since the first SystemExit may be lost: Python drops
    an exception in a callback, as during an import, and compiled modules clear one raised while they are loaded.
    """
    global _left_at, _told
    before, _left_at = _left_at, time.monotonic()
    _told = number
    if _left_at - before >= PAUSE:
        set_alarm()
        raise SystemExit(128 + number)
    _left_at = before


def set_alarm() -> None:
    """Schedule `leave_again`, unless the program uses an alarm of its own."""
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
    """The handler of the alarm: raises SystemExit again, but only waits on while one is still being handled."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, SystemExit):
            set_alarm()
            return
        error = error.__context__
    raise SystemExit(128 + _told)


HANDLERS: dict[int, tuple[Any, Any]] = {signal.SIGINT: (signal.default_int_handler, interrupt)}  # usual, ours
HANDLERS |= {getattr(signal, name): (signal.SIG_DFL, leave) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)}
