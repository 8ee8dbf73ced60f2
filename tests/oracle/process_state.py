"""What all threads of a process share: how it is now, what differs later, and calls that change it for a moment."""

from __future__ import annotations

import builtins
import csv
import decimal
import faulthandler
import gc
import locale
import logging
import multiprocessing
import os
import random
import signal
import socket
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

STATUS = Path("/proc/self/status")
MASKS = ("Umask", "SigIgn", "SigCgt")  # of STATUS: signals that are ignored or caught, by C too
SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
WATCHED = (  # functions that change a process, or show what other threads must not see
    (csv, "field_size_limit"), (faulthandler, "disable"), (faulthandler, "enable"), (gc, "disable"), (gc, "enable"),
    (gc, "freeze"), (gc, "set_threshold"), (gc, "unfreeze"), (locale, "setlocale"), (logging, "basicConfig"),
    (logging, "disable"), (logging, "setLoggerClass"), (logging.Logger, "addFilter"), (logging.Logger, "addHandler"),
    (logging.Logger, "removeFilter"), (logging.Logger, "removeHandler"), (logging.Logger, "setLevel"),
    (np, "seterr"), (np.random, "seed"), (os, "chdir"), (os, "dup2"),
    (os, "nice"), (os, "putenv"), (os, "sched_setaffinity"), (os, "umask"), (os, "unsetenv"), (random, "seed"),
    (random, "setstate"), (signal, "alarm"), (signal, "set_wakeup_fd"), (signal, "setitimer"), (signal, "signal"),
    (socket, "setdefaulttimeout"), (sys, "set_int_max_str_digits"), (sys, "setrecursionlimit"),
    (sys, "setswitchinterval"), (sys, "settrace"), (threading, "setprofile"), (threading, "settrace"),
    (threading, "stack_size"), (warnings.catch_warnings, "__enter__"), (warnings, "filterwarnings"),
    (warnings, "resetwarnings"), (warnings, "simplefilter"),
)  # fmt: skip


def quick_state() -> dict[str, Any]:
    """What can be looked at some thousands of times a second, by any thread."""
    loggers = [logging.getLogger(name) for name in (None, "spm_lite")]
    return {
        "the environment": dict(os.environ),
        "the garbage collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug()),
        "standard streams": (sys.stdin, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook, builtins.__import__),
        "filters of warnings": (list(warnings.filters), warnings.showwarning),
        "loggers": [(one.level, one.handlers[:], one.filters[:], one.propagate, one.disabled) for one in loggers],
        "logging": (logging.root.manager.disable, logging.raiseExceptions, logging.lastResort),
        "limits of Python": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()),
        "the limit of csv": csv.field_size_limit(),
        "sys.path": sys.path[:],
        "sys.argv": sys.argv[:],
        "the timeout of sockets": socket.getdefaulttimeout(),
        "faulthandler": faulthandler.is_enabled(),
    }


def state() -> dict[str, Any]:
    """All that is looked at before and after a call."""
    import resource

    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    context = decimal.getcontext()
    status = dict(line.split(":\t") for line in STATUS.read_text().splitlines())
    return {
        **quick_state(),
        "locales": locale.setlocale(locale.LC_ALL),
        "handlers of signals": [signal.getsignal(number) for number in SIGNALS],
        "alarms": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "signals and umask": [status.get(name) for name in MASKS],
        "the folder": str(Path.cwd()),
        "the random numbers of Python": random.getstate(),
        "the random numbers of numpy": [str(part) for part in np.random.get_state()],
        "errors of numpy": np.geterr(),
        "decimals": (context.prec, context.rounding, str(context.traps)),
        "limits of the system": [resource.getrlimit(limit) for limit in limits],
        "processors": os.sched_getaffinity(0),
        "processes": multiprocessing.get_start_method(allow_none=True),
        "importers": (sys.meta_path[:], sys.path_hooks[:]),
    }


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of what differs."""
    return [name for name, value in after.items() if before[name] != value]


@contextmanager
def seen_by_a_thread() -> Iterator[list[str]]:
    """Within, another thread looks again and again; the list has what it saw change."""
    before, found, is_over = quick_state(), [], threading.Event()

    def look() -> None:
        while not is_over.is_set():
            found.extend(name for name in changes(before, quick_state()) if name not in found)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        is_over.set()
        thread.join()


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Within, calls of the functions of WATCHED are noted, each with the lines that led to it."""
    found: list[str] = []

    def noting(name: str, original: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            if (name, arguments) != ("field_size_limit", ()) and threading.current_thread() is caller:
                lines = [f"{one.filename}:{one.lineno}" for one in traceback.extract_stack(limit=8)[:-1]]
                found.append(f"{name}{arguments!r:.80} at {' <- '.join(reversed(lines))}")
            return original(*arguments, **named)

        return call

    caller = threading.current_thread()
    with monkeypatch.context() as patch:
        for owner, name in WATCHED:
            if hasattr(owner, name):
                patch.setattr(owner, name, noting(name, getattr(owner, name)))
        yield found
