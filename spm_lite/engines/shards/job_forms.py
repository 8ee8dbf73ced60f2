"""The forms of the plan of a job and of its manifest; `records` has that of a record.

They may come from a folder of strangers, or half of them from another job. So nothing in them is used before it has the
type, the size and the neighbours that it was written with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spm_lite.engines.shards.records import FILES, shard_name
from spm_lite.files.id_forms import FORMATS, paths_of
from spm_lite.files.read_options import FORMATS as INPUT_FORMATS
from spm_lite.files.read_options import NEWLINES, WAYS, Reading
from spm_lite.files.saved_values import (
    BYTES,
    COUNT,
    DIGEST,
    FLAG,
    PATH,
    TEXT,
    Kind,
    Maybe,
    check,
    choice,
    whole,
)

NULLS = ("error", "empty")
ROWS = whole(-1)  # -1: not known
VERSION_OF_FILE = Kind("a whole number or a text", lambda value: type(value) in (int, str))
FORMAT, DTYPE = choice(*FORMATS), choice(*dict.fromkeys(name for form in FORMATS.values() for name in form.dtypes))
SOURCES = [(PATH, COUNT, VERSION_OF_FILE, TEXT, ROWS)]
TASKS = [[(COUNT, COUNT, COUNT, ROWS, COUNT)]]
KNOWN = {
    "columns": [TEXT], "input_format": choice(*INPUT_FORMATS), "newline": choice(*NEWLINES), "on_error": choice(*WAYS),
    "quoting": Maybe(FLAG),
}  # fmt: skip
USUAL = {bool: FLAG, str: TEXT, int: COUNT}  # of the other fields, by the type of their defaults
READING = {
    f"{name}?": KNOWN.get(name, USUAL.get(type(usual), Maybe(COUNT)))
    for name, usual in Reading._field_defaults.items()
    if name != "separator"
}
OPTIONS = {
    "format": FORMAT, "dtype": DTYPE, "column": TEXT, "separator": BYTES, "bos": FLAG, "eos": FLAG,
    "nulls": choice(*NULLS), "shard_size": whole(1),
    "reading?": {**READING, "*": Kind("an option of reading", lambda value: False)},
}  # fmt: skip
PLAN = {"out": PATH, "model": TEXT, "options": OPTIONS, "sources": SOURCES, "tasks": TASKS}
MANIFEST = {
    "inputs": DIGEST, "sources": SOURCES, "tasks": TASKS, "figures": (COUNT, COUNT, COUNT, COUNT, FORMAT, DTYPE),
    "vocabulary": TEXT, "files": [FILES],
}  # fmt: skip


def check_plan(values: Any) -> None:
    """Raise ValueError unless the values make a plan."""
    check(values, PLAN, "the plan")
    check_tasks(values)
    check_dtype(values["options"]["format"], values["options"]["dtype"])
    if values["options"].get("reading", {}).get("columns") == []:
        raise ValueError("the plan.options.reading.columns is empty")


def check_manifest(values: Any) -> None:
    """Raise ValueError unless the values make a manifest."""
    check(values, MANIFEST, "the manifest")
    check_tasks(values)
    form, dtype = values["figures"][4:]
    check_dtype(form, dtype)
    for number, files in enumerate(values["files"]):
        if [file["name"] for file in files] != [*paths_of(shard_name(number, form), form)]:
            raise ValueError(f"the files of shard {number} are not those of the format {form}")


def check_tasks(values: Mapping[str, Any]) -> None:
    """Raise ValueError for a task of a file that is not there, or that ends before it begins."""
    for number, task in enumerate(values["tasks"]):
        for source, begin, end, _, _ in task:
            if source >= len(values["sources"]) or begin > end:
                raise ValueError(f"task {number} is from {begin} to {end} of file {source}")


def check_dtype(format: str, dtype: str) -> None:
    """Raise ValueError for a type of ids that a format does not have."""
    if dtype not in FORMATS[format].dtypes:
        raise ValueError(f"the format {format} has no ids of type {dtype}")
