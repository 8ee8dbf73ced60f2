"""The folder of the shards, here or in an object store: what is in it, small files whole or not at all, and removal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from spm_lite.engines.shards.records import is_left_over, temporary_path
from spm_lite.errors import FileError
from spm_lite.files.new_files import sync_folder
from spm_lite.files.open_files import as_path, typed
from spm_lite.files.paired_files import naming
from spm_lite.files.remote import as_file_error, file_system, is_remote


class LocalFolder:
    """A folder that this machine sees."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """Make the folder, unless it is there."""
        with naming(self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def path_of(self, name: str) -> str:
        """The path of a file."""
        return str(self.path / name)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None: it is not there, or cannot be read."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def read_many(self, names: Sequence[str]) -> Iterator[bytes | None]:
        """The contents of several files; None: it is not there, or cannot be read."""
        return map(self.read, names)

    def size(self, name: str) -> int | None:
        """The bytes of a file; None: it is not there."""
        try:
            return (self.path / name).stat().st_size
        except OSError:
            return None

    def sizes(self) -> dict[str, int]:
        """The bytes of all files."""
        found = {}
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        found[entry.name] = entry.stat().st_size
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise typed(error, self.path, "read") from error
        return found

    def write(self, name: str, job: str, data: bytes) -> None:
        """Make a small file, whole or not at all."""
        target = self.path / name
        path = temporary_path(target, job)
        with naming(target):
            try:
                with path.open("xb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
                path.replace(target)
            except BaseException:
                with suppress(OSError):
                    path.unlink()
                raise
        sync_folder(self.path)

    def drop(self, name: str, job: str, is_right: Callable[[bytes], bool]) -> None:
        """Remove a file, unless it has the right content.

        Another process may put the right one there at any moment, so it is moved first, and looked at then.
        """
        target = self.path / name
        moved = temporary_path(target, job)
        with naming(target):
            try:
                target.replace(moved)
            except FileNotFoundError:
                return
            if is_right(moved.read_bytes()):
                moved.replace(target)
            else:
                moved.unlink()

    def tidy(self, jobs: set[str]) -> None:
        """Remove what killed processes of some jobs, or of any job that has ended, left behind."""
        for name in self.sizes():
            if is_left_over(self.path / name, jobs):
                with suppress(OSError):
                    (self.path / name).unlink()

    @contextmanager
    def files(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """A context in which these files can be read by the paths that it gives."""
        yield [self.path / name for name in names]


class RemoteFolder:
    """A folder of an object store, through fsspec. A file appears there as a whole, or not at all."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._system, self._path = file_system(self.address)

    def make(self) -> None:
        """Make the folder, unless it is there."""
        with self.naming("", "written"):
            self._system.makedirs(self._path, exist_ok=True)

    def path_of(self, name: str) -> str:
        """The address of a file."""
        return f"{self.address}/{name}"

    def read(self, name: str) -> bytes | None:
        """The content of a file; None: it is not there, or cannot be read."""
        return next(self.read_many([name]))

    def read_many(self, names: Sequence[str]) -> Iterator[bytes | None]:
        """The contents of several files, fetched together; None: it is not there, or cannot be read."""
        if not names:
            return
        places = [f"{self._path}/{name}" for name in names]
        try:
            found = self._system.cat(places, on_error="omit")
        except Exception as error:
            raise as_file_error(error, self.address) from error
        known = {place.lstrip("/"): data for place, data in found.items()}
        yield from (known.get(place.lstrip("/")) for place in places)

    def size(self, name: str) -> int | None:
        """The bytes of a file; None: it is not there."""
        self._system.invalidate_cache()
        try:
            return int(self._system.info(f"{self._path}/{name}")["size"])
        except FileNotFoundError:
            return None
        except Exception as error:
            raise as_file_error(error, self.path_of(name)) from error

    def sizes(self) -> dict[str, int]:
        """The bytes of all files."""
        self._system.invalidate_cache()
        try:
            found = self._system.ls(self._path, detail=True)
        except FileNotFoundError:
            return {}
        except Exception as error:
            raise as_file_error(error, self.address) from error
        return {str(item["name"]).rpartition("/")[2]: int(item.get("size") or 0) for item in found}

    def write(self, name: str, job: str, data: bytes) -> None:
        """Make a small file."""
        with self.naming(name, "written"):
            self._system.pipe_file(f"{self._path}/{name}", data)

    def put(self, path: Path, name: str) -> None:
        """Copy a file from here."""
        with self.naming(name, "written"):
            self._system.put_file(str(path), f"{self._path}/{name}")

    def drop(self, name: str, job: str, is_right: Callable[[bytes], bool]) -> None:
        """Remove a file, unless it has the right content.

        Should another process write the right one meanwhile, it is removed too, and the caller makes the same again.
        """
        data = self.read(name)
        if data is None or is_right(data):
            return
        with suppress(FileNotFoundError), self.naming(name, "written"):
            self._system.rm_file(f"{self._path}/{name}")

    def tidy(self, jobs: set[str]) -> None:
        """Do nothing: a file that is not whole is not seen there."""

    @contextmanager
    def files(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """A context in which copies of these files can be read by the paths that it gives."""
        with TemporaryDirectory(prefix="spm_lite-") as folder:
            for name in names:
                with self.naming(name, "read"):
                    self._system.get_file(f"{self._path}/{name}", str(Path(folder) / name))
            yield [Path(folder) / name for name in names]

    @contextmanager
    def naming(self, name: str, done: str) -> Iterator[None]:
        """Turn what a file system raises within the block into a FileError that names the file."""
        try:
            yield
        except FileError:
            raise
        except Exception as error:
            raise as_file_error(error, self.path_of(name), done) from error


AnyFolder: TypeAlias = LocalFolder | RemoteFolder


def open_folder(out: str) -> AnyFolder:
    """The folder of a path or an address."""
    return RemoteFolder(out) if is_remote(out) else LocalFolder(Path(out))


def as_out(out: Any) -> str:
    """The name of a folder of shards: an address as it is, a path from the root on. Raises FileError."""
    name = as_path(out, "out", allows_address=True)
    return name.rstrip("/") if is_remote(name) else str(Path(name).absolute())
