"""Temporary files beside a target: names that tell whose they are; those of dead processes are removed."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that is open
    fcntl = None  # type: ignore[assignment]

LONGEST_START = 100  # bytes of the target's name in the name of a temporary file: names are limited in bytes
NAME = re.compile(r"[.](?P<start>.*)[.](?P<pid>[0-9]{1,10})-[0-9a-f]{16}[.]tmp([.]old)?", re.DOTALL)


def path_beside(target: Path) -> Path:
    """A path for a temporary file in the folder of `target`, with a unique name that tells whose it is."""
    return target.with_name(f".{start_of(target)}.{os.getpid()}-{os.urandom(8).hex()}.tmp")


def create(path: Path, mode: int) -> int:
    """Create a temporary file and return its handle. mode: its permissions, before the umask.

    The file is locked as long as the handle is open, which tells other machines and containers that share the folder
    that its process lives.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    is_locked(handle)
    return handle


def start_of(target: Path) -> str:
    """The part of a target's name that its temporary files bear."""
    return target.name.encode("utf-8", "ignore")[:LONGEST_START].decode("utf-8", "ignore")


def is_locked(handle: int) -> bool:
    """Lock an open file. Return whether another open file holds the lock already."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    return False


def remove_abandoned(target: Path) -> None:
    """Remove the temporary files for this target whose process is dead. Files that cannot be removed stay."""
    start = start_of(target)
    with suppress(OSError):
        for path in target.parent.iterdir():
            found = NAME.fullmatch(path.name)
            if found and found["start"] == start and not is_alive(int(found["pid"])):
                remove_unlocked(path)


def remove_unlocked(path: Path) -> None:
    """Remove a file unless a process, perhaps on another machine, has it open and locked."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            locked = is_locked(handle)
        finally:
            os.close(handle)
        if not locked:
            path.unlink()


def is_alive(pid: int) -> bool:
    """Whether a process with this number exists on this machine, as far as can be told."""
    if os.name != "posix":  # there, a signal 0 would end the process
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it may not be signalled
        return True
    return True
