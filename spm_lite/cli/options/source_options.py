"""The options of several sources: --source en=FILE, --weight en=0.3, --temperature 0.5, and of fair shares."""

from __future__ import annotations

import argparse
import os
import re
from contextlib import ExitStack
from typing import Any

from spm_lite.cli.options.parsing import CommandParser, UsageError, number
from spm_lite.cli.streams import is_read_once, real_files
from spm_lite.files.remote import AnyFile, as_file
from spm_lite.specs import SHARE_UNITS, TARGET_UNITS, TOKENS

OF_SOURCES = (
    "weight", "temperature", "share-of", "balance", "parallel", "target", "target-unit", "price", "parity",
)  # fmt: skip


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


def add_fairness_options(parser: CommandParser) -> None:
    """Add --balance and what goes with it, to learn so that several sources cost alike."""
    fair = parser.add_argument_group("sources that cost alike, by --balance or by --objective parity")
    fair.add_argument(
        "--balance",
        choices=(TOKENS,),
        help="tokens: fit the weights until the same content has about as many tokens in each source",
    )
    fair.add_argument(
        "--parallel",
        action="append",
        type=named_value,
        metavar="NAME=FILE",
        help="dev text of a source, on which costs are measured; line i says the same in all of them",
    )
    fair.add_argument(
        "--target",
        action="append",
        type=named_value,
        metavar="NAME=N",
        help="in place of equal costs, what a source must reach",
    )
    fair.add_argument("--target-unit", choices=TARGET_UNITS, help=f"what targets are counted in [{TARGET_UNITS[0]}]")
    fair.add_argument(
        "--price",
        type=number,
        metavar="SHARE",
        help="the most tokens of all dev text above plain training [0.02 for --balance without targets, else no limit]",
    )
    fair.add_argument(
        "--parity",
        action="append",
        type=named_value,
        metavar="NAME=N",
        help="an option of --objective parity: window, alpha, floor or global_merges",
    )


def named_value(text: str) -> tuple[str, str]:
    """`en=en.txt` -> ("en", "en.txt")."""
    name, sign, value = text.partition("=")
    others = re.split(r",\s*(?=[^,=\s]+=)", text)
    if sign and len(others) > 1 and not os.path.lexists(value):
        raise argparse.ArgumentTypeError(
            f"{text!r} has a comma where the next name begins: give the option again for each, {' and '.join(others)}"
        )
    if not name or not sign or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE, such as en=en.txt")
    return name, value


def files_of_sources(given: argparse.Namespace, files: list[str]) -> dict[str, list[str]]:
    """The files of each source; {}: there are no sources. Raises UsageError for options that contradict each other."""
    if not given.source:
        name = next((name for name in OF_SOURCES if vars(given).get(name.replace("-", "_")) is not None), "")
        if name:
            raise UsageError(f"--{name} is for several sources: name them with --source, as in --source en=en.txt")
        return {}
    if files:
        raise UsageError(f"--source and the file {files[0]!r} both name text: write --source NAME={files[0]}")
    return named_files(given.source, "--source", "a source")


def named_files(pairs: list[tuple[str, str]], option: str, noun: str) -> dict[str, list[str]]:
    """The files that an option names. Raises UsageError for a pipe, which cannot be read again. noun: for messages."""
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        if is_read_once(path):
            raise UsageError(f"{option} {name}={path}: {noun} is a file, not standard input or a pipe")
        found.setdefault(name, []).append(path)
    return found


def numbers_of(pairs: list[tuple[str, str]] | None, option: str) -> dict[str, float] | None:
    """The numbers of an option by name. Raises UsageError for one that is not a number, or is given twice."""
    if not pairs:
        return None
    found: dict[str, float] = {}
    for name, text in pairs:
        if name in found:
            raise UsageError(f"{option} {name} is given twice: give it once")
        try:
            found[name] = number(text)
        except (argparse.ArgumentTypeError, ValueError):
            raise UsageError(f"{option} {name}={text}: {text!r} is not a number") from None
    return found


def open_sources(stack: ExitStack, sources: dict[str, list[str]]) -> dict[str, list[AnyFile]]:
    """The sources as lists of paths, with patterns expanded, for as long as the stack is open."""
    return {name: [as_file(path) for path in stack.enter_context(real_files(files))] for name, files in sources.items()}


def shares_of(given: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `spm_lite.train` that decide the shares of several sources; {}: none was given."""
    found = {
        "weights": numbers_of(given.weight, "--weight"),
        "temperature": given.temperature,
        "share_of": given.share_of,
    }
    return {name: value for name, value in found.items() if value is not None}


def fairness_of(given: argparse.Namespace, stack: ExitStack) -> dict[str, Any]:
    """The arguments that ask for sources that cost alike; {}: none was given. stack: closes the dev texts."""
    parity = numbers_of(given.parity, "--parity")
    texts = named_files(given.parallel or [], "--parallel", "a dev text")
    found = {
        "parallel": open_sources(stack, texts) or None,
        "targets": numbers_of(given.target, "--target"),
        "parity": parity and {name: int(n) if n == int(n) else n for name, n in parity.items()},
        **{name: getattr(given, name) for name in ("balance", "target_unit", "price")},
    }
    return {name: value for name, value in found.items() if value is not None}
