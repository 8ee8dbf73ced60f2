"""`spm-lite train`: text files become a model."""

from __future__ import annotations

import sys
from pathlib import Path

from spm_lite.cli.arguments import PROGRAM, CommandParser, UsageError, add_common
from spm_lite.cli.options import add_training_options, training_options
from spm_lite.cli.outputs import ModelFiles
from spm_lite.cli.progress import ProgressBar
from spm_lite.cli.streams import real_files

DESCRIPTION = """\
Learn a tokenizer from text files (UTF-8, one text per line) and write M.model and M.vocab.
FILE may be a pattern such as 'part-*.txt'; '-' or no FILE is standard input.

The defaults make a model without loss: decoding gives back every byte of the text."""

EPILOG = """\
examples:
  spm-lite train corpus.txt --vocab-size 8000 --model-prefix m
  spm-lite train en.txt ja.txt --model-type bpe --vocab-size 32000 --model-prefix m --split-digits
  spm-lite train chat.txt --vocab-size 8000 --model-prefix m --control-symbols '<mask>,<sep>'
"""


def main(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser("train", "[FILE...] --vocab-size N --model-prefix M [options]", DESCRIPTION, EPILOG)
    output = parser.add_argument_group("output")
    output.add_argument("--model-prefix", required=True, metavar="M", help="writes M.model and M.vocab; required")
    output.add_argument("--no-vocab", action="store_true", help="write no M.vocab (the list of pieces and scores)")
    add_training_options(parser)
    add_common(parser)
    given, files = parser.parse(argv)
    options = training_options(given)
    if "vocab_size" not in options and not options.get("use_all_vocab"):
        raise UsageError(f"--vocab-size is missing: how many pieces to learn (see '{PROGRAM} train --help')")

    model_files = ModelFiles(given.model_prefix, vocab=not given.no_vocab)  # fails now if they cannot be written
    if not files and sys.stdin is not None and sys.stdin.isatty() and not given.quiet:
        print(f"{PROGRAM}: reading standard input; end it with Ctrl-D", file=sys.stderr)

    import spm_lite

    with real_files(files) as paths, ProgressBar(given.quiet) as bar:
        tok = spm_lite.train([Path(path) for path in paths], progress=bar, **options)
    model_files.save(tok)
    if not given.quiet:
        print(f"{tok.report}\nwrote {model_files}", file=sys.stderr)
    return 0
