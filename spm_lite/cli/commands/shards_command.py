"""`spm-lite shards`: files to shards of ids, as tasks that may run on many machines."""

from __future__ import annotations

import importlib
import json
import os
from typing import TYPE_CHECKING, Any

from spm_lite.cli.console import write_text
from spm_lite.cli.options.document_options import add_document_options, read_options
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_reading,
    file_name,
    load_model,
    nearest,
    positive_int,
    whole_number,
)
from spm_lite.printable import safe_json, visible

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.engines.shards.finishing import Manifest

DESCRIPTION = """\
Turn files of text into shards of ids for training programs. The tasks may run on many machines, in any order, and
more than once. The shards depend only on the files, the model and the options.

  plan FILE... -m M -o FOLDER   cut the files into tasks, and write FOLDER/plan.json, or --plan
  run PLAN [--task N]           make shard N; without --task, make all missing shards, and finish
  missing PLAN                  write the numbers of the tasks that are not done; exit code 1 if there are any
  finish PLAN                   check that all shards are there and hold all documents; write manifest.json
  verify PLAN [--sample N]      read the shards back, and compare them with the files; exit code 1 if anything is wrong
  merge FOLDER -o OUT           join the shards of a finished job into one"""

EPILOG = f"""\
examples:
  {PROGRAM} shards plan data/ -m m.model -o out/ --eos     # and how many tasks there are
  {PROGRAM} shards run out/plan.json                       # all of them, on this machine
  {PROGRAM} shards run out/plan.json --task $SLURM_ARRAY_TASK_ID
"""
COMMON = {
    "model",
    "output",
    "task",
    "engine",
    "format",
    "shard_size",
    "column",
    "num_workers",
    "sample",
    "quiet",
}
ENGINES = ("local", "ray", "spark")
FORMATS = ("megatron", "datatrove", "npy", "bin", "parquet")
USES = {  # action -> the options that it takes, beside --json
    "plan": {
        "model", "output", "plan", "format", "shard_size", "dtype", "nulls", "bos", "eos", "separator", "whole_files",
        "keep_newlines", "column", "input_format", "as_text", "newline", "paragraphs", "delimiter", "quoting",
        "encoding", "on_error", "max_unpacked", "name", "pattern", "lowercase", "allow",
    },
    "run": {"task", "num_workers", "engine"},
    "missing": set(),
    "finish": set(),
    "verify": {"sample", "num_workers"},
    "merge": {"output"},
}  # fmt: skip


def make_parser() -> CommandParser:
    parser = CommandParser("shards", "ACTION ... [options]", DESCRIPTION, EPILOG, COMMON)
    group = parser.add_argument_group("plan")
    group.add_argument("-m", "--model", type=file_name, metavar="M", help="the model, or a tokenizer of another format")
    group.add_argument(
        "-o", "--output", type=file_name, metavar="FOLDER", help="the folder of the shards; for merge: as in encode"
    )
    group.add_argument("--plan", type=file_name, metavar="FILE", help="where to write the plan [FOLDER/plan.json]")
    group.add_argument(
        "--format", choices=FORMATS, help="format of the shards, as for encode --output-format [megatron]"
    )
    group.add_argument("--shard-size", metavar="SIZE", help="approximate bytes of text in a shard, such as 512MB [1GB]")
    group.add_argument(
        "--dtype", choices=("uint16", "uint32", "int32"), help="number type of the ids [by the size of the vocabulary]"
    )
    group.add_argument(
        "--nulls", choices=("error", "empty"), help="a null in the column: an error, or an empty document [error]"
    )
    group.add_argument("--bos", action="store_true", help="begin each document with the beginning-of-text id")
    group.add_argument("--eos", action="store_true", help="end each document with the end-of-text id")
    add_document_options(parser, reads_records=True)
    add_reading(parser)
    group = parser.add_argument_group("run")
    group.add_argument("--task", type=whole_number, metavar="N", help="one task, counted from 0 [all that are missing]")
    group.add_argument(
        "-j", "--num-workers", type=positive_int, metavar="N", help="processes; with --task, threads [all usable CPUs]"
    )
    group.add_argument(
        "--engine", choices=ENGINES, default="local", help="where to run all tasks [local: on this machine]"
    )
    group = parser.add_argument_group("verify")
    group.add_argument(
        "--sample", type=positive_int, metavar="N", help="compare N documents, spread evenly over all shards [all]"
    )
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    action = files[0] if files else ""
    if action not in USES:
        hint = nearest(action, list(USES))
        what = f"{action!r} is not one of {', '.join(USES)}{hint}" if files else f"say what to do: {', '.join(USES)}"
        raise UsageError(f"{what} (see '{PROGRAM} shards --help')")
    refuse_others(options, action)
    if action == "plan":
        return make_plan(options, files[1:])
    if len(files) != 2:
        what = "the folder of a finished job" if action == "merge" else "the file of a plan"
        raise UsageError(
            f"shards {action} takes {what}, and {len(files) - 1} are given (see '{PROGRAM} shards --help')"
        )
    actions = {"run": run_tasks, "missing": list_missing, "finish": finish, "verify": verify, "merge": merge}
    return actions[action](options, files[1])


def refuse_others(options: Namespace, action: str) -> None:
    """Raise UsageError for an option that the action does not use."""
    defaults = vars(make_parser().parse_args([]))
    for name, value in vars(options).items():
        if name not in USES[action] | {"json", "quiet"} and value != defaults[name]:
            raise UsageError(
                f"--{name.replace('_', '-')} is not an option of shards {action} (see '{PROGRAM} shards --help')"
            )


def make_plan(options: Namespace, files: list[str]) -> int:
    """Cut files into tasks, and write the plan."""
    from spm_lite.engines import shards

    missing = [name for name in ("model", "output") if getattr(options, name) is None]
    if not files or missing:
        wanted = ["at least one FILE"] * (not files) + [f"--{name}" for name in missing]
        raise UsageError(f"shards plan needs {' and '.join(wanted)} (see '{PROGRAM} shards --help')")
    given = {name: getattr(options, name) for name in ("format", "shard_size", "nulls")}
    plan = shards.plan(
        files,
        options.output,
        load_model(options, options.model),
        dtype=options.dtype,
        bos=options.bos,
        eos=options.eos,
        **{name: value for name, value in given.items() if value is not None},
        **read_options(vars(options)),
    )
    path = options.plan or os.path.join(options.output, "plan.json")  # noqa: PTH118
    plan.save(path)
    sizes = [sum(part.size for part in task) for task in plan.tasks]
    figures = {"plan": path, "tasks": len(plan), "files": len(plan.sources), "bytes": sum(sizes)}
    show(options, figures, f"{path}: tasks 0 to {len(plan) - 1}, of {len(plan.sources):,} files")
    return 0


def run_tasks(options: Namespace, path: str) -> int:
    """Run one task, or all that are missing."""
    from spm_lite.engines import shards

    plan = shards.load(path)
    if options.engine != "local":
        if options.task is not None or options.num_workers is not None:
            raise UsageError(f"--engine {options.engine} runs all tasks by its own workers: leave out --task and -j")
        show_figures(options, importlib.import_module(f"spm_lite.engines.{options.engine}").run(plan))
        return 0
    if options.task is None:
        show_figures(options, plan.run(num_workers=options.num_workers))
        return 0
    record = plan.run_task(options.task, num_threads=options.num_workers)
    show(options, record, f"shard {record['task']}: {record['documents']:,} documents, {record['ids']:,} ids")
    return 0


def list_missing(options: Namespace, path: str) -> int:
    """Write the numbers of the tasks that are still to do."""
    from spm_lite.engines import shards

    plan = shards.load(path)
    numbers = plan.missing()
    show(options, {"missing": numbers, "tasks": len(plan)}, "\n".join(map(str, numbers)))
    return 1 if numbers else 0


def finish(options: Namespace, path: str) -> int:
    """Check all shards, and write the manifest."""
    from spm_lite.engines import shards

    show_figures(options, shards.load(path).finish())
    return 0


def verify(options: Namespace, path: str) -> int:
    """Compare the shards with the files."""
    from spm_lite.engines import shards

    found = shards.load(path).verify(options.sample, num_workers=options.num_workers)
    values = {**found._asdict(), "problems": [problem._asdict() for problem in found.problems]}
    show(options, values, str(found))
    return 0 if found.is_right else 1


def merge(options: Namespace, folder: str) -> int:
    """Join the shards of a job to one."""
    from spm_lite.engines import shards

    if options.output is None:
        raise UsageError(f"shards merge needs --output (see '{PROGRAM} shards --help')")
    show_figures(options, shards.merge(folder, options.output))
    return 0


def show_figures(options: Namespace, found: Manifest) -> None:
    """Write the figures of a job."""
    text = f"{found.shards:,} shards of {found.format}: {found.documents:,} documents, {found.ids:,} ids"
    show(options, found._asdict(), text)


def show(options: Namespace, values: dict[str, Any], text: str) -> None:
    """Write a result, for people or as JSON."""
    if options.json:
        write_text(safe_json(json.dumps(values, indent=2)) + "\n")
    elif text and not options.quiet:
        write_text(visible(text, but="\n") + "\n")
