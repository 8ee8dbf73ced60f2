"""The plan of a job: what it depends on, its tasks, and which of them are done.

It may run on one machine: `run_in_processes` has processes that take task after task.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from errno import EMFILE, ENFILE
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, final

from spm_lite.arguments import as_flag, as_int, as_num_threads, as_size
from spm_lite.engines.shards.finishing import Manifest, finish_plan, merge_shards, read_manifest
from spm_lite.engines.shards.folders import LocalFolder, as_out, open_folder
from spm_lite.engines.shards.job_forms import check_plan
from spm_lite.engines.shards.records import OF_SHARD, drop_record, read_record, read_records, write_record
from spm_lite.engines.shards.shard_files import make_shard
from spm_lite.engines.shards.slices import Slice, slices_of, tasks_of, with_rows
from spm_lite.engines.shards.sources import (
    Source,
    check_unchanged,
    find_sources,
    kind_of_source,
    look_at,
    usual_reading,
)
from spm_lite.engines.shards.verifying import Verification, items_to_verify, sum_up, verify_shard
from spm_lite.engines.work.columns import as_nulls
from spm_lite.engines.work.kept_tokenizers import model_bytes, tokenizer
from spm_lite.errors import IdError, MissingFileError, ModelError, OptionError, SpmLiteError
from spm_lite.files.id_forms import as_dtype, as_format
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import AnyPath, as_path, checked_path, read_bytes
from spm_lite.files.read_options import Reading, as_reading
from spm_lite.files.saved_values import COUNT, check, parse
from spm_lite.specs import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Unpack

    from spm_lite.engines.shards.folders import AnyFolder
    from spm_lite.tokenizer.tokenizer import Tokenizer

Result = TypeVar("Result")
_plan: Plan | None = None  # of a worker process


def run_in_processes(
    plan: Plan, work: Callable[[Plan, Any, int], Result], items: Sequence[Any], num_workers: int
) -> list[Result]:
    """The results of `work(plan, item, threads)` for some items, in their order.

    work: a function of a module. Raises what it raises, after the calls that had begun have ended.
    """
    n_workers = min(num_workers, len(items))
    if n_workers <= 1:
        return [work(plan, item, num_workers) for item in items]
    from concurrent.futures import ProcessPoolExecutor, as_completed  # here, since a plan is mostly made without
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_all_start_methods, get_context, get_start_method, set_start_method

    refuse_unguarded()
    is_open = get_start_method(allow_none=True) is None  # the program may still choose how its processes begin
    try:
        pool = ProcessPoolExecutor(n_workers, get_context("spawn"), begin_worker, (plan,))
    except OSError as error:
        raise cannot_begin(None, error) from error
    with pool:
        try:
            try:
                futures = [pool.submit(do_one, work, item) for item in items]
            except OSError as error:
                raise cannot_begin(pool, error) from error
            if is_open and get_start_method(allow_none=True) == get_all_start_methods()[0]:
                set_start_method(None, force=True)  # beginning a process has made Python's choice that of the program
            for done in as_completed(futures):
                done.result()
            return [future.result() for future in futures]
        except BrokenProcessPool:
            raise SpmLiteError(
                "a worker process has died, perhaps for lack of memory; its messages are on standard error. The "
                "finished shards are kept: run it again, with fewer workers"
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def cannot_begin(pool: Any, error: OSError) -> SpmLiteError:
    """The error of a pool whose processes cannot all begin; those that have begun end, since the pool forgets them."""
    for process in [*(getattr(pool, "_processes", None) or {}).values()]:
        process.terminate()
        process.join()
    limit = "-n" if error.errno in (EMFILE, ENFILE) else "-u"
    return SpmLiteError(
        f"a worker process cannot begin: {error.strerror or error}. Run it again, with fewer workers, or with a higher "
        f"limit ('ulimit {limit}'). What was finished is kept"
    )


def refuse_unguarded() -> None:
    """Raise SpmLiteError in a worker process that imports the script which started it, and comes to this call again.

    Python refuses to start processes there, and its pool of processes would wait for them for ever.
    """
    from multiprocessing import current_process

    if getattr(current_process(), "_inheriting", False):
        raise SpmLiteError(
            "the processes of a pool import the script that starts them: call Plan.run and Plan.verify under "
            "if __name__ == '__main__':"
        )


def begin_worker(plan: Plan) -> None:
    """Keep the plan of a worker process, so that it is not sent with each task; libraries get one thread each."""
    global _plan
    _plan = plan
    os.environ["OMP_NUM_THREADS"] = "1"  # here and not in the caller, whose other threads may read or set it


def do_one(work: Callable[[Plan, Any, int], Result], item: Any) -> Result:
    """What a worker process does with one item, by the plan that it keeps."""
    assert _plan is not None
    return work(_plan, item, 1)


def run_number(plan: Plan, number: int, threads: int) -> int:
    """Run one task, and return its number."""
    plan.run_task(number, num_threads=threads)
    return number


VERSION = 1  # of plans, records and manifests


class ShardOptions(ReadOptions, total=False):
    """The options of `plan`, for functions that pass them on."""

    format: str
    shard_size: int | str
    dtype: Any
    bos: bool
    eos: bool
    nulls: str


def plan(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
    *,
    format: str = "megatron",
    shard_size: int | str = "1GB",
    dtype: Any = None,
    bos: bool = False,
    eos: bool = False,
    nulls: str = "error",
    **reading: Unpack[ReadOptions],
) -> Plan:
    """Cut files of text into tasks, each of which makes one shard of ids.

    Args:
        paths: a path, a folder, a pattern, or a list of these, as in `Tokenizer.encode_files`. The order of documents
            is that of the paths, sorted.
        out: the folder of the shards, `00000.bin` and so on. It may hold shards of an earlier run of the same job.
        tokenizer: a Tokenizer, the path of a model, or its bytes.
        format, dtype, bos, eos: as in `Tokenizer.encode_files`.
        shard_size: about how many bytes of text a shard has: an int, or a text such as "512MB". A row group of Parquet
            and a compressed file are never cut; a row group counts with all its columns.
        nulls: what a null in the column is: "error", or "empty", a document without text.
        reading: how the files are read, as in `Tokenizer.encode_files`.
    Returns:
        A Plan.
    Raises:
        FileError: an input cannot be read, or lacks the column.
        OptionError: a wrong option, or an input in `out` whose name is that of a shard.
    """
    model = model_bytes(tokenizer)
    read = as_reading(reading, "plan", keeps_bytes=True)._replace(nulls_are_empty=as_nulls(nulls) == "empty")
    options = checked_options(model, format, dtype, read, bos, eos, nulls)
    size = as_size(shard_size, "shard_size")
    if size < 1:
        raise OptionError(f"shard_size={shard_size!r:.40}: must be at least 1 byte, such as '1GB'")
    name = as_out(out)
    sources = []
    for path in find_sources(paths):
        kind = kind_of_source(path, read)
        address = str(path.absolute() if isinstance(path, Path) else path)
        sources.append(Source(address, *look_at(path), kind, -1))
    refuse_own_shards(sources, name)
    made = Plan(name, model, {**options, "shard_size": size}, sources, [])
    made.folder().make()
    found = read_manifest(made.folder())
    if found is not None and found.inputs == made.inputs_digest():
        made.sources, made.tasks = found.sources, found.tasks
        return made
    slices = [part for i, source in enumerate(sources) for part in slices_of(i, source, read, size)]
    made.sources = with_rows(sources, slices)
    made.tasks = tasks_of(slices, size)
    return made


def load(path: AnyPath) -> Plan:
    """Read a plan that `Plan.save` wrote.

    Args:
        path: the file.
    Returns:
        A Plan.
    Raises:
        ModelError: the file is not a plan.
        FileError: the file cannot be read.
    """
    name, data = checked_path(path, "read", allows_address=True), read_bytes(path)
    try:
        values = parse(data)
        check(values, {"version": COUNT}, "the plan")
        if values["version"] == VERSION:
            check_plan(values)
            model = base64.b64decode(values["model"], validate=True)
    except ValueError as error:
        raise ModelError(f"{name!r} is not a plan that Plan.save wrote: {error}") from None
    if values["version"] != VERSION:
        raise ModelError(
            f"{name!r} is a plan of version {values['version']}, but this version of spm_lite reads {VERSION}"
        )
    sources = [Source(*source) for source in values["sources"]]
    tasks = [[Slice(*part) for part in task] for task in values["tasks"]]
    return Plan(values["out"], model, values["options"], sources, tasks)


def merge(folder: AnyPath, out: AnyPath) -> Manifest:
    """Join the shards of a finished job. The files are the same as `encode_files` would have made of all documents.

    Args:
        folder: the folder of the shards.
        out: as in `Tokenizer.encode_files`.
    Returns:
        The figures of the job.
    Raises:
        FileError: the job is not finished, or a shard does not have the size in its record.
    """
    return merge_shards(open_folder(checked_path(folder, "read", allows_address=True)), as_path(out, "out"))


@final
class Plan:
    """The tasks of one job, made by `plan` or `load`; `len(plan)` is their number. Each makes one shard.

    A plan is small, and can be pickled and saved. It holds the model, so that a worker needs only the plan and the
    files.
    """

    def __init__(
        self, out: str, model: bytes, options: dict[str, Any], sources: list[Source], tasks: list[list[Slice]]
    ) -> None:
        self.out, self.model, self.options = out, model, options
        self.sources, self.tasks = sources, tasks
        self._digest = ""  # of the model, once it is known

    def __len__(self) -> int:
        """The number of tasks."""
        return len(self.tasks)

    def __repr__(self) -> str:
        return f"<Plan: {len(self):,} shards of {self.options['format']} in {self.out!r}>"

    def save(self, path: AnyPath) -> None:
        """Write the plan to a file of JSON. Raises FileError and its kinds."""
        values = {"version": VERSION, "out": self.out, "model": base64.b64encode(self.model).decode()}
        values |= {"options": self.options, "sources": self.sources, "tasks": self.tasks}
        write_atomically(path, json.dumps(values).encode())

    def key(self, number: int) -> str:
        """What the bytes of a shard depend on, as SHA-256 in hex."""
        options = {name: value for name, value in self.options.items() if name != "shard_size"}
        slices = [[*self.sources[part.source][:4], part.begin, part.end] for part in self.tasks[number]]
        return digest([VERSION, self.model_digest(), options, slices])

    def inputs_digest(self) -> str:
        """What the plan depends on, as SHA-256 in hex."""
        return digest([VERSION, self.model_digest(), self.options, [source[:4] for source in self.sources]])

    def model_digest(self) -> str:
        """The SHA-256 of the model, in hex."""
        self._digest = self._digest or hashlib.sha256(self.model).hexdigest()
        return self._digest

    def missing(self) -> list[int]:
        """The numbers of the tasks whose shards are missing, or belong to another plan."""
        return [i for i, record in enumerate(self.records()) if record is None]

    def records(self) -> list[dict[str, Any] | None]:
        """By task: what its shard holds; None: the shard is missing, or belongs to another plan."""
        return list(read_records(self.folder(), [self.key(i) for i in range(len(self))]))

    def folder(self) -> AnyFolder:
        """Where the shards go: on this machine, or in an object store."""
        return open_folder(self.out)

    def run_task(self, number: int, *, num_threads: int | None = None) -> dict[str, Any]:
        """Make one shard, unless it is there already. Any process may run any task, at any time, more than once.

        After an error nothing is left behind, and the task can be run again.

        Args:
            number: the number of the task, from 0.
            num_threads: None for all CPUs that this process may use, or fewer by OMP_NUM_THREADS.
        Returns:
            The record of the shard: its numbers of documents, ids and bytes of text, and its files.
        Raises:
            FileError: the input cannot be read, or has changed since the plan; the message names file, row and column.
                Or the shard cannot be written.
            TextError: a document cannot be encoded; the message names it.
            IdError: the plan has no task of this number.
        """
        task = as_int(number, "the number of a task")
        if not 0 <= task < len(self):
            raise IdError(f"task {task} is outside the plan: its tasks are 0 to {len(self) - 1}")
        folder, key = self.folder(), self.key(task)
        found = read_record(folder, task, key)
        if found is not None:
            return found
        threads = as_num_threads(num_threads)
        for part in self.tasks[task]:
            check_unchanged(self.sources[part.source])
        tok = tokenizer(self.model)
        folder.make()
        drop_record(folder, task, key)
        try:
            record = {"version": VERSION, "key": key, "task": task, **make_shard(self, task, tok, threads)}
            write_record(folder, task, key[:8], record)
        except MissingFileError:  # `finish` has removed the temporary files of an attempt that came too late
            found = read_record(folder, task, key)
            if found is None:
                raise
            return found
        return record

    def run(self, *, num_workers: int | None = None) -> Manifest:
        """Run all missing tasks in processes of this machine, one thread each, and `finish`.

        Args:
            num_workers: the number of processes; None: one for each CPU that this process may use.
        Returns:
            The figures of the job.
        Raises:
            SpmLiteError: a task failed, as in `run_task`.
        """

        run_in_processes(self, run_number, self.missing(), as_num_threads(num_workers))
        return self.finish()

    def verify(self, sample: int | None = None, *, num_workers: int | None = None) -> Verification:
        """Read the shards back, and compare each document with its source.

        The source is encoded again with the model of the plan, and the ids must be equal. The ids are decoded, and the
        result counts the documents whose text does not come back. All files must have the sizes of their records;
        without `sample`, their bytes too. Shards that `merge` joined are copies, which this does not read.

        Args:
            sample: so many documents, spread evenly over all shards, always the same. None: all. A source is read up to
                the last document that is compared; of a Parquet file only the row groups that hold some.
            num_workers: the number of processes; None: one for each CPU that this process may use.
        Returns:
            A Verification. It names the first problems: which shard, which document, and what was expected.
        Raises:
            FileError: a source cannot be read, or has changed since the plan was made.
            OptionError: sample is below 1.

        >>> import spm_lite, tempfile
        >>> from pathlib import Path
        >>> from spm_lite.engines import shards
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.txt").write_text("the cat\\nsat on\\nthe mat\\n")
        >>> tok = spm_lite.byte_tokenizer()
        >>> plan = shards.plan(folder / "a.txt", folder / "out", tok)
        >>> _ = plan.run(num_workers=1)
        >>> found = plan.verify(num_workers=1)
        >>> found.is_right, found.documents, found.ids
        (True, 3, 20)
        """
        number = None if sample is None else as_int(sample, "sample")
        items = items_to_verify(self, number)
        return sum_up(run_in_processes(self, verify_shard, items, as_num_threads(num_workers)))

    def finish(self) -> Manifest:
        """Check that all shards are there and hold all documents, and write `manifest.json`.

        Removes what killed processes of this plan, or of an older one, left behind. Returns the figures of the job.
        Raises FileError for a missing shard, naming it, and for documents that are lost or twice. A file in the folder
        with the name of another shard is a FileError too.
        """
        return finish_plan(self)


def checked_options(
    model: bytes, format: Any, dtype: Any, reading: Reading, bos: Any, eos: Any, nulls: str
) -> dict[str, Any]:
    """The options of a plan as values for JSON."""
    tok = tokenizer(model)
    form = as_format(format)
    flags: dict[str, Any] = {"bos": as_flag(bos, "bos"), "eos": as_flag(eos, "eos")}
    tok._bos_eos(bos, eos)
    column = "" if reading.input_format == "text" else reading.column
    options: dict[str, Any] = {"format": form, "dtype": as_dtype(dtype, tok.vocab_size, form), "column": column}
    options |= {"separator": reading.separator.decode("latin-1"), **flags, "nulls": nulls}
    usual = usual_reading(options)
    others = {name: value for name, value in reading._asdict().items() if value != getattr(usual, name)}
    return {**options, "reading": others} if others else options


def refuse_own_shards(sources: Iterable[Source], folder: str) -> None:
    """Raise OptionError for an input that has the name of a shard."""
    for source in sources:
        place, _, name = source.path.rpartition(os.sep if isinstance(open_folder(folder), LocalFolder) else "/")
        if place == folder and OF_SHARD.fullmatch(name):
            raise OptionError(f"the input {source.path!r} has the name of a shard in out: give another folder")


def digest(values: Any) -> str:
    """The SHA-256 of values for JSON, in hex."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
