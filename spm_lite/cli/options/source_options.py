"""The options of several sources: --source en=FILE, --weight en=0.3, --temperature 0.5."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

from spm_lite.cli.options.parsing import CommandParser, UsageError, number
from spm_lite.cli.streams import is_read_once, real_files
from spm_lite.files.remote import AnyFile, as_file
from spm_lite.specs import SHARE_UNITS


def add_source_options(parser: CommandParser) -> None:
    """Add --source and what goes with it, to learn from several sources by weight."""
    group = parser.add_argument_group("several sources, in place of FILE")
    group.add_argument(
        "--source",
        action="append",
        type=named_value,
        metavar="NAME=FILE",
        help="a source and its name; FILE may be a folder or a pattern. Repeat the option: the same name adds a file",
    )
    group.add_argument(
        "--weight",
        action="append",
        type=named_value,
        metavar="NAME=W",
        help="the share of a source in the text to learn from, in proportion to the other weights",
    )
    group.add_argument(
        "--temperature",
        type=number,
        metavar="T",
        help="0 to 1: shares are proportional to size to the power T; 0: all equal [1: by size]",
    )
    group.add_argument(
        "--share-of",
        choices=SHARE_UNITS,
        metavar="UNIT",
        help="what shares are counted in: bytes, characters, texts [bytes]",
    )


def named_value(text: str) -> tuple[str, str]:
    """`en=en.txt` -> ("en", "en.txt")."""
    name, sign, value = text.partition("=")
    if not name or not sign or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE, such as en=en.txt")
    return name, value


def files_of_sources(given: argparse.Namespace, files: list[str]) -> dict[str, list[str]]:
    """The files of each source; {}: there are no sources. Raises UsageError for options that contradict each other."""
    if not given.source:
        names = {"--weight": given.weight, "--temperature": given.temperature, "--share-of": given.share_of}
        name = next((name for name, value in names.items() if value is not None), "")
        if name:
            raise UsageError(f"{name} is for several sources: name them with --source, as in --source en=en.txt")
        return {}
    if files:
        raise UsageError(f"--source and the file {files[0]!r} both name text: write --source NAME={files[0]}")
    found: dict[str, list[str]] = {}
    for name, path in given.source:
        if is_read_once(path):
            raise UsageError(f"--source {name}={path}: a source is a file, not standard input or a pipe")
        found.setdefault(name, []).append(path)
    return found


def weights_of(given: argparse.Namespace) -> dict[str, float] | None:
    """The weights by name. Raises UsageError for one that is not a number, or is given twice."""
    if not given.weight:
        return None
    found: dict[str, float] = {}
    for name, text in given.weight:
        if name in found:
            raise UsageError(f"--weight {name} is given twice: give it once")
        try:
            found[name] = number(text)
        except (argparse.ArgumentTypeError, ValueError):
            raise UsageError(f"--weight {name}={text}: {text!r} is not a number") from None
    return found


def open_sources(stack: ExitStack, sources: dict[str, list[str]]) -> dict[str, list[AnyFile]]:
    """The sources as lists of paths, with patterns expanded, for as long as the stack is open."""
    return {name: [as_file(path) for path in stack.enter_context(real_files(files))] for name, files in sources.items()}


def shares_of(given: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `spm_lite.train` that decide the shares of several sources; {}: none was given."""
    found = {"weights": weights_of(given), "temperature": given.temperature, "share_of": given.share_of}
    return {name: value for name, value in found.items() if value is not None}
