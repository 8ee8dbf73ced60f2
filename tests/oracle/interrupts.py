"""A signal in the middle of a call."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")


def interrupt(call: Callable[[], Any], after: float) -> float:
    """Let a signal raise KeyboardInterrupt after so many seconds of a call; the seconds that the call took in all.

    They are processor time, which does not depend on what else the machine does. The cyclic collector rests meanwhile:
    what a signal raises while a callback of it runs (hypothesis has one) is lost, and the call would go on.
    """
    is_running = True

    def raise_interrupt(*_: object) -> None:
        if is_running:  # else the call came to its end before
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, raise_interrupt)
    gc.disable()
    begin = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, after)
        with pytest.raises(KeyboardInterrupt):
            call()
            is_running = False
        return time.process_time() - begin
    finally:
        is_running = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        gc.enable()
