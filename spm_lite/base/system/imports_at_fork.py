"""A fork waits until other threads have imported what they are importing.

A call that needs a module imports it. A child that is forked meanwhile would find the module's lock taken by a thread
that it does not have, and would wait for ever when it imports the module itself. CPython does not mend these locks.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from time import sleep

OURS = ("spm_lite", "numpy", "google", "pyarrow", "unicodedata")  # what our calls import and takes a while
PATIENCE = 10_000  # milliseconds


def busy_imports() -> list[str]:
    """The names of modules of OURS that other threads are importing."""
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    me = get_ident()
    found = []
    for name, reference in list(locks.items()):
        lock = reference() if callable(reference) else None
        if getattr(lock, "owner", None) not in (None, me) and name.partition(".")[0] in OURS:
            found.append(name)
    return found


def wait_for_imports() -> None:
    """Wait until no other thread is importing a module of OURS; give up after some seconds."""
    for _ in range(PATIENCE):
        if not busy_imports():
            return
        sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=wait_for_imports)
