"""Names of the files of a shard, and of temporary files beside them, which tell job and process."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from spm_lite.files.temporary_files import is_alive, is_held

if TYPE_CHECKING:
    from collections.abc import Collection

DIGITS = 5  # of a shard's number in the names of its files
OF_SHARD = re.compile(r"(?P<number>[0-9]{5,})(?P<rest>[._].*)")  # names of shards and records
TEMPORARY = re.compile(r"[.](?P<name>.*)[.](?P<job>[0-9a-f]{8})[.](?P<pid>[0-9]{1,10})-[0-9a-f]{16}[.]tmp", re.DOTALL)


def stem_of(number: int) -> str:
    """What the names of a shard's files begin with."""
    return f"{number:0{DIGITS}}"


def record_name(number: int) -> str:
    """The name of a shard's record."""
    return f"{stem_of(number)}.json"


def named(number: int, format: str) -> str:
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
