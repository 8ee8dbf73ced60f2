"""The options that say where a document ends, for the commands that read or write texts."""

from __future__ import annotations

import argparse
import os
import re

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.options.parsing import UsageError
from spm_lite.files.bad_records import WAYS
from spm_lite.files.documents import as_separator
from spm_lite.files.record_files import COLUMN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from spm_lite.cli.options.parsing import CommandParser

SIGNS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}
ESCAPE = re.compile(rb"\\(?:([nrt0\\])|x([0-9A-Fa-f]{2}))")
COLUMN_HELP = "field or column with the texts of .jsonl, .csv, .tsv, .parquet, .arrow and .feather files"
HELP = {
    "separator": r"characters that end a document; \n \r \t \0 \\ and \xHH are understood",
    "whole_files": "each file is one document",
    "paragraphs": "each paragraph is one document: the lines between blank ones",
    "on_error": "skip: leave out bad records (broken JSON, a missing column, a null, a truncated file), and count them",
    "keep_newlines": "keep line feeds in the text: each file is one document, unless --separator is given",
}


def add_document_options(parser: CommandParser, reads_records: bool = False) -> None:
    """Add --separator, --whole-files and --keep-newlines. reads_records: and --column and --as-text."""
    group = parser.add_argument_group("documents")
    group.add_argument("--separator", type=separator, metavar="TEXT", help=rf"{HELP['separator']} [\n]")
    group.add_argument("--whole-files", action="store_true", help=HELP["whole_files"])
    group.add_argument("--keep-newlines", action="store_true", help=HELP["keep_newlines"])
    if reads_records:
        group.add_argument("--paragraphs", action="store_true", help=HELP["paragraphs"])
        group.add_argument(
            "--column", type=column_name, default=COLUMN, metavar="NAME", help=f"{COLUMN_HELP} [{COLUMN}]"
        )
        group.add_argument(
            "--as-text", action="store_true", help="read all files as lines of text, whatever their names"
        )
        group.add_argument("--on-error", choices=WAYS, default=WAYS[0], help=f"{HELP['on_error']} [{WAYS[0]}]")


def column_name(text: str) -> str:
    """The type of --column."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; give the name of a column")
    return text


def column_of(options: argparse.Namespace) -> str:
    """The column of files of records; an empty str: they are read as text."""
    return "" if options.as_text else options.column


def separator(text: str) -> bytes:
    r"""The type of --separator: its bytes, with escapes such as \n read.

    >>> separator(r"\n\n"), separator(r"\x1e")
    (b'\n\n', b'\x1e')
    """
    if not text:
        raise argparse.ArgumentTypeError(r"the separator is empty; give one, such as \n, or --whole-files")
    unread = ESCAPE.sub(lambda _: b"", os.fsencode(text))
    if b"\\" in unread:
        raise argparse.ArgumentTypeError(rf"{text!r} has a \ that starts no known escape: write \\ for a backslash")
    return ESCAPE.sub(
        lambda found: SIGNS[found[1]] if found[1] else bytes.fromhex(found[2].decode()), os.fsencode(text)
    )


def separator_of(options: Mapping[str, Any]) -> bytes:
    """The bytes that end a document, by the given options; b"": each file is one. Raises UsageError."""
    given = options.get("separator")
    if given is not None and options.get("whole_files"):
        raise UsageError("--separator and --whole-files contradict each other: give one of them")
    wanted = None if options.get("whole_files") else b"\n" if given is None else given
    if options.get("paragraphs") and (given is not None or options.get("whole_files") or options.get("keep_newlines")):
        raise UsageError("--paragraphs and another option both say where a document ends: give one of them")
    return as_separator(wanted, bool(options.get("keep_newlines")), bool(options.get("paragraphs")))
