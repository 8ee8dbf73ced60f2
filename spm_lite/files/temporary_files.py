"""Temporary files beside a target: names that tell whose they are; files of dead processes are put back or removed."""

from __future__ import annotations

import os
import re
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that is open
    fcntl = None  # type: ignore[assignment]

LONGEST_START = 100  # bytes of the target's name in the name of a temporary file: names are limited in bytes
DIGEST_DIGITS = 16  # of the whole name, where its start is cut
OLD_SUFFIX = ".old"  # of the target's former file, which its process keeps until the new one is in its place
LONG_AGO = 3600.0  # seconds: without locks of files, a younger former file may be in use on another machine
NAME = re.compile(r"[.](?P<start>.*)[.](?P<tag>(?P<pid>[0-9]{1,10})-[0-9a-f]{16})[.]tmp([.]old)?", re.DOTALL)


def new_tag() -> str:
    """What makes the names of temporary files unique: the number of this process and some random digits."""
    return f"{os.getpid()}-{os.urandom(8).hex()}"


def path_beside(target: Path, tag: str) -> Path:
    """The path of the temporary file in the folder of `target` that bears a tag."""
    return target.with_name(f".{start_of(target)}.{tag}.tmp")


def former(path: Path) -> Path:
    """Where the target's former file is kept. path: of the temporary file."""
    return Path(f"{path}{OLD_SUFFIX}")


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
    name = target.name.encode("utf-8", "surrogatepass")
    if len(name) <= LONGEST_START:
        return name.decode("utf-8", "ignore")
    import hashlib  # here: few names are so long

    digest = hashlib.sha256(name).hexdigest()[:DIGEST_DIGITS]
    return name[: LONGEST_START - DIGEST_DIGITS].decode("utf-8", "ignore") + digest


def is_locked(handle: int) -> bool | None:
    """Lock an open file. Return whether another open file holds the lock already; None: nobody can tell."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return None
    return False


def remove_abandoned(target: Path) -> None:
    """Remove the temporary files for this target whose process is dead, on whatever machine.

    A former file goes back to its place if nothing is there. Files that cannot be moved or removed stay.
    """
    with suppress(OSError):
        for path in abandoned(target):
            if path.name.endswith(OLD_SUFFIX) and not os.path.lexists(target):
                put_back(path, target)
            with suppress(OSError):
                path.unlink()  # no longer there if it was put back


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Make a temporary folder that becomes `target` when the caller renames it; otherwise it is removed at the end.

    It is locked as a temporary file is, where the system can.
    """
    path = path_beside(target, new_tag())
    path.mkdir()
    handle = -1
    try:
        if fcntl is not None:
            handle = os.open(path, os.O_RDONLY)
            is_locked(handle)
        yield path
    finally:
        remove_folder(path)  # no longer there after the rename
        if handle >= 0:
            os.close(handle)


def remove_abandoned_folders(target: Path) -> None:
    """Remove the temporary folders for this target whose process is dead. Those that cannot be removed stay."""
    with suppress(OSError):
        for path in abandoned(target):
            remove_folder(path)


def remove_folder(path: Path) -> None:
    """Remove a temporary folder and the files in it, as far as possible; a link to a folder stays."""
    with suppress(OSError):
        if not path.is_symlink():
            for file in path.iterdir():
                file.unlink()
            path.rmdir()


def abandoned(target: Path) -> list[Path]:
    """The temporary files for this target whose process is dead; former files come first."""
    start = start_of(target)
    found = []
    for path in target.parent.iterdir():
        name = NAME.fullmatch(path.name)
        if name and name["start"] == start and not is_alive(int(name["pid"])) and not is_in_use(path, target):
            found.append(path)
    return sorted(found, key=lambda path: (not path.name.endswith(OLD_SUFFIX), path.name))


def put_back(old: Path, target: Path) -> None:
    """Give a former file its place again, unless another file has come there meanwhile."""
    with suppress(FileExistsError):
        try:
            target.hardlink_to(old)  # unlike a rename, it replaces nothing
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            old.replace(target)


def is_in_use(path: Path, target: Path) -> bool:
    """Whether a process, perhaps on another machine, still works with a temporary file.

    It has the new file open and locked, as long as it keeps the former one: under its temporary name or in its place.
    """
    if not path.name.endswith(OLD_SUFFIX):
        return bool(is_held(path))
    answers = [is_held(path.with_name(path.name[: -len(OLD_SUFFIX)])), is_held(target)]
    if True in answers:
        return True
    return None in answers and time.time() - path.lstat().st_ctime < LONG_AGO


def is_held(path: Path) -> bool | None:
    """Whether an open file of this path is locked; None: nobody can tell. A file that is not there is not locked."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        return is_locked(handle)
    finally:
        os.close(handle)


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
