"""A signal in the middle of a call: it comes at one of the places where the call checks for signals.

Checks are counted and no clock is asked: what is done between two of them does not depend on the machine, nor on what
else runs there. Only the main thread checks for signals; while it waits for other threads, it does so now and then.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest
from oracle import native

ON_THE_WAY_OUT = 3  # checks that Python itself makes between an interrupt and the end of the call, at most


def stop() -> None:
    raise KeyboardInterrupt


def count_checks(call: Callable[[], Any], at: int = 0, action: Callable[[], Any] = stop) -> int:
    """How often `call` checks for signals. Check number `at`, the first is 1, does `action`; 0: none does."""
    pending = native.PendingSignal(at, action)
    run(call, pending)
    return pending.n_checks


def interrupt(call: Callable[[], Any], at: int) -> int:
    """Let check number `at` raise KeyboardInterrupt. Returns how often `call` checks for signals after that."""
    pending = native.PendingSignal(at, stop)
    with pytest.raises(KeyboardInterrupt):
        run(call, pending)
    return pending.n_checks - at


def run(call: Callable[[], Any], pending: native.PendingSignal) -> None:
    """The cyclic collector rests meanwhile: what is raised while a callback of it runs (hypothesis has one) is lost.

    Tracing, as coverage does it, rests too: a traced function of CPython 3.11 does not begin while a signal is pending.
    """
    before, trace = signal.signal(signal.SIGINT, pending), sys.gettrace()
    gc.disable()
    sys.settrace(None)
    try:
        pending.watch(call)
    finally:
        sys.settrace(trace)
        signal.signal(signal.SIGINT, before)
        gc.enable()
