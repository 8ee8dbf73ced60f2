"""Atomic writing of files (temporary file, then rename): a failed save leaves the old file as it was."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path

from spm_lite.errors import FileError
from spm_lite.files.open_files import AnyPath, checked_path, is_address, typed
from spm_lite.files.remote import RemoteFile
from spm_lite.files.temporary_files import create, former, new_tag, path_beside, remove_abandoned


def write_atomically(path: AnyPath, data: bytes | Iterable[bytes]) -> None:
    """Make `data` the content of a file, wholly or not at all. data: bytes, or blocks of bytes.

    The data is written to another name in the same folder, synced to disk and then renamed. An existing file keeps
    its permissions, except the setuid and setgid bits, and its owner and group if this process may set them. A link
    stays a link; another hard link keeps the old content. A target other than a regular file is written directly: a
    device, a pipe, or a link to an open file such as /dev/stdout. At an address, the file system there decides when
    the file appears. Raises MissingFileError (no such folder), FilePermissionError or FileError.
    """
    name = checked_path(path, "written", allows_address=True)
    blocks = [data] if isinstance(data, bytes) else data
    if is_address(name):
        RemoteFile(name).write(blocks)
        return
    if name.endswith(("/", os.sep)):
        raise FileError(errno.EISDIR, "is the name of a folder: a file is written, so give its name", name)
    try:
        old = look_at(Path(name))
        target = Path(os.path.realpath(name))
        if is_replaceable(old, target):
            with NewFile(target, old) as new:
                new.stream.writelines(blocks)
                new.finish()
        else:
            with Path(name).open("wb") as file:  # raises IsADirectoryError for a folder
                file.writelines(blocks)
    except OSError as error:
        raise typed(error, path, "written") from error


def new_file(path: AnyPath, tag: str | None = None) -> NewFile:
    """Return a NewFile that becomes the file `path` when `commit` is called; a `with` statement opens it.

    tag: of `temporary_files.new_tag`, for files that belong together; None: a new one.
    Raises as `write_atomically`, and FileError if `path` is a folder, a device or a pipe.
    """
    name = checked_path(path, "written")
    if name.endswith(("/", os.sep)):
        raise FileError(errno.EISDIR, "is the name of a folder: a file is written, so give its name", name)
    try:
        old = look_at(Path(name))
        target = Path(os.path.realpath(name))
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not is_replaceable(old, target):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and not written in order: name a file")
        return NewFile(target, old, tag)
    except OSError as error:
        raise typed(error, path, "written") from error


def look_at(path: Path) -> os.stat_result | None:
    """What the system says of a file; None: there is no file."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def is_replaceable(old: os.stat_result | None, target: Path) -> bool:
    """Whether a rename to `target` replaces the file. old: of one look at the file; None: there is none.

    False for devices, pipes and folders, and for a system link to an open file that was deleted: Linux resolves such
    a link to a name with the suffix " (deleted)". Another process may replace the file at any moment, so the answer
    must not depend on a second look at a regular file.
    """
    if old is None:
        return True
    return stat.S_ISREG(old.st_mode) and not (target.name.endswith(" (deleted)") and not os.path.lexists(target))


def is_stream(path: AnyPath) -> bool:
    """Whether a path is written directly: a device, a pipe, or a link to an open file that was deleted."""
    name = checked_path(path, "written")
    try:
        old = look_at(Path(name))
        is_folder = old is not None and stat.S_ISDIR(old.st_mode)
        return not is_folder and not is_replaceable(old, Path(os.path.realpath(name)))
    except OSError as error:
        raise typed(error, path, "written") from error


class NewFile:
    """A temporary file beside its target, which `commit` renames to it; leaving the context deletes it otherwise.

    old: of the target; None: there is none. Temporary files of dead processes for the same target are removed.
    The file stays open and locked until the context ends, so that nobody takes it for abandoned; not on Windows, where
    an open file cannot be renamed. A forked child has a copy of the object, which neither writes nor removes the file.
    """

    stream: BufferedWriter

    def __init__(self, target: Path, old: os.stat_result | None, tag: str | None = None) -> None:
        remove_abandoned(target)
        self._process = os.getpid()
        self._path = path_beside(target, tag or new_tag())
        self._target, self._old = target, old
        self._backup: Path | None = None
        self._identity = (-1, -1)  # device and inode of the written file

    @property
    def path(self) -> Path:
        """Where the data is until `commit`."""
        return self._path

    def finish(self) -> None:
        """Complete the file, replace the target with it, and sync the rename."""
        self.complete()
        self.commit()
        self.sync_place()

    def complete(self) -> None:
        """Sync the data to disk, and set owner and permissions."""
        if os.getpid() != self._process:
            raise OSError(errno.EPERM, "this process was forked while another one wrote the file: end it with os._exit")
        self.stream.flush()
        os.fsync(self.stream.fileno())
        written = os.fstat(self.stream.fileno())
        self._identity = (written.st_dev, written.st_ino)
        if self._old is not None:
            self._take_owner(written, self._old)
        if os.name != "posix":
            self.stream.close()
        if self._old is not None:
            self._path.chmod(stat.S_IMODE(self._old.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))

    def _take_owner(self, written: os.stat_result, old: os.stat_result) -> None:
        """Give the new file the owner and group of the old one, each if this process may."""
        if not hasattr(os, "fchown"):
            return
        for owner, group in ((old.st_uid, -1), (-1, old.st_gid)):
            if (owner, group) not in ((written.st_uid, -1), (-1, written.st_gid)):
                with suppress(OSError):
                    os.fchown(self.stream.fileno(), owner, group)

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
        self._backup = former(self._path)
        with suppress(OSError):
            self._backup.hardlink_to(self._target)

    def set_aside(self) -> None:
        """Take the target's present file, if there is one, out of its place; `roll_back` puts it back."""
        self._backup = former(self._path)
        with suppress(FileNotFoundError):
            self._target.replace(self._backup)

    def roll_back(self) -> None:
        """Undo `set_aside` and `commit`: restore the file that was kept, or delete the target if there was none.

        A file that cannot be restored stays under the name of the backup, which the error tells.
        """
        if self._backup is not None and self._backup.exists():
            kept, self._backup = self._backup, None
            try:
                kept.replace(self._target)
                kept.unlink(missing_ok=True)  # a rename to another link of the same file leaves both
            except OSError as error:
                raise OSError(error.errno, f"{error.strerror}; its previous content is in {str(kept)!r}") from error
        elif self._old is None and self.is_committed():
            self._target.unlink(missing_ok=True)

    def sync_place(self) -> None:
        """Sync the rename of `commit` to disk."""
        sync_folder(self._target.parent)

    def __enter__(self) -> NewFile:
        try:
            self.stream = os.fdopen(create(self._path, 0o666 if self._old is None else 0o600), "wb")
        except BaseException:  # Ctrl-C among them
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if os.getpid() != self._process:
            self._drop_copy()
            return
        if os.name != "posix":
            self._close()
        with suppress(OSError):
            self._path.unlink()  # no longer there after `commit`
        if self._backup is not None:
            with suppress(OSError):
                self._backup.unlink()
        self._close()  # last: the lock keeps the files above from being taken for abandoned

    def _close(self) -> None:
        with suppress(OSError, AttributeError):  # the latter: it is not open
            self.stream.close()

    def _drop_copy(self) -> None:
        """Close a forked child's copy of the stream without writing what it holds: the parent will write that."""
        with suppress(OSError, AttributeError, ValueError):  # the last: it is closed
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno(), inheritable=False)
            os.close(nowhere)
            self.stream.close()


def sync_folder(folder: Path) -> None:
    """Sync a rename to disk, where the system can (POSIX). Without it a crash may bring the old file back."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
