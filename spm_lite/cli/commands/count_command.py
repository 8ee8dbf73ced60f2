"""`spm-lite count`: how many tokens the files have."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from spm_lite.cli.console import is_terminal, show_notes, write_text
from spm_lite.cli.options.document_options import add_document_options, reading_of
from spm_lite.cli.options.parsing import CommandParser, add_common, add_model, add_threads, load_model
from spm_lite.cli.streams import all_inputs, file_of, read_shown
from spm_lite.files.documents import CorpusFigures
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar
from spm_lite.tokenizer.file_counts import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.file_counts import FileCount, FileCounts

DESCRIPTION = """\
Count the tokens of files, document by document. A document is a line, unless an option below says otherwise.
FILE may be a folder, or a pattern such as 'part-*.txt'. '-' or no FILE is standard input.

'encode' makes so many ids of the same files, except that it keeps CR LF and a BOM: --newline lf counts these."""


COMMON = {"model", "header", "json", "num_threads", "separator", "whole_files", "column", "quiet"}
HEADERS = ["file", "tokens", "bytes/token", "documents", "bytes"]
WIDE = 60  # columns; a narrower terminal shows fewer figures


def make_parser() -> CommandParser:
    parser = CommandParser("count", "MODEL [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser)
    parser.add_argument(
        "--header", action="store_true", help="write all columns with their names in a pipe, as on a terminal"
    )
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    reading = reading_of(vars(options))

    tok = load_model(options, options.model)
    inputs, figures = all_inputs(files), CorpusFigures()
    with ProgressBar(options.quiet) as bar:
        parts = read_shown(inputs, bar, "count", reading, figures)
        found = counted(tok, (str(file_of(name)) for name in inputs), parts, options.num_threads)
    show_notes(figures.notes.texts, options.quiet, "count")
    if options.json:
        data = {"files": {name: one._asdict() for name, one in found.files.items()}, "total": found.total._asdict()}
        write_text(safe_json(json.dumps(data, indent=2)) + "\n")
    else:
        write_text(shown(found, options.header))
    return 0


def shown(found: FileCounts, with_header: bool) -> str:
    """The counts as a table on a terminal; in a pipe, lines with TABs, as `wc` gives them. Several files have a total.

    with_header: name the columns in a pipe too, and write all of them.
    """
    if not is_terminal(sys.stdout):
        from spm_lite.printable import visible

        if not with_header:
            return visible(f"{found}\n", but="\n\t")
        lines = [HEADERS, *([name, *map(str, figures(one))] for name, one in found.rows())]
        return "".join("\t".join(map(visible, line)) + "\n" for line in lines)
    from spm_lite.cli.tables import table, width_of_output

    cells = [
        [name, f"{one.tokens:,}", f"{bytes_per_token(one):.2f}", f"{one.documents:,}", f"{one.bytes:,}"]
        for name, one in found.rows()
    ]
    width = width_of_output(True)
    n_shown = len(HEADERS) if width >= WIDE else 3
    return table(HEADERS[:n_shown], [row[:n_shown] for row in cells], width)


def figures(one: FileCount) -> tuple[object, ...]:
    """The cells of a row beside its name, for programs."""
    return one.tokens, f"{bytes_per_token(one):.4f}", one.documents, one.bytes


def bytes_per_token(one: FileCount) -> float:
    """The bytes of text for each token; of no token, all."""
    return one.bytes / max(one.tokens, 1)
