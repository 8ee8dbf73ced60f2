"""`spm-lite lock`: the digests of a tokenizer and of its ids, for `spm-lite check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.cli.commands.convert_command import Lines
from spm_lite.cli.console import say
from spm_lite.cli.options.parsing import (
    CommandParser,
    add_common,
    add_model,
    add_output,
    file_name,
    load_model,
    one_model,
)
from spm_lite.cli.outputs import check_target, descriptor, open_output, refuse_inputs

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Write down what a tokenizer does: digests of its pieces, merges or scores, special tokens and settings, and of the
ids that it gives hard texts, every character and strings of its pieces. 'spm-lite check' compares another file,
program or version with it. A lock has about 100 kB. It holds none of your texts."""

EPILOG = """\
examples:
  spm-lite lock m.model -o tok.lock
  spm-lite lock folder --text corpus.txt -o tok.lock   # the ids of your texts too
  spm-lite check tok.lock m.gguf"""


def make_parser() -> CommandParser:
    parser = CommandParser("lock", "MODEL [-o FILE] [options]", DESCRIPTION, EPILOG)
    add_text(parser, "lock the ids of these lines too; FILE may be a folder")
    add_output(parser)
    add_model(parser)
    add_common(parser)
    return parser


def add_text(parser: CommandParser, meaning: str) -> None:
    """Add --text. meaning: the help."""
    settings: dict[str, Any] = {"nargs": "+", "action": "extend", "type": file_name, "metavar": "FILE"}
    parser.add_argument("--text", help=meaning, **settings)


def run(options: Namespace, files: list[str]) -> int:
    path, texts = one_model(options, files, "lock"), options.text or []
    if options.output is not None and options.output != "-":
        refuse_inputs([options.output], [path, *texts])
        if descriptor(options.output) is None:
            check_target(options.output)  # now, not after the work
    import spm_lite

    lock = spm_lite.lock(load_model(options, path), Lines(texts))
    with open_output(options.output) as out:
        out.write(lock._bytes())
    if options.output not in (None, "-") and not options.quiet:
        say(f"{options.output}: {lock}\n")
    return 0
