"""A lock on a folder, for one process and one thread: the system frees it when its process ends, in whatever way."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK_NAME = ".lock"
held: dict[str, int] = {}  # resolved folder -> the process that holds it: a fork copies this table, but no lock
table_lock = threading.Lock()


class FolderLock:
    """Holds the lock of a folder until `release`. Raises BlockingIOError if somebody else holds it, OSError."""

    def __init__(self, folder: Path) -> None:
        self._key = os.path.realpath(folder)
        with table_lock:
            if held.get(self._key) == os.getpid():
                raise BlockingIOError
            held[self._key] = os.getpid()
        try:
            self._handle = lock_file(folder / LOCK_NAME)
        except BaseException:
            held.pop(self._key)
            raise

    def release(self) -> None:
        """Free the lock, and remove the lock file."""
        path = Path(self._key, LOCK_NAME)
        with suppress(OSError):
            path.unlink()  # while it is locked: then a file that another process has locked is never removed
        os.close(self._handle)
        with table_lock:
            held.pop(self._key, None)


def lock_file(path: Path) -> int:
    """Open and lock a file, which is made if there is none; return its handle."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            take(handle)
            if is_same(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # whoever held it has removed the file meanwhile


def take(handle: int) -> None:
    """Lock an open file for this process. Raises BlockingIOError if another process holds it."""
    if fcntl is None:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from None
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except PermissionError as error:  # some systems say so
        raise BlockingIOError(*error.args) from None


def is_same(handle: int, path: Path) -> bool:
    """Whether a path still names the open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False
