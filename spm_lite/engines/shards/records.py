"""The record of a shard: what it was made of, and its files. It comes last: with it the shard is there.

The names of these files are here too. Temporary files beside them have names that tell job and process.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.files.saved_values import COUNT, DIGEST, PATH, Kind, check, parse
from spm_lite.files.temporary_files import is_alive, is_held

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spm_lite.engines.shards.folders import AnyFolder


DIGITS = 5  # of a shard's number in the names of its files
OF_SHARD = re.compile(r"(?P<number>[0-9]{5,})(?P<rest>[._].*)")  # names of shards and records
TEMPORARY = re.compile(r"[.](?P<name>.*)[.](?P<job>[0-9a-f]{8})[.](?P<pid>[0-9]{1,10})-[0-9a-f]{16}[.]tmp", re.DOTALL)
NAME = Kind(
    "the name of a file of a shard",
    lambda value: PATH.fits(value) and OF_SHARD.fullmatch(value) is not None and not {"/", os.sep} & {*value},
)
FILES = [{"name": NAME, "size": COUNT, "sha256": DIGEST}]
RECORD = {  # the form of a record
    "key": DIGEST, "documents": COUNT, "ids": COUNT, "bytes": COUNT, "spans": [(COUNT, COUNT, COUNT)], "files": FILES,
}  # fmt: skip


def stem_of(number: int) -> str:
    """What the names of a shard's files begin with."""
    return f"{number:0{DIGITS}}"


def record_name(number: int) -> str:
    """The name of a shard's record."""
    return f"{stem_of(number)}.json"


def shard_name(number: int, format: str) -> str:
    """The common name of a shard's files, as `id_forms.paths_of` takes it."""
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


def as_bytes(values: Mapping[str, Any]) -> bytes:
    """The content of a record: every process writes the same bytes."""
    return json.dumps(values, sort_keys=True).encode() + b"\n"


def write_record(folder: AnyFolder, number: int, job: str, record: Mapping[str, Any]) -> None:
    """Write the record of a shard, whose files are in their places."""
    folder.write(record_name(number), job, as_bytes(record))


def read_record(folder: AnyFolder, number: int, key: str) -> dict[str, Any] | None:
    """The record of a shard; None if there is none of this key, or if its files do not have the sizes that it tells."""
    return checked(folder.read(record_name(number)), key, folder.size)


def read_records(folder: AnyFolder, keys: Sequence[str], any_size: bool = False) -> Iterator[dict[str, Any] | None]:
    """The records of all shards, whose keys are given; the folder is listed once. any_size: of the files."""
    sizes = folder.sizes()
    names = [record_name(number) for number in range(len(keys))]
    there = [name for name in names if name in sizes]
    found = dict(zip(there, folder.read_many(there), strict=True))
    for name, key in zip(names, keys, strict=True):
        yield checked(found.get(name), key, None if any_size else sizes.get)


def checked(data: bytes | None, key: str, size_of: Callable[[str], int | None] | None) -> dict[str, Any] | None:
    """A record of this key whose files have the sizes that it tells; None: it is another. size_of: None: any size."""
    if data is None:
        return None
    try:
        record: dict[str, Any] = parse(data)
        check(record, RECORD, "the record")
    except ValueError:
        return None
    sizes = {file["name"]: file["size"] for file in record["files"]}
    if record["key"] != key or any(size_of is not None and size_of(name) != sizes[name] for name in sizes):
        return None
    return record


def drop_record(folder: AnyFolder, number: int, key: str) -> None:
    """Remove a record that is not of this key, before the files of its shard are replaced."""
    folder.drop(record_name(number), key[:8], lambda data: checked(data, key, folder.size) is not None)
