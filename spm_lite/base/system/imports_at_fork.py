"""A fork waits until other threads have imported what they are importing.

A call that needs a module imports it. A child that is forked meanwhile would find the module's lock taken by a thread
that it does not have. It would wait for ever when it imports the module itself. CPython does not mend these locks.

An import may need a lock of ours, and the thread that holds that lock may import. So the fork takes such locks itself,
together, at a moment when no other thread is importing.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from collections import deque
from itertools import repeat
from operator import methodcaller
from time import sleep

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import RLock
    from typing import Any

# What our calls import: modules of ours, of libraries, of Python. The imports of other modules may take long.
OURS = {
    "spm_lite", "numpy", "google", "pyarrow", "zstandard", "fsspec", "tokenizers", "typing_extensions",
    "rich", "pygments", "markdown_it", "mdurl", "jinja2", "markupsafe",  # rich and jinja2 import the others
    *sys.stdlib_module_names,
}  # fmt: skip
PATIENCE = 10_000  # tries, a millisecond apart
TRY = methodcaller("acquire", False)  # in C: no signal is heard between a lock and the list of those that were taken
FREE = methodcaller("release")  # in C too: no signal is heard before all are free
locks: list[RLock] = []  # what a fork holds
taken: dict[int, list[RLock]] = {}  # thread that forks -> the locks that it holds; meanwhile `locks` may grow


def hold_at_fork(lock: RLock) -> None:
    """Let no fork happen while another thread holds `lock`: in the child nobody could free it."""
    locks.append(lock)


def module_locks() -> dict[str, Any]:
    """The locks of modules that are being imported, by name: weak references, in a table of CPython."""
    table: dict[str, Any] = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    return table


def busy_imports() -> list[str]:
    """The names of modules of OURS that other threads are importing."""
    me = get_ident()
    found = []
    for name, reference in list(module_locks().items()):
        lock = reference() if callable(reference) else None
        if getattr(lock, "owner", None) not in (None, me) and name.partition(".")[0] in OURS:
            found.append(name)
    return found


def before_fork() -> None:
    """Take all locks while no other thread is importing a module of OURS; after PATIENCE tries, at any moment."""
    got: list[RLock] = []
    taken[get_ident()] = got  # now: Ctrl-C may end this at any moment, and the process forks all the same
    for _ in range(PATIENCE):
        if not busy_imports():
            wanted = list(locks)
            got.extend(filter(TRY, wanted))
            if len(got) == len(wanted) and not busy_imports():
                return
            free(got)
        sleep(0.001)


def free(got: list[RLock]) -> None:
    """Free the locks of a list, which is empty then. Ctrl-C comes before all of that or after it."""
    deque(map(FREE, map(list.pop, repeat(got, len(got)))), 0)


def after_fork() -> None:
    """Free the locks, in the parent and in the child."""
    free(taken.get(get_ident(), []))
    taken.pop(get_ident(), None)


def after_fork_in_child() -> None:
    """Free the locks. Forget imports that other threads began after `before_fork` had looked: they begin anew here."""
    got = [*taken.get(get_ident(), [])]
    after_fork()
    taken.clear()
    for lock in locks:
        if lock not in got:
            lock._at_fork_reinit()  # type: ignore[attr-defined]  # its thread is not here
    for name in busy_imports():
        module_locks().pop(name, None)
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork_in_child)
