"""`spm-lite show`: a text in pieces, with the id and the bytes under each."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spm_lite.cli.commands.encode_command import shown_piece
from spm_lite.cli.console import is_terminal, write_text
from spm_lite.cli.options.parsing import CommandParser, UsageError, add_common, add_model, load_model, positive_int
from spm_lite.cli.streams import read_files
from spm_lite.cli.tables import width_of_output
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.files.read_options import Reading
from spm_lite.printable import safe_json

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Show each TEXT in pieces. Under each piece are its id and the number of bytes that it covers. Without TEXT,
show each line of standard input. ▁ is a space, and invisible characters are escapes such as \\n. A
character that is made of byte pieces has all their ids and bytes under it. On a terminal, pieces are in colour."""

EPILOG = """\
examples:
  spm-lite show m.model 'Hello world'
  head -3 text.txt | spm-lite show m.model
"""
COLORS = ("auto", "always", "never")


def make_parser() -> CommandParser:
    parser = CommandParser("show", "MODEL [TEXT...] [options]", DESCRIPTION, EPILOG)
    parser.takes_texts = True
    add_model(parser)
    parser.add_argument(
        "--color", choices=COLORS, default="auto", help="colour the pieces: auto, always or never [auto: on terminals]"
    )
    parser.add_argument("--limit", type=positive_int, default=1000, metavar="N", help="tokens of a text to show [1000]")
    parser.add_argument("--json", action="store_true", help="write a JSON object for each text, for programs")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    tok = load_model(options, options.model)
    if options.json:
        for text in texts_of(files):
            write_text(as_json(tok, text))
        return 0

    from spm_lite.pictures.show import Picture, terminal_of

    width = width_of_output(is_terminal(sys.stdout))
    system = terminal_of(sys.stdout)[0] if options.color != "never" else None
    if options.color == "always":
        system = system or "truecolor"
    for number, text in enumerate(texts_of(files)):
        write_text("\n" * bool(number) + Picture(tok, text, options.limit).drawn(width, system))
    return 0


def texts_of(arguments: list[str]) -> Iterator[bytes]:
    """Yield the texts that were typed, or the lines of standard input."""
    for argument in arguments:
        try:
            yield argument.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise UsageError(f"the text {argument!a:.60} holds a lone surrogate, which no text has") from None
    if not arguments:
        for part in read_files(["-"], Reading(newline="lf", keeps_bytes=True), CorpusFigures()):
            yield from split_block(part.documents)


def as_json(tok: Tokenizer, text: bytes) -> str:
    """A line of JSON: text, ids, pieces, and the bytes of text that each piece covers."""
    spans = tok.spans(text, unit="byte")
    found = {
        "text": text.decode("utf-8", "replace"),
        "ids": tok.encode(text),
        "pieces": list(map(shown_piece, tok.pieces(text))),
        "byte_spans": [list(span) for span in spans],
    }
    return safe_json(json.dumps(found)) + "\n"
