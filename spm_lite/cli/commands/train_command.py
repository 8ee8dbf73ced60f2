"""`spm-lite train`: trains a model on text files."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spm_lite.cli.console import is_terminal, say, shown_notes, write_text
from spm_lite.cli.options.other_flags import with_flags
from spm_lite.cli.options.parsing import PROGRAM, CommandParser, UsageError, add_common, file_prefix
from spm_lite.cli.options.source_options import (
    add_fairness_options,
    add_source_options,
    fairness_of,
    files_of_sources,
    open_sources,
    shares_of,
)
from spm_lite.cli.options.training_options import add_training_options, option_files, training_options, typed_names
from spm_lite.cli.outputs import ModelFiles, refuse_inputs
from spm_lite.cli.streams import is_pattern, is_read_once
from spm_lite.cli.tables import fitted_rows
from spm_lite.errors import OptionError, TrainingError
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar

DESCRIPTION = """\
Learn a tokenizer from text files (UTF-8, one text per line) and write M.model and M.vocab.
FILE may be a folder, or a pattern such as 'part-*.txt'; '-' or no FILE is standard input.
Compressed files are unpacked. In JSON lines, CSV, Parquet and similar files, --column names the column of texts.
While the training runs, standard input and pipes are kept in a temporary file (in TMPDIR).

With the defaults the model is lossless: decoding restores every byte of the text."""

EPILOG = """\
examples:
  spm-lite train corpus.txt
  spm-lite train corpus.txt --vocab-size 8k -o m
  spm-lite train en.txt ja.txt --model-type bpe --vocab-size 32000 --model-prefix m --split-digits
  spm-lite train --source en=en.txt --source ja=ja.txt --temperature 0.5 --vocab-size 16k -o m
  spm-lite train --source en=en.txt --source ja=ja.txt --balance tokens \\
    --parallel en=dev.en --parallel ja=dev.ja -o m
  spm-lite train chat.txt --vocab-size 8000 --model-prefix m --control-symbols '<mask>,<sep>'
"""


COMMON = {
    "model_prefix", "vocab_size", "model_type", "character_coverage", "normalization", "user_defined_symbols",
    "control_symbols", "column", "num_threads", "quiet",
}  # fmt: skip
DEFAULT_SIZE = 8_000


def make_parser() -> CommandParser:
    parser = CommandParser("train", "[FILE...] [-o M] [--vocab-size N] [options]", DESCRIPTION, EPILOG, COMMON)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--model-prefix",
        type=file_prefix,
        metavar="M",
        help="writes M.model, M.vocab [name of the first FILE]",
    )
    output.add_argument("--no-vocab", action="store_true", help="write no M.vocab (the list of pieces and scores)")
    output.add_argument("--json", action="store_true", help="also write the report as JSON to standard output")
    add_source_options(parser)
    add_fairness_options(parser)
    add_training_options(parser)
    add_common(parser)
    return parser


def run(given: Namespace, files: list[str]) -> int:
    options = training_options(given)
    sources = files_of_sources(given, files)
    files = files or [path for paths in sources.values() for path in paths]
    add_defaults(given, files, options)
    if files.count("-") > 1:
        raise UsageError("standard input is named twice, but can be read only once: write '-' once")
    if "checkpoint" in options and (not files or any(map(is_read_once, files))):
        raise UsageError("--checkpoint needs files: standard input and pipes cannot be read again to resume")
    model_files = ModelFiles(given.model_prefix, vocab=not given.no_vocab)  # fails now if they cannot be written
    refuse_inputs(model_files.paths, [*option_files(given), *(files or ["-"])])

    from spm_lite.training.balance.fairness_options import AskedFairness
    from spm_lite.training.checkpoint import remove_states
    from spm_lite.training.options.other_names import as_fields
    from spm_lite.training.run import Shares, learned, prepared

    if not files or any(map(is_read_once, files)):
        check_options(given, options)  # before standard input is read and copied
    if not files and is_terminal(sys.stdin) and not given.quiet:
        say(f"{PROGRAM}: reading standard input; end it with Ctrl-D\n")
    with ExitStack() as stack:
        named = open_sources(stack, sources or {"": files})
        refuse_inputs(model_files.paths, [str(path) for paths in named.values() for path in paths])  # patterns expanded
        bar = stack.enter_context(ProgressBar(given.quiet))
        checkpoint = options.pop("checkpoint", None)
        with errors_as_typed(given, make_parser), shown_notes(True, "train"):  # the report has them
            text, shares = (
                named if sources else named[""],
                Shares(**shares_of(given), fairness=AskedFairness(**fairness_of(given, stack))),
            )
            source, training = prepared(text, None, None, shares, progress=bar.measured, **as_fields(options))
            tok = learned(source, training, options.get("seed") or 0, checkpoint, keeps_checkpoint=True)
    model_files.save(tok)
    if checkpoint is not None:
        remove_states(checkpoint)  # until now they were the only copy of the work
    if given.json and tok.report is not None:
        write_text(safe_json(json.dumps(asdict(tok.report), indent=2)) + "\n")
    if not given.quiet:
        report = with_flags(str(tok.report), make_parser().flags, typed_names(given))
        say(f"{fitted_rows(report, 13, sys.stderr)}\n")
        if tok.report is not None and tok.report.balance is not None:
            say(f"\n{fitted_rows(str(tok.report.balance), 2, sys.stderr)}\n\n")
        say(f"wrote {model_files}\n")
    return 0


def add_defaults(given: Namespace, files: list[str], options: dict[str, Any]) -> None:
    """Enter defaults for size and name, if they are missing, into `options` and `given`, and say which.

    Raises UsageError, which names all that is missing, if there is no file or folder to name the model by.
    """
    missing = []
    if given.model_prefix is None:
        first = next(iter(files), "-")
        is_nameless = (is_read_once(first) or is_pattern(first)) and not Path(first).is_dir()
        name = "" if is_nameless else Path(os.path.normpath(Path.cwd() / first)).name
        given.model_prefix = name.partition(".")[0]
        if given.model_prefix:
            missing.append(f"model name {given.model_prefix}")
    has_size = "vocab_size" in options or options.get("use_all_vocab")
    if not given.model_prefix:
        size = "" if has_size else " and --vocab-size, how many pieces to learn,"
        verb = "is" if has_size else "are"
        raise UsageError(
            f"--model-prefix, the beginning of the names to write,{size} {verb} missing, as in "
            f"'{PROGRAM} train --vocab-size {DEFAULT_SIZE} --model-prefix m {next(iter(files), 'FILE')}' "
            f"(see '{PROGRAM} train --help')"
        )
    if not has_size:
        options["vocab_size"] = DEFAULT_SIZE
        options.setdefault("hard_vocab_limit", False)
        missing.append(f"vocabulary size {DEFAULT_SIZE:,}, or less for a small text")
    if missing and not given.quiet:
        say(f"{PROGRAM}: {'; '.join(missing)} (--model-prefix and --vocab-size set them)\n")


# Options that are checked when the text is read.
OF_READING = (
    "checkpoint",
    "separator",
    "on_error",
    "newline",
    "column",
    "input_format",
    "encoding",
    "delimiter",
    "quoting",
    "max_unpacked",
)


def check_options(given: Namespace, options: dict[str, Any]) -> None:
    """Raise OptionError for options that no text suits."""
    from spm_lite.training.options.other_names import as_fields
    from spm_lite.training.run import check_call

    with errors_as_typed(given, make_parser):
        check_call(**as_fields({name: value for name, value in options.items() if name not in OF_READING}))


@contextmanager
def errors_as_typed(given: Namespace, make_parser: Callable[[], CommandParser]) -> Iterator[None]:
    """Raise the errors of a training with options as they are typed. make_parser: makes the parser of the command."""
    try:
        yield
    except (OptionError, TrainingError) as error:
        message = with_flags(str(error), make_parser().flags, typed_names(given))
        raise type(error)(message, remedies=error.remedies) from error
