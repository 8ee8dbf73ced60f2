"""`spm-lite count`: how many tokens the files have."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.cli.console import is_terminal, show_notes, write_text
from spm_lite.cli.options.document_options import add_document_options, reading_of
from spm_lite.cli.options.parsing import CommandParser, add_common, add_model, add_threads, load_model
from spm_lite.cli.streams import all_inputs, file_of, read_shown
from spm_lite.files.documents import CorpusFigures, n_bytes_of, texts_of
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Count the tokens of files, document by document. A document is a line, unless an option below says otherwise.
FILE may be a folder, or a pattern such as 'part-*.txt'. '-' or no FILE is standard input.

'encode' makes so many ids of the same files, except that it keeps CR LF and a BOM: --newline lf counts these."""


COMMON = {"model", "json", "num_threads", "separator", "whole_files", "column", "quiet"}
WIDE = 60  # columns; a narrower terminal shows fewer figures


class Sums(NamedTuple):
    """What was counted in one file."""

    tokens: int = 0
    documents: int = 0
    bytes: int = 0  # without the separators of documents

    def plus(self, tokens: int, documents: int, n_bytes: int) -> Sums:
        """The sums, with the sums of more documents added."""
        return Sums(self.tokens + tokens, self.documents + documents, self.bytes + n_bytes)


def make_parser() -> CommandParser:
    parser = CommandParser("count", "MODEL [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser)
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    reading = reading_of(vars(options))

    tok = load_model(options, options.model)
    inputs, figures = all_inputs(files), CorpusFigures()
    sums: dict[str, Sums] = dict.fromkeys((str(file_of(name)) for name in inputs), Sums())
    with ProgressBar(options.quiet) as bar:
        for part in read_shown(inputs, bar, "count", reading, figures):
            texts: Any = texts_of(part.documents)
            name, n_tokens = str(part.path), int(tok.count_batch(texts, num_threads=options.num_threads).sum())
            sums[name] = sums[name].plus(n_tokens, len(texts), n_bytes_of(part.documents))
    show_notes(figures.notes.texts, options.quiet)
    total = Sums(*map(sum, zip(*sums.values(), strict=True)))
    if options.json:
        found = {"files": {name: one._asdict() for name, one in sums.items()}, "total": total._asdict()}
        write_text(safe_json(json.dumps(found, indent=2)) + "\n")
    else:
        write_text(as_table(sums, total))
    return 0


def as_table(sums: dict[str, Sums], total: Sums) -> str:
    """The counts as a table on a terminal; in a pipe, lines of tokens, TAB and name. Several files have a total."""
    rows = list(sums.items()) + ([("total", total)] if len(sums) > 1 else [])
    if not is_terminal(sys.stdout):
        from spm_lite.printable import visible

        return "".join(f"{one.tokens}\t{visible(name)}\n" for name, one in rows)
    from spm_lite.cli.tables import table, width_of_output

    headers = ["file", "tokens", "bytes/token", "documents", "bytes"]
    cells = [
        [name, f"{one.tokens:,}", f"{one.bytes / max(one.tokens, 1):.2f}", f"{one.documents:,}", f"{one.bytes:,}"]
        for name, one in rows
    ]
    width = width_of_output(True)
    n_shown = len(headers) if width >= WIDE else 3
    return table(headers[:n_shown], [row[:n_shown] for row in cells], width)
