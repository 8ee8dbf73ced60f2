"""`spm-lite help`: the help of the program, or of a command with all options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.command_names import COMMANDS, HELP, module_of
from spm_lite.cli.console import fitted, width_of_help, write_text
from spm_lite.cli.options.parsing import PROGRAM, CommandParser, UsageError, add_common, nearest

if TYPE_CHECKING:
    from argparse import Namespace


def make_parser() -> CommandParser:
    parser = CommandParser("help", "[COMMAND]", "Show the help of the program, or of a command with all its options.")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if not files:
        write_text(fitted(HELP, width_of_help()))
        return 0
    if len(files) > 1 or files[0] not in COMMANDS:
        hint = nearest(files[0], list(COMMANDS))
        raise UsageError(f"{' '.join(files)!r:.80} is not a command{hint} (see '{PROGRAM} help')")
    module_of(files[0]).make_parser().print_help()
    return 0
