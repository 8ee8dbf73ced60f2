"""The files of one shard: whole or absent, written under names of their own, the record last.

Any number of processes, also on other machines, may write the same shard at once: they write the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.errors import FileError
from spm_lite.id_files.forms import make_writer, paths_of
from spm_lite.id_files.writer import IdWriter, OutputFile
from spm_lite.io.files import typed
from spm_lite.io.new_files import sync_folder
from spm_lite.io.temporary_files import is_alive, is_held, is_locked

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

DIGITS = 5  # of a shard's number in the names of its files
OF_SHARD = re.compile(r"(?P<number>[0-9]{5,})(?P<rest>[._].*)")  # names of shards and records
TEMPORARY = re.compile(r"[.](?P<name>.*)[.](?P<job>[0-9a-f]{8})[.](?P<pid>[0-9]{1,10})-[0-9a-f]{16}[.]tmp", re.DOTALL)
READ_SIZE = 1 << 20


def stem_of(number: int) -> str:
    """What the names of a shard's files begin with."""
    return f"{number:0{DIGITS}}"


def record_name(number: int) -> str:
    """The name of a shard's record."""
    return f"{stem_of(number)}.json"


class ShardFiles:
    """A context manager around the writer of a shard; leaving it without `finish` removes what was written.

    job: 8 hex digits of the plan, by which left-over files are known.
    """

    writer: IdWriter

    def __init__(self, folder: Path, number: int, job: str, format: str, dtype: str, vocabulary: str) -> None:
        self._folder = folder
        self._targets = [folder / name for name in paths_of(named(number, format), format)]
        self._job = job
        self._given = format, dtype, vocabulary
        self._open: list[tuple[Path, Any]] = []  # temporary files and their streams
        self._is_finished = False

    def __enter__(self) -> ShardFiles:
        try:
            outputs = []
            for target in self._targets:
                path = temporary_path(target, self._job)
                with naming(target):
                    stream = path.open("xb")
                is_locked(stream.fileno())  # as long as it is open: its process lives
                self._open.append((path, stream))
                outputs.append(OutputFile(stream, path, str(target)))
            self.writer = make_writer(outputs, *self._given)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if not self._is_finished:
            self.writer.forget()
        self._remove()

    def _remove(self) -> None:
        for path, stream in self._open:
            with suppress(OSError):
                stream.close()
            with suppress(OSError):
                path.unlink()

    def finish(self) -> list[dict[str, Any]]:
        """Complete the files, sync them and put them in their places; return name, size and SHA-256 of each."""
        self.writer.finish()
        self._is_finished = True
        found = []
        for target, (path, stream) in zip(self._targets, self._open, strict=True):
            with naming(target):
                stream.flush()
                os.fsync(stream.fileno())
                stream.close()
                found.append({"name": target.name, "size": path.stat().st_size, "sha256": digest_of(path)})
        for target, (path, _) in zip(self._targets, self._open, strict=True):
            with naming(target):
                path.replace(target)
        sync_folder(self._folder)
        return found


def named(number: int, format: str) -> str:
    """The common name of a shard's files, as `id_files.forms.paths_of` takes it."""
    return f"{stem_of(number)}.bin" if format == "bin" else stem_of(number)


def temporary_path(target: Path, job: str) -> Path:
    """A name beside the target that no other process uses."""
    return target.with_name(f".{target.name}.{job}.{os.getpid()}-{os.urandom(8).hex()}.tmp")


def is_left_over(path: Path, jobs: Collection[str]) -> bool:
    """Whether a file is a temporary one of these jobs, or of another job whose process is dead."""
    name = TEMPORARY.fullmatch(path.name)
    if name is None:
        return False
    return name["job"] in jobs or (not is_alive(int(name["pid"])) and is_held(path) is False)


class naming:
    """Turn an OSError within the block into a FileError that names a file which is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise typed(error, self.path, "written") from error


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while data := file.read(READ_SIZE):
            digest.update(data)
    return digest.hexdigest()


def write_record(folder: Path, number: int, job: str, record: Mapping[str, Any]) -> None:
    """Write the record of a shard, whose files are in their places. It comes last: with it the shard is there."""
    write_small(folder / record_name(number), job, as_bytes(record))


def write_small(target: Path, job: str, data: bytes) -> None:
    """Make a small file, whole or not at all."""
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
    sync_folder(target.parent)


def as_bytes(values: Mapping[str, Any]) -> bytes:
    """The content of a record: the same bytes whoever writes it."""
    return json.dumps(values, sort_keys=True).encode() + b"\n"


def read_record(folder: Path, number: int, key: str) -> dict[str, Any] | None:
    """The record of a shard; None if there is none of this key, or if its files do not have the sizes that it tells."""
    return read_record_of(folder, folder / record_name(number), key)


def read_record_of(folder: Path, path: Path, key: str) -> dict[str, Any] | None:
    """The same of a record that stands at another place."""
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
        if record["key"] != key:
            return None
        for file in record["files"]:
            if (folder / file["name"]).stat().st_size != file["size"]:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record


def drop_record(folder: Path, number: int, key: str) -> None:
    """Remove a record that is not of this key, before the files of its shard are replaced.

    Another attempt may put the right record there at any moment, so it is moved first, and looked at then.
    """
    target = folder / record_name(number)
    moved = temporary_path(target, key[:8])
    with naming(target):
        try:
            target.replace(moved)
        except FileNotFoundError:
            return
        if read_record_of(folder, moved, key) is None:
            moved.unlink()
        else:
            moved.replace(target)
