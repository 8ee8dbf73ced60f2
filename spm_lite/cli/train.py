"""`spm-lite train`: trains a model on text files."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spm_lite.cli.console import is_terminal, say
from spm_lite.cli.outputs import ModelFiles, refuse_inputs
from spm_lite.cli.parsing import PROGRAM, CommandParser, UsageError, add_common, file_prefix
from spm_lite.cli.streams import is_read_once, real_files
from spm_lite.cli.training_options import add_training_options, as_typed, option_files, training_options
from spm_lite.errors import OptionError, TrainingError
from spm_lite.progress.bar import ProgressBar

DESCRIPTION = """\
Learn a tokenizer from text files (UTF-8, one text per line) and write M.model and M.vocab.
FILE may be a pattern such as 'part-*.txt'; '-' or no FILE is standard input.
Standard input and pipes are copied to TMPDIR for as long as the training takes.

The defaults make a model without loss: decoding gives back every byte of the text."""

EPILOG = """\
examples:
  spm-lite train corpus.txt --vocab-size 8000 --model-prefix m
  spm-lite train en.txt ja.txt --model-type bpe --vocab-size 32000 --model-prefix m --split-digits
  spm-lite train chat.txt --vocab-size 8000 --model-prefix m --control-symbols '<mask>,<sep>'
"""


def main(argv: list[str]) -> int:
    """Run the command; return the exit code."""
    parser = CommandParser("train", "[FILE...] --vocab-size N --model-prefix M [options]", DESCRIPTION, EPILOG)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--model-prefix", type=file_prefix, required=True, metavar="M", help="writes M.model and M.vocab; required"
    )
    output.add_argument("--no-vocab", action="store_true", help="write no M.vocab (the list of pieces and scores)")
    add_training_options(parser)
    add_common(parser)
    given, files = parser.parse(argv)
    options = training_options(given)
    if "vocab_size" not in options and not options.get("use_all_vocab"):
        raise UsageError(f"--vocab-size is missing: how many pieces to learn (see '{PROGRAM} train --help')")

    if "checkpoint" in options and (not files or any(map(is_read_once, files))):
        raise UsageError("--checkpoint needs files: standard input and pipes cannot be read again to go on")
    model_files = ModelFiles(given.model_prefix, vocab=not given.no_vocab)  # fails now if they cannot be written
    refuse_inputs(model_files.paths, [*option_files(given), *(files or ["-"])])

    import spm_lite
    from spm_lite.training.checkpoint import remove_states

    if not files or any(map(is_read_once, files)):
        check_options(given, options)  # before standard input is read and copied
    if not files and is_terminal(sys.stdin) and not given.quiet:
        say(f"{PROGRAM}: reading standard input; end it with Ctrl-D\n")
    with real_files(files) as paths, ProgressBar(given.quiet) as bar:
        refuse_inputs(model_files.paths, paths)  # again, now that patterns are expanded
        source = [Path(path) for path in paths]
        with errors_as_typed(given):
            tok = spm_lite.train(source, progress=bar.measured, keep_checkpoint=True, **options)
    model_files.save(tok)
    if "checkpoint" in options:
        remove_states(options["checkpoint"])  # until now they were the only copy of the work
    if not given.quiet:
        say(f"{as_typed(str(tok.report), given)}\nwrote {model_files}\n")
    return 0


OF_READING = ("checkpoint", "keep_newlines", "separator")  # options that are checked when the text is read


def check_options(given: Namespace, options: dict[str, Any]) -> None:
    """Raise OptionError for options that no text suits."""
    from spm_lite.training.run import check_call

    with errors_as_typed(given):
        check_call(**{name: value for name, value in options.items() if name not in OF_READING})


@contextmanager
def errors_as_typed(given: Namespace) -> Iterator[None]:
    """Raise the errors of a training with the names of options as they are typed."""
    try:
        yield
    except (OptionError, TrainingError) as error:
        raise type(error)(as_typed(str(error), given), remedies=error.remedies) from error
