"""Whole files out; a failed save leaves the old file as it was."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from spm_lite.io.files import AnyPath, checked_path, typed


def write_atomically(path: AnyPath, data: bytes | Iterable[bytes]) -> None:
    """Make `data`, bytes or blocks of bytes, the content of a file, wholly or not at all.

    It is written under another name in the same folder, brought to the disk and then renamed. An existing file
    keeps its permissions, a link stays a link; what is there and no regular file, a device, a pipe or a link to an
    open one such as /dev/stdout, is written directly. Raises MissingFileError (no such folder), FilePermissionError or
    FileError.
    """
    name = checked_path(path, "written")
    blocks = [data] if isinstance(data, bytes) else data
    try:
        mode = existing_mode(Path(name))
        target = Path(os.path.realpath(name))
        if mode is None or (stat.S_ISREG(mode) and leads_to(name, target)):
            replace_file(target, blocks, mode)
        else:
            with Path(name).open("wb") as file:  # for a folder this raises the error that says so
                file.writelines(blocks)
    except OSError as error:
        raise typed(error, path, "written") from error


def new_file(path: AnyPath) -> NewFile:
    """What will be the file `path`, whole or not at all, when `take_place` is called.

    Raises as `write_atomically`, and FileError for what is there and no regular file.
    """
    name = checked_path(path, "written")
    try:
        mode = existing_mode(Path(name))
        target = Path(os.path.realpath(name))
        if Path(name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if mode is not None and not (stat.S_ISREG(mode) and leads_to(name, target)):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and not written in order: name a file")
        return NewFile(target, mode)
    except OSError as error:
        raise typed(error, path, "written") from error


def leads_to(name: str, target: Path) -> bool:
    """Whether the resolved path is the file's; not so for a link of the system to a file deleted since."""
    return target.exists() and target.samefile(name)


def existing_mode(path: Path) -> int | None:
    """The mode bits of a file, None where there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def replace_file(target: Path, blocks: Iterable[bytes], mode: int | None) -> None:
    """Write a temporary file beside `target` and rename it."""
    with NewFile(target, mode) as new:
        new.stream.writelines(blocks)
        new.finish()


class NewFile:
    """A file under another name in the folder of its target, in whose place it is put at the end; else it goes.

    mode: the permissions that it gets; None: those of any new file.
    """

    def __init__(self, target: Path, mode: int | None) -> None:
        self._path, handle = open_beside(target, 0o666 if mode is None else 0o600)
        self._target, self._mode = target, mode
        self._old: Path | None = None
        self._identity = (-1, -1)  # the device and the number of the file that was written
        self.stream = os.fdopen(handle, "wb")

    def finish(self) -> None:
        """Become the target, all that was written being on the disk."""
        self.complete()
        self.commit()
        self.sync_place()

    def complete(self) -> None:
        """Bring what was written to the disk."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        written = os.fstat(self.stream.fileno())
        self._identity = (written.st_dev, written.st_ino)
        self.stream.close()
        if self._mode is not None:
            self._path.chmod(stat.S_IMODE(self._mode))

    def commit(self) -> None:
        """Become the target."""
        self._path.replace(self._target)

    def is_committed(self) -> bool:
        """Whether it has become the target."""
        try:
            found = self._target.stat()
        except OSError:
            return False
        return self._identity == (found.st_dev, found.st_ino)

    def back_up(self) -> None:
        """Let the file that is there now be kept for `give_up_place`, if there is one and the file system has links."""
        self._old = Path(f"{self._path}.old")
        with suppress(OSError):
            self._old.hardlink_to(self._target)

    def roll_back(self) -> None:
        """Let the target be what it was before: the file that `keep_old` has kept, or none."""
        if not self.is_committed():
            return
        if self._old is not None and self._old.exists():
            self._old.replace(self._target)
        elif self._mode is None:
            self._target.unlink(missing_ok=True)

    def sync_place(self) -> None:
        """Bring what `take_place` did to the disk."""
        sync_folder(self._target.parent)

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self.stream.close()
        with suppress(OSError):
            self._path.unlink()  # no longer there if it took its place
        if self._old is not None:
            with suppress(OSError):
                self._old.unlink()


def open_beside(target: Path, mode: int) -> tuple[Path, int]:
    """A new file in the folder of `target`, under a name that no other has: its path and its handle.

    mode: its permissions, as far as those that new files get here allow them.
    """
    start = target.name.encode("utf-8", "ignore")[:100].decode("utf-8", "ignore")  # file systems count bytes
    path = target.with_name(f".{start}.{os.urandom(8).hex()}.tmp")
    return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def sync_folder(folder: Path) -> None:
    """Bring a rename to the disk, where the system can (POSIX); without it the old file may come back."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
