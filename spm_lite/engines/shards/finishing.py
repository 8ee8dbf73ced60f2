"""The end of a job: all shards checked, the manifest, and several shards joined to one."""

from __future__ import annotations

from errno import ENOENT
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.engines.shards.job_forms import check_manifest
from spm_lite.engines.shards.records import OF_SHARD, as_bytes, record_name, stem_of
from spm_lite.engines.shards.slices import Slice
from spm_lite.engines.shards.sources import JSONL, TEXT, Source, is_whole
from spm_lite.errors import FileError, MissingFileError
from spm_lite.files.id_forms import paths_of
from spm_lite.files.saved_values import parse
from spm_lite.files.whole_id_files import WholeFiles

if TYPE_CHECKING:
    from spm_lite.engines.shards.folders import AnyFolder
    from spm_lite.engines.shards.plans import Plan

MANIFEST = "manifest.json"
SHOWN = 10  # numbers in a message


class Manifest(NamedTuple):
    """The figures of a finished job.

    Attributes:
        shards: the number of shards.
        documents: the number of documents.
        ids: the number of ids.
        bytes: bytes of text.
        format: the format of the shards, as in `shards.plan`.
        dtype: the type of an id, such as "uint16".
    """

    shards: int
    documents: int
    ids: int
    bytes: int
    format: str
    dtype: str


class SavedManifest(NamedTuple):
    """What `manifest.json` holds."""

    inputs: str  # digest of what the plan depends on
    sources: list[Source]
    tasks: list[list[Slice]]
    figures: Manifest
    vocabulary: str
    files: list[list[dict[str, Any]]]  # of each shard


def finish_plan(plan: Plan) -> Manifest:
    """Check the shards, remove what killed processes left, and write the manifest. Raises FileError."""
    folder, records = plan.folder(), plan.records()
    missing = [i for i, record in enumerate(records) if record is None]
    if missing:
        shown = ", ".join(map(str, missing[:SHOWN])) + (", ..." if len(missing) > SHOWN else "")
        raise FileError(
            f"{len(missing):,} of {len(plan):,} shards are missing in {plan.out!r}: {shown}. Run these tasks, then "
            "finish again"
        )
    found = [record for record in records if record is not None]
    check_documents(plan, found)
    check_spans(plan, found)
    tidy(plan, found)
    totals = [sum(record[name] for record in found) for name in ("documents", "ids", "bytes")]
    documents, ids, n_bytes = totals
    figures = Manifest(len(plan), documents, ids, n_bytes, plan.options["format"], plan.options["dtype"])
    data = as_bytes(
        {
            "inputs": plan.inputs_digest(),
            "sources": plan.sources,
            "tasks": plan.tasks,
            "figures": figures,
            "vocabulary": vocabulary_of(plan),
            "files": [record["files"] for record in found],
        }
    )
    if folder.read(MANIFEST) != data:
        folder.write(MANIFEST, plan.inputs_digest()[:8], data)
    return figures


def vocabulary_of(plan: Plan) -> str:
    """The name of the tokenizer in files that hold one."""
    from spm_lite.files.id_forms import vocabulary_name

    return vocabulary_name(plan.model)


def check_documents(plan: Plan, records: list[dict[str, Any]]) -> None:
    """Raise FileError if a shard of Parquet files has not as many documents as their row groups have rows."""
    for i, record in enumerate(records):
        rows = [part.rows for part in plan.tasks[i]]
        if -1 not in rows and sum(rows) != record["documents"]:
            raise FileError(
                f"shard {i} has {record['documents']:,} documents, and its row groups have {sum(rows):,} rows: remove "
                f"{stem_of(i)}.json in {plan.out!r}, and run task {i} again"
            )


def check_spans(plan: Plan, records: list[dict[str, Any]]) -> None:
    """Raise FileError unless the shards read each byte of the files of text, and each once."""
    reached = [0] * len(plan.sources)
    for i, record in enumerate(records):
        for source, begin, end in record["spans"]:
            if source >= len(reached):
                raise FileError(
                    f"shard {i} is of file {source}, and the plan has {len(reached)} files: remove "
                    f"{stem_of(i)}.json in {plan.out!r}, and run task {i} again"
                )
            if begin != reached[source]:
                raise FileError(
                    f"shard {i} begins at byte {begin:,} of {plan.sources[source].path!r}, and the shard before it "
                    f"ends at {reached[source]:,}: remove both records in {plan.out!r}, and run these tasks again"
                )
            reached[source] = end
    for source, place in zip(plan.sources, reached, strict=True):
        if source.kind in (TEXT, JSONL) and not is_whole(source) and place != source.size:
            raise FileError(f"the shards end at byte {place:,} of {source.path!r}, which has {source.size:,}")


def tidy(plan: Plan, records: list[dict[str, Any]]) -> None:
    """Remove what killed processes of this plan or an older one left. Raises FileError for files of other shards."""
    folder = plan.folder()
    folder.tidy({plan.key(i)[:8] for i in range(len(plan))} | {plan.inputs_digest()[:8]})
    expected = {file["name"] for record in records for file in record["files"]} | {*map(record_name, range(len(plan)))}
    for name in sorted(folder.sizes()):
        if OF_SHARD.fullmatch(name) and name not in expected:
            raise FileError(
                f"{folder.path_of(name)!r} is not a shard of this plan: remove it, or give the plan another folder"
            )


def read_manifest(folder: AnyFolder) -> SavedManifest | None:
    """What the manifest in a folder holds; None if there is none that can be read."""
    data = folder.read(MANIFEST)
    try:
        return None if data is None else manifest_of(data)
    except ValueError:
        return None


def manifest_of(data: bytes) -> SavedManifest:
    """What a manifest holds. Raises ValueError for other data."""
    values = parse(data)
    check_manifest(values)
    return SavedManifest(
        values["inputs"],
        [Source(*source) for source in values["sources"]],
        [[Slice(*part) for part in task] for task in values["tasks"]],
        Manifest(*values["figures"]),
        values["vocabulary"],
        values["files"],
    )


def merge_shards(folder: AnyFolder, out: str) -> Manifest:
    """Join the shards of a finished job to the files named after `out`. Raises FileError."""
    data = folder.read(MANIFEST)
    if data is None:
        raise FileError(f"{folder.path_of('')!r} has no manifest of shards: finish the job first")
    try:
        found = manifest_of(data)
    except ValueError as error:
        raise FileError(f"{folder.path_of(MANIFEST)!r} is damaged: {error}. Finish the job again") from None
    sizes = folder.sizes()
    for file in (file for files in found.files for file in files):
        name = file["name"]
        if name not in sizes:
            raise MissingFileError(
                ENOENT, "the file cannot be read: it does not exist; make it again", folder.path_of(name)
            )
        if sizes[name] != file["size"]:
            raise FileError(
                f"{folder.path_of(name)!r} has {sizes[name]:,} bytes, but its record says {file['size']:,}: make it "
                "again"
            )
    figures = found.figures
    targets = paths_of(out, figures.format)
    with WholeFiles(targets, figures.format, figures.dtype, found.vocabulary) as whole:
        for files in found.files:
            with folder.files([file["name"] for file in files]) as paths:
                whole.writer.copy(paths)
        whole.finish()
    return figures
