"""`spm-lite check`: what a tokenizer, file, program or version does otherwise than a lock says."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from spm_lite.cli.commands.convert_command import Lines
from spm_lite.cli.commands.lock_command import add_text
from spm_lite.cli.console import is_terminal, write_text
from spm_lite.cli.main import describe
from spm_lite.cli.options.parsing import PROGRAM, CommandParser, UsageError, add_common, add_reading, reading_options
from spm_lite.cli.tables import width_of_output, wrapped
from spm_lite.errors import SpmLiteError
from spm_lite.printable import safe_json, visible

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.evaluation.locks.lock_result import LockCheck

DESCRIPTION = """\
Compare a tokenizer with a lock that 'spm-lite lock' wrote: the ids of all its texts, the decoded text, the special
tokens, and the tokenizer itself. OTHER is a tokenizer file of any format, or a folder. The result names the first
texts that differ, with their ids and the likely cause. What a conversion of the locked tokenizer is known to change
is named, and is no difference unless --strict is given."""

EPILOG = """\
examples:
  spm-lite check tok.lock m.model                      # after an update of spm_lite
  spm-lite check tok.lock folder --with transformers   # the ids of transformers
  spm-lite check tok.lock m.gguf --text corpus.txt     # the texts that were locked

Exit codes: 0 the same, 1 it differs, 2 wrong usage or a file that cannot be read."""

DIFFERS = 1  # exit code


def make_parser() -> CommandParser:
    parser = CommandParser("check", "LOCK OTHER [options]", DESCRIPTION, EPILOG)
    add_text(parser, "compare these lines too, which were locked")
    parser.add_argument(
        "--with",
        dest="program",
        metavar="PROGRAM",
        help="let this installed program give the ids: transformers, tokenizers, sentencepiece, tiktoken or llama.cpp "
        "[spm_lite]",
    )
    parser.add_argument("--strict", action="store_true", help="what a conversion is known to change is a difference")
    parser.add_argument("--json", action="store_true", help="write the result as JSON, for programs")
    add_reading(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if len(files) != 2:
        raise UsageError(f"names given: {len(files)}; LOCK and OTHER expected (see '{PROGRAM} check --help')")
    import spm_lite

    try:
        found = spm_lite.Lock.load(files[0]).check(
            files[1], texts=None if options.text is None else Lines(options.text), program=options.program,
            strict=options.strict, allow=options.allow or (), **reading_options(options),
        )  # fmt: skip
    except (SpmLiteError, OSError) as error:  # 1 is for a tokenizer that differs
        raise UsageError(describe(error, ["check"])[0]) from error
    if options.json:
        write_text(safe_json(json.dumps(found.to_dict())) + "\n")
    elif not options.quiet or not found.same:
        write_text(report(found, width_of_output(is_terminal(sys.stdout))))
    return 0 if found.same else DIFFERS


def report(found: LockCheck, width: int) -> str:
    """The result for people, in lines of at most `width` columns."""
    return "".join(wrapped(visible(line), width, "      ") + "\n" for line in found._lines())
