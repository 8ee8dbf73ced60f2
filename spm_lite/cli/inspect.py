"""`spm-lite inspect`: shows what a model file holds, and what its decoding loses."""

from __future__ import annotations

import json

from spm_lite.cli.console import write_text
from spm_lite.cli.parsing import CommandParser, UsageError, add_common

DESCRIPTION = """\
Show what a model file holds: type, pieces, special ids, rules, flags, and what decoding does not give back."""


def main(argv: list[str]) -> int:
    """Run the command; return the exit code."""
    parser = CommandParser("inspect", "MODEL [options]", DESCRIPTION)
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_common(parser)
    options, files = parser.parse(argv)
    if len(files) != 1:
        raise UsageError(f"{len(files)} model files given, one expected (see 'spm-lite inspect --help')")

    from spm_lite.evaluation.inspection import inspect
    from spm_lite.tokenizer.tokenizer import Tokenizer

    inspection = inspect(Tokenizer.load(files[0]))
    write_text(json.dumps(inspection.to_dict(), indent=2) if options.json else str(inspection))
    write_text("\n")
    return 0
