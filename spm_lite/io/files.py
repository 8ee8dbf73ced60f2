"""Whole files in and out, with errors of our own; a failed save leaves the old file as it was."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from spm_lite.errors import ArgumentTypeError, FileError, FilePermissionError, MissingFileError

AnyPath: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def read_bytes(path: AnyPath) -> bytes:
    """The content of a file. Raises MissingFileError, FilePermissionError or FileError."""
    name = checked_path(path, "read")
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise typed(error, path, "read") from error


def read_stream(file: Any) -> tuple[bytes, str]:
    """What is left in an open binary file, and its name. Raises FileError, ArgumentTypeError for one of text."""
    name = getattr(file, "name", None)
    name = os.fsdecode(name) if isinstance(name, (str, bytes)) else f"<{type(file).__name__}>"
    try:
        data = file.read()
    except UnicodeDecodeError:
        raise ArgumentTypeError(f"the file {name!r} is open as text: open it with mode 'rb'") from None
    except ValueError as error:  # closed, or open for writing
        raise FileError(errno.EBADF, f"the file cannot be read: {error}. Open it with mode 'rb'", name) from error
    except OSError as error:
        raise typed(error, name, "read") from error
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"the file {name!r} gave {type(data).__name__}, not bytes: open it with mode 'rb'")
    return bytes(data), name


def checked_path(path: AnyPath, done: str) -> str:
    """A path as str. Raises FileError for one that no file can have: with a NUL or characters it cannot encode."""
    try:
        name = os.fsdecode(path)
    except TypeError as error:  # an os.PathLike that gives something else
        raise ArgumentTypeError(f"a path is str, bytes or PathLike: {error}") from None
    if "\0" in name:
        raise FileError(errno.EINVAL, f"the file cannot be {done}: its path holds a NUL, leave it out", name)
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        reason = f"its path holds {name[error.start]!a}, which {error.encoding} lacks: use another path"
        raise FileError(errno.EINVAL, f"the file cannot be {done}: {reason}", name) from None
    return name


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
        new.complete()
        new.take_place()


class NewFile:
    """A file under another name in the folder of its target, in whose place it is put at the end; else it goes.

    mode: the permissions that it gets; None: those of any new file.
    """

    def __init__(self, target: Path, mode: int | None) -> None:
        import tempfile  # costs as much as all the rest of this module, and reading needs none of it

        start = target.name.encode("utf-8", "ignore")[:100].decode("utf-8", "ignore")  # file systems count bytes
        handle, name = tempfile.mkstemp(prefix=f".{start}.", suffix=".tmp", dir=target.parent)
        self._path, self._target, self._mode = Path(name), target, mode
        self.stream = os.fdopen(handle, "wb")

    def complete(self) -> None:
        """Bring what was written to the disk."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        self._path.chmod(stat.S_IMODE(self._mode) if self._mode is not None else 0o666 & ~current_umask())

    def take_place(self) -> None:
        """Become the target."""
        self._path.replace(self._target)
        sync_folder(self._target.parent)

    def give_up_place(self) -> None:
        """Remove the target again, if there was none before."""
        if self._mode is None:
            self._target.unlink(missing_ok=True)

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self.stream.close()
        with suppress(OSError):
            self._path.unlink()  # no longer there if it took its place


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


def as_path(path: Any, name: str) -> str:
    """A path that could be written to."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name} is str or PathLike, not {type(path).__name__} {path!r:.40}")
    return checked_path(path, "written")


def as_vocab_path(vocab: Any, path: str | os.PathLike[str]) -> str | None:
    """Where the table of pieces goes, None for nowhere."""
    if vocab is None or vocab is False:
        return None
    return os.path.splitext(Path(path))[0] + ".vocab" if vocab is True else as_path(vocab, "vocab")  # noqa: PTH122
