"""`spm-lite show`: a text in pieces, with the id under each."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spm_lite.cli.commands.encode import shown_piece
from spm_lite.cli.console import is_terminal, write_text
from spm_lite.cli.parsing import CommandParser, UsageError, add_common, add_model
from spm_lite.cli.streams import read_files
from spm_lite.cli.tables import width_of_output
from spm_lite.cli.width import two_rows

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Show each TEXT in pieces, with the id under each; without TEXT, each line of standard input.
▁ stands for a space; what a terminal cannot show is written with escapes, such as \\x0a for a line feed."""

EPILOG = """\
examples:
  spm-lite show -m m.model 'Hello world'
  head -3 text.txt | spm-lite show -m m.model
"""


def make_parser() -> CommandParser:
    """The parser of the command."""
    parser = CommandParser("show", "[TEXT...] -m M [options]", DESCRIPTION, EPILOG)
    parser.takes_texts = True
    add_model(parser)
    parser.add_argument("--json", action="store_true", help="write a JSON object for each text, for programs")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    """Run the command; return the exit code."""
    from spm_lite.tokenizer.tokenizer import Tokenizer

    tok = Tokenizer.load(options.model)
    width = width_of_output(is_terminal(sys.stdout))
    for text in texts_of(files):
        write_text(as_json(tok, text) if options.json else as_rows(tok, text, width))
    return 0


def texts_of(arguments: list[str]) -> Iterator[bytes]:
    """Yield the texts that were typed, or the lines of standard input."""
    for argument in arguments:
        try:
            yield argument.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise UsageError(f"the text {argument!a:.60} holds a lone surrogate, which no text has") from None
    if not arguments:
        for _, _, lines, _ in read_files(["-"]):
            yield from lines


def as_rows(tok: Tokenizer, text: bytes, width: int) -> str:
    """The pieces and, under them, their ids, with an empty line after each pair of lines."""
    ids = tok.encode(text)
    rows = two_rows(list(map(shown_piece, tok.pieces(text))), ids, width) if ids else []
    n_bytes = len(text)
    summary = f"{len(ids):,} token{'' if len(ids) == 1 else 's'}, {n_bytes:,} byte{'' if n_bytes == 1 else 's'}"
    return "".join(f"{above}\n{below}\n\n" for above, below in rows) + f"{summary}\n"


def as_json(tok: Tokenizer, text: bytes) -> str:
    """A line of JSON: text, ids, pieces, and the bytes of the text that each piece stands for."""
    spans = tok.spans(text, unit="byte")
    found = {
        "text": text.decode("utf-8", "replace"),
        "ids": tok.encode(text),
        "pieces": list(map(shown_piece, tok.pieces(text))),
        "byte_spans": [list(span) for span in spans],
    }
    return json.dumps(found) + "\n"
