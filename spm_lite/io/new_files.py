"""Atomic writing of files (temporary file, then rename): a failed save leaves the old file as it was."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from spm_lite.io.files import AnyPath, checked_path, typed


def write_atomically(path: AnyPath, data: bytes | Iterable[bytes]) -> None:
    """Make `data` the content of a file, wholly or not at all. data: bytes, or blocks of bytes.

    The data is written to another name in the same folder, synced to disk and then renamed. An existing file keeps
    its permissions, and a link stays a link. A target that is no regular file is written directly: a device, a pipe,
    or a link to an open file such as /dev/stdout. Raises MissingFileError (no such folder), FilePermissionError or
    FileError.
    """
    name = checked_path(path, "written")
    blocks = [data] if isinstance(data, bytes) else data
    try:
        mode = existing_mode(Path(name))
        target = Path(os.path.realpath(name))
        if is_replaceable(mode, target):
            replace_file(target, blocks, mode)
        else:
            with Path(name).open("wb") as file:  # raises IsADirectoryError for a folder
                file.writelines(blocks)
    except OSError as error:
        raise typed(error, path, "written") from error


def new_file(path: AnyPath) -> NewFile:
    """Open a NewFile that becomes the file `path` when `commit` is called.

    Raises as `write_atomically`, and FileError if `path` is a folder, a device or a pipe.
    """
    name = checked_path(path, "written")
    try:
        mode = existing_mode(Path(name))
        target = Path(os.path.realpath(name))
        if Path(name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not is_replaceable(mode, target):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and not written in order: name a file")
        return NewFile(target, mode)
    except OSError as error:
        raise typed(error, path, "written") from error


def is_replaceable(mode: int | None, target: Path) -> bool:
    """Whether a rename to `target` replaces the file. mode: of the file, from one look at it; None: there is none.

    False for devices, pipes and folders, and for a system link to an open file that was deleted: Linux resolves such
    a link to a name with the suffix " (deleted)". Another process may replace the file at any moment, so the answer
    must not depend on a second look at a regular file.
    """
    if mode is None:
        return True
    return stat.S_ISREG(mode) and not (target.name.endswith(" (deleted)") and not os.path.lexists(target))


def existing_mode(path: Path) -> int | None:
    """The mode bits of a file; None: there is no file."""
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
    """A temporary file beside its target, which `commit` renames to it; leaving the context deletes it otherwise.

    mode: permissions of the target; None: those of any new file.
    """

    def __init__(self, target: Path, mode: int | None) -> None:
        self._path, handle = open_beside(target, 0o666 if mode is None else 0o600)
        self._target, self._mode = target, mode
        self._old: Path | None = None
        self._identity = (-1, -1)  # device and inode of the written file
        self.stream = os.fdopen(handle, "wb")

    def finish(self) -> None:
        """Complete the file, replace the target with it, and sync the rename."""
        self.complete()
        self.commit()
        self.sync_place()

    def complete(self) -> None:
        """Sync the data to disk, close the file and set its permissions."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        written = os.fstat(self.stream.fileno())
        self._identity = (written.st_dev, written.st_ino)
        self.stream.close()
        if self._mode is not None:
            self._path.chmod(stat.S_IMODE(self._mode))

    def commit(self) -> None:
        """Rename the file to its target."""
        self._path.replace(self._target)

    def is_committed(self) -> bool:
        """Whether the target is this file."""
        try:
            found = self._target.stat()
        except OSError:
            return False
        return self._identity == (found.st_dev, found.st_ino)

    def back_up(self) -> None:
        """Keep the target's present file for `roll_back`, if there is one and the file system has hard links."""
        self._old = Path(f"{self._path}.old")
        with suppress(OSError):
            self._old.hardlink_to(self._target)

    def roll_back(self) -> None:
        """Undo `commit`: restore the file that `back_up` kept, or delete the target if there was none."""
        if not self.is_committed():
            return
        if self._old is not None and self._old.exists():
            self._old.replace(self._target)
        elif self._mode is None:
            self._target.unlink(missing_ok=True)

    def sync_place(self) -> None:
        """Sync the rename of `commit` to disk."""
        sync_folder(self._target.parent)

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self.stream.close()
        with suppress(OSError):
            self._path.unlink()  # no longer there after `commit`
        if self._old is not None:
            with suppress(OSError):
                self._old.unlink()


def open_beside(target: Path, mode: int) -> tuple[Path, int]:
    """Create a file with a unique name in the folder of `target`; return its path and handle.

    mode: its permissions, before the umask.
    """
    start = target.name.encode("utf-8", "ignore")[:100].decode("utf-8", "ignore")  # names are limited in bytes
    path = target.with_name(f".{start}.{os.urandom(8).hex()}.tmp")
    return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def sync_folder(folder: Path) -> None:
    """Sync a rename to disk, where the system can (POSIX). Without it a crash may bring the old file back."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
