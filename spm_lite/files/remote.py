"""Files elsewhere, such as s3://bucket/part-*.jsonl.gz, through fsspec; and the choice between them and local paths."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError, FilePermissionError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any, BinaryIO, TypeAlias

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(name: str) -> bool:
    """Whether a name is the address of a file elsewhere: it begins with a scheme, such as s3://."""
    return ADDRESS.match(name) is not None


def as_file(name: str | os.PathLike[str]) -> AnyFile:
    """The file of a path or an address."""
    from pathlib import Path  # here, since it takes as long as a small model

    text = os.fspath(name)
    return RemoteFile(text) if is_remote(text) else Path(text)


class RemoteFile(os.PathLike[str]):
    """A file elsewhere, with the methods of `Path` that readers use."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._system, self._path = file_system(address)

    def __fspath__(self) -> str:
        return self._address

    __str__ = __fspath__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteFile) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self._path.rstrip("/").rpartition("/")[2]

    def open(self, mode: str = "rb", buffering: int = -1) -> Any:
        """Open the file for reading. Raises FileError and its kinds."""
        try:
            return self._system.open(self._path, mode)
        except Exception as error:  # of any of the packages that fsspec uses
            raise as_file_error(error, self._address) from error

    @contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """A file here that is copied to the address at the end. After an error within, nothing there has changed.

        Raises FileError and its kinds.
        """
        from tempfile import NamedTemporaryFile

        with NamedTemporaryFile(prefix="spm_lite-") as file:
            yield file  # type: ignore[misc]
            file.flush()
            try:
                self._system.put_file(file.name, self._path)
            except Exception as error:
                raise as_file_error(error, self._address, "written") from error

    def write(self, blocks: Iterable[bytes]) -> None:
        """Make the blocks its content, or change nothing. Raises FileError and its kinds."""
        with self.writing() as file:
            file.writelines(blocks)

    def read_bytes(self) -> bytes:
        """The content. Raises FileError and its kinds."""
        try:
            return bytes(self._system.cat_file(self._path))
        except Exception as error:
            raise as_file_error(error, self._address) from error

    def stat(self) -> os.stat_result:
        """The size, as that of a regular file whose number is not known. Raises FileError and its kinds."""
        size = int(self.info().get("size") or 0)
        return os.stat_result((stat.S_IFREG, 0, 0, 1, 0, 0, size, 0, 0, 0))

    def info(self) -> dict[str, Any]:
        """What the file system knows of the file, perhaps from a listing. Raises FileError and its kinds."""
        try:
            return dict(self._system.info(self._path))
        except Exception as error:
            raise as_file_error(error, self._address) from error

    def forget_info(self) -> None:
        """Let `info` ask again."""
        self._system.invalidate_cache()


AnyFile: TypeAlias = "Path | RemoteFile"


def expand_remote(address: str, is_text: Any) -> list[RemoteFile]:
    """The file; the files of text in a folder; those that a pattern matches; in the order of their addresses.

    is_text: whether a name in a folder is of a file of text. Raises FileError and its kinds.
    """
    system, path = file_system(address)
    scheme = address.partition("://")[0]
    try:
        if any(sign in path for sign in "*?["):
            shows_hidden = path.rpartition("/")[2].startswith(".")
            matched = [name for name in system.glob(path) if shows_hidden or "/." not in name]
            found = [name for name in matched if not system.isdir(name)]
        elif system.isdir(path):
            names = [name for name in system.find(path) if is_text(name.rpartition("/")[2])]
            depth = len(path.rstrip("/"))
            found = [name for name in names if "/." not in name[depth:]]
        else:
            found = [path] if system.exists(path) else []
    except Exception as error:
        raise as_file_error(error, address) from error
    if found == [path]:
        return [RemoteFile(address)]
    return [RemoteFile(f"{scheme}://{name.lstrip('/') if scheme != 'file' else name}") for name in sorted(found)]


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it. Raises FileError if there is none for its scheme."""
    try:
        import fsspec
    except ImportError:
        raise FileError(
            f"{address!r:.200} needs the package fsspec: pip install 'spm_lite[io]', or pip install fsspec"
        ) from None
    try:
        system, path = fsspec.core.url_to_fs(address)
    except Exception as error:
        raise as_file_error(error, address) from error
    return system, str(path)


def as_file_error(error: Exception, address: str, done: str = "read") -> FileError:
    """The FileError of what a file system says. done: what failed."""
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    kind = FileError
    if isinstance(error, FileNotFoundError):
        kind, reason = MissingFileError, "there is no such file"
    elif isinstance(error, PermissionError):
        kind = FilePermissionError
    return error if isinstance(error, FileError) else kind(f"{address!r:.200} cannot be {done}: {reason}")
