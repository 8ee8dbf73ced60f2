"""`spm-lite sweep`: one text learned at many vocabulary sizes, and what each size gives and costs."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from spm_lite.cli.commands.train_command import errors_as_typed
from spm_lite.cli.console import is_terminal, say, shown_notes, write_text
from spm_lite.cli.options.parsing import (
    PROGRAM,
    SHORT_NUMBER,
    CommandParser,
    UsageError,
    add_common,
    file_prefix,
    positive_int,
)
from spm_lite.cli.options.source_options import add_source_options, files_of_sources, open_sources, shares_of
from spm_lite.cli.options.training_options import add_training_options, option_files, training_options
from spm_lite.cli.outputs import ModelFiles, refuse_inputs
from spm_lite.cli.streams import is_read_once, real_files
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from spm_lite.evaluation.size_sweep import Sweep

DESCRIPTION = """\
Train tokenizers of several sizes on the same text. For each size, show the number of tokens and the cost to a
language model. FILE is read once, and BPE is learned once, at the largest size. The command takes the options
of 'train'. With --save M, it writes each model to M-SIZE.model."""

EPILOG = f"""\
examples:
  {PROGRAM} sweep corpus.txt --sizes 4k,8k,16k,32k
  {PROGRAM} sweep train.txt --sizes 2k,4k,8k --model-type bpe --text held-out.txt --save m
"""
COMMON = {"sizes", "text", "save", "json", "model_type", "column", "separator", "num_threads", "quiet"}
WIDE = 70  # columns; narrower terminals show no costs
NOT_HERE = ("vocab_size", "checkpoint")


def make_parser() -> CommandParser:
    parser = CommandParser("sweep", "FILE... --sizes LIST [options]", DESCRIPTION, EPILOG, COMMON)
    group = parser.add_argument_group("sweep")
    group.add_argument("--sizes", type=sizes, metavar="LIST", help="vocabulary sizes, such as 4k,8k,16k; required")
    group.add_argument(
        "--text", action="append", metavar="FILE", help="count tokens on this text [FILE]; may be repeated"
    )
    group.add_argument("--save", type=file_prefix, metavar="M", help="write each model to M-SIZE.model")
    group.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_source_options(parser)
    add_training_options(parser, without=NOT_HERE)
    add_common(parser)
    return parser


def sizes(text: str) -> list[int]:
    """The type of --sizes."""
    try:
        parts = text.strip(", ").split(",")  # of `4k, 8k` this is the first word
        return [positive_int(part.strip()) for part in parts]
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; give sizes with commas between, such as 4k,8k,16k") from None


def run(given: argparse.Namespace, files: list[str]) -> int:
    sources = files_of_sources(given, files)
    files = files or [path for paths in sources.values() for path in paths]
    if not files or given.sizes is None:
        missing = " and ".join(["the text to learn from"] * (not files) + ["--sizes"] * (given.sizes is None))
        raise UsageError(f"{missing} must be given, as in '{PROGRAM} sweep corpus.txt --sizes 4k,8k,16k'")
    refuse_sizes(given, files)
    options = training_options(given)
    if any(map(is_read_once, [*files, *(given.text or ())])):
        raise UsageError("sweep reads files more than once: name files, not standard input or a pipe")
    targets = {size: ModelFiles(f"{given.save}-{size}", vocab=True) for size in given.sizes} if given.save else {}
    outputs = [path for files_of in targets.values() for path in files_of.paths]
    refuse_inputs(outputs, [*option_files(given), *files, *(given.text or ())])

    import spm_lite

    with ExitStack() as stack:
        paths = [Path(path) for path in stack.enter_context(real_files(files))]
        texts = [Path(path) for path in stack.enter_context(real_files(given.text))] if given.text else []
        refuse_inputs(outputs, map(str, [*paths, *texts]))  # folders and patterns expanded
        bar = stack.enter_context(ProgressBar(given.quiet))
        stack.enter_context(errors_as_typed(given, make_parser))
        stack.enter_context(shown_notes(given.quiet))
        text = open_sources(stack, sources) if sources else paths
        options |= shares_of(given)
        found = spm_lite.sweep(text, given.sizes, held_out=texts or None, progress=bar.measured, **options)
    for size, target in targets.items():
        target.save(found[size])
    if given.json:
        write_text(json.dumps(found.to_dict(), indent=1) + "\n")
    else:
        write_text(sweep_report(found))
    if targets and not given.quiet:
        say(f"wrote {', '.join(map(str, targets.values()))}\n")
    return 0


def refuse_sizes(given: argparse.Namespace, files: list[str]) -> None:
    """Raise UsageError for words that are sizes, and no files: sizes have commas between them."""
    numbers = [file for file in files if SHORT_NUMBER.fullmatch(file.strip(",")) or file.strip(",").isdecimal()]
    numbers = [number for number in numbers if not Path(number).exists()]
    if numbers:
        listed = ",".join([*map(str, given.sizes), *(number.strip(",") for number in numbers)])
        raise UsageError(f"{numbers[0]} is no file; sizes have commas between them: write --sizes {listed}")


def sweep_report(found: Sweep) -> str:
    """The table and the reasons, as wide as the terminal."""
    from spm_lite.cli.tables import table, width_of_output

    width = width_of_output(is_terminal(sys.stdout))
    headers, cells = found.table()
    n_shown = len(headers) if width >= WIDE else 4
    note = ["cost: operations per byte of a language model, relative to the lowest"] if n_shown == len(headers) else []
    reasons = [line for reason in [*note, *found.reasons] for line in textwrap.wrap(reason, width)]
    return table(headers[:n_shown], [row[:n_shown] for row in cells], width, 0) + "\n" + "\n".join(reasons) + "\n"
