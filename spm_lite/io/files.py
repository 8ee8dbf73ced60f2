"""Whole files in and out, with errors of our own; a failed save leaves the old file as it was."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from spm_lite.errors import FileError, FilePermissionError, MissingFileError

AnyPath: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def read_bytes(path: AnyPath) -> bytes:
    """The content of a file. Raises MissingFileError, FilePermissionError or FileError."""
    try:
        return Path(os.fsdecode(path)).read_bytes()
    except OSError as error:
        raise typed(error, path, "read") from error


def write_atomically(path: AnyPath, data: bytes) -> None:
    """Make `data` the content of a file, wholly or not at all.

    It is written under another name in the same folder, brought to the disk and then renamed. An existing file
    keeps its permissions, a link stays a link; a device or pipe is written directly. Raises MissingFileError (no
    such folder), FilePermissionError or FileError.
    """
    try:
        target = Path(os.path.realpath(os.fsdecode(path)))
        mode = existing_mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            target.open("wb").close()  # raises the error that says so
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
        else:
            replace_file(target, data, mode)
    except OSError as error:
        raise typed(error, path, "written") from error


def existing_mode(path: Path) -> int | None:
    """The mode bits of a file, None where there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def replace_file(target: Path, data: bytes, mode: int | None) -> None:
    """Write a temporary file beside `target` and rename it."""
    import tempfile  # costs as much as all the rest of this module, and reading needs none of it

    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~current_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(target.parent)


def current_umask() -> int:
    """The permissions that new files of this process do not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def sync_folder(folder: Path) -> None:
    """Bring a rename to the disk, where the system can (POSIX); without it the old file may come back."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def typed(error: OSError, path: AnyPath, done: str) -> FileError:
    """`error` as one of ours, naming the file and what could not be done."""
    kind = FileError
    if isinstance(error, FileNotFoundError):
        kind = MissingFileError
    elif isinstance(error, PermissionError):
        kind = FilePermissionError
    reason = f"the file cannot be {done}: {error.strerror or error}"
    return kind(error.errno or 0, reason, os.fsdecode(path))
