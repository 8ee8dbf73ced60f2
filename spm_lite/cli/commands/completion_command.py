"""`spm-lite completion`: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from spm_lite.cli.command_names import COMMANDS, module_of
from spm_lite.cli.console import write_text
from spm_lite.cli.options.parsing import PROGRAM, CommandParser, UsageError, add_common, nearest

if TYPE_CHECKING:
    from argparse import Namespace

SHELLS = ("bash", "zsh", "fish")
DESCRIPTION = """\
Write the script with which SHELL (bash, zsh or fish) completes commands, options and files of spm-lite.
Needs the package shtab."""

EPILOG = """\
examples:
  spm-lite completion bash > ~/.local/share/bash-completion/completions/spm-lite
  spm-lite completion zsh > ~/.zfunc/_spm-lite        # a folder in fpath
  spm-lite completion fish > ~/.config/fish/completions/spm-lite.fish
"""


def make_parser() -> CommandParser:
    parser = CommandParser("completion", "SHELL", DESCRIPTION, EPILOG)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if len(files) != 1 or files[0] not in SHELLS:
        hint = nearest(files[0], list(SHELLS)) if files else ""
        raise UsageError(f"name one shell, {', '.join(SHELLS)}{hint} (see '{PROGRAM} completion --help')")
    try:
        import shtab
    except ImportError:
        raise ImportError(
            "completions need the package shtab: pip install 'spm_lite[completion]', or pip install shtab"
        ) from None
    write_text(str(shtab.complete(all_commands(), files[0])).rstrip("\n") + "\n")
    return 0


def all_commands() -> argparse.ArgumentParser:
    """One parser with every command as a subparser."""
    from shtab import FILE

    root = argparse.ArgumentParser(prog=PROGRAM, add_help=False)
    root.add_argument("-V", "--version", action="store_true", help="show the version")
    root.add_argument("-h", "--help", action="store_true", help="show the help")
    commands = root.add_subparsers(dest="command")
    for name, meaning in COMMANDS.items():
        parser = commands.add_parser(name, parents=[module_of(name).make_parser()], add_help=False, help=meaning)
        choices = {"completion": SHELLS, "help": tuple(COMMANDS)}.get(name)
        names = parser.add_argument("files", nargs="*", choices=choices, help="files")
        if choices is None:
            names.complete = FILE  # type: ignore[attr-defined]
    return root
