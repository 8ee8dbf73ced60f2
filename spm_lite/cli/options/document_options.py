"""The options that say where a document ends, for the commands that read or write texts."""

from __future__ import annotations

import argparse
import os
import re

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.options.parsing import UsageError
from spm_lite.files.read_options import COLUMN, FORMATS, LINE_END, NEWLINES, WAYS, Reading, as_reading, as_separator

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from spm_lite.cli.options.parsing import CommandParser

SIGNS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}
ESCAPE = re.compile(rb"\\(?:([nrt0\\])|x([0-9A-Fa-f]{2}))")
HELP = {
    "column": "field or column with the texts of .jsonl, .csv, .tsv, .parquet, .arrow and .feather files, or the path "
    "of a nested one, such as messages.content; repeat it for several. Other input is then read as JSON lines",
    "input_format": "auto: by the ending of the name; text: plain text; jsonl: JSON lines, or one JSON array",
    "newline": "auto: CR LF ends a line, and a BOM is left out; lf: both are kept as text",
    "delimiter": r"character between the fields of CSV; \t is a TAB [a comma; a TAB in .tsv files]",
    "quoting": "quotation marks enclose a field of CSV or TSV [yes in CSV, no in .tsv files]",
    "encoding": "encoding of text, JSON lines, CSV and TSV, such as cp1252 [UTF-8]",
    "separator": r"characters that end a document; \n \r \t \0 \\ and \xHH are understood",
    "whole_files": "each file is one document",
    "paragraphs": "each paragraph is one document: the lines between blank ones",
    "on_error": "skip: leave out bad records (broken JSON, a missing column, a null, a truncated file), and count them",
    "max_unpacked": "bytes that one compressed file, or the texts of one Parquet or Arrow file, may unpack to, such as "
    "10GB [1 GB, or 500 times the file where that is more]",
}


def add_document_options(parser: CommandParser, reads_records: bool = False, keeps_bytes: bool = False) -> None:
    """Add --separator and --whole-files. reads_records: and all other options of reading.

    keeps_bytes: CR LF and a BOM are text, if --newline does not say otherwise.
    """
    group = parser.add_argument_group("documents")
    group.add_argument("--separator", type=separator, metavar="TEXT", help=rf"{HELP['separator']} [\n]")
    group.add_argument("--whole-files", action="store_true", help=HELP["whole_files"])
    group.add_argument("--keep-newlines", action="store_true", help=argparse.SUPPRESS)  # of the older version
    if not reads_records:
        return
    absent: dict[str, Any] = {"default": argparse.SUPPRESS}
    group.add_argument("--paragraphs", action="store_true", help=HELP["paragraphs"])
    group.add_argument(
        "--column", action="append", type=column_name, metavar="NAME", help=f"{HELP['column']} [{COLUMN}]", **absent
    )
    group.add_argument(
        "--input-format", choices=[name for name in FORMATS if name != "tsv"], help=f"{HELP['input_format']} [auto]",
        **absent,
    )  # fmt: skip
    group.add_argument("--as-text", action="store_true", help="the same as --input-format text")
    group.add_argument(
        "--newline", choices=NEWLINES, help=f"{HELP['newline']} [{'lf' if keeps_bytes else 'auto'}]", **absent
    )
    group.add_argument("--delimiter", type=one_character, metavar="CHAR", help=HELP["delimiter"], **absent)
    group.add_argument("--quoting", action=argparse.BooleanOptionalAction, help=HELP["quoting"], **absent)
    group.add_argument("--encoding", metavar="NAME", help=HELP["encoding"], **absent)
    group.add_argument("--on-error", choices=WAYS, help=f"{HELP['on_error']} [{WAYS[0]}]", **absent)
    group.add_argument("--max-unpacked", metavar="SIZE", help=HELP["max_unpacked"], **absent)


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The ReadOptions of the library that were typed, for a call that takes them. Raises UsageError."""
    names = ("column", "input_format", "newline", "delimiter", "quoting", "encoding", "on_error", "max_unpacked")
    found = {name: options[name] for name in names if name in options}
    if options.get("as_text"):
        if "column" in found or found.get("input_format", "text") != "text":
            raise UsageError("--as-text and --column or --input-format contradict each other: give one of them")
        found["input_format"] = "text"
    ends = separator_of(options)
    return found if ends == LINE_END else {**found, "separator": ends or None}


def reading_of(options: Mapping[str, Any], keeps_bytes: bool = False) -> Reading:
    """How documents are read, by the options that were typed. Raises OptionError and UsageError."""
    return as_reading(read_options(options), keeps_bytes=keeps_bytes)


def one_character(text: str) -> str:
    """The type of --delimiter."""
    found = separator(text).decode("utf-8", "surrogateescape")
    if len(found) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one character, such as ';' or \\t")
    return found


def column_name(text: str) -> str:
    """The type of --column."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; give the name of a column")
    return text


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
    if options.get("keep_newlines") and wanted == LINE_END:
        wanted = None
    return as_separator(wanted, bool(options.get("paragraphs")))
