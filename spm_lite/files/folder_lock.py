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
Identity = tuple[int, int]  # of a folder: its device and inode, which all its names share
held: set[Identity] = set()  # by this process: the system would give it a lock twice, and free it at the first close
table_lock = threading.Lock()


class FolderLock:
    """Holds the lock of a folder until `release`. Raises BlockingIOError if somebody else holds it, OSError."""

    def __init__(self, folder: Path) -> None:
        self._path = Path(os.path.realpath(folder), LOCK_NAME)
        self._process = os.getpid()
        found = folder.stat()
        self._folder = (found.st_dev, found.st_ino)
        with table_lock:
            if self._folder in held:
                raise BlockingIOError
            held.add(self._folder)
        try:
            self._handle = lock_file(self._path)
        except BaseException:
            with table_lock:
                held.discard(self._folder)
            raise

    def is_own(self) -> bool:
        """Whether this process has taken the lock, not one that it was forked from."""
        return self._process == os.getpid()

    def release(self) -> None:
        """Free the lock, and remove the lock file. In a forked child, which has a copy but no lock, both stay."""
        if not self.is_own():
            os.close(self._handle)
            return
        with suppress(OSError):
            # While it is locked, and only if it is this file: what another process has locked is never removed.
            if is_same(self._handle, self._path):
                self._path.unlink()
        with table_lock:
            os.close(self._handle)
            held.discard(self._folder)


def renew_table() -> None:
    """Begin anew in a forked child: a fork copies the table, and perhaps its lock as taken, but no lock of a folder."""
    global table_lock
    table_lock = threading.Lock()
    held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_table)


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
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False
