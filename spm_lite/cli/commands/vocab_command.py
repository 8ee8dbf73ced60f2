"""`spm-lite vocab`: lists the pieces of a model by id."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spm_lite.cli.console import terminal_columns
from spm_lite.cli.options.parsing import CommandParser, add_common, add_model, add_output, load_model, one_model
from spm_lite.cli.outputs import goes_to_terminal, open_output, refuse_inputs
from spm_lite.cli.tables import cut, text_width
from spm_lite.files.text_lines import escape_word
from spm_lite.kinds import TYPE_NAMES
from spm_lite.printable import safe_json

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = r"""
List the pieces of a model, one line for each id: id, piece, score, type.
In a piece, ▁ is a space, and \xHH a byte that lines and terminals cannot hold,
such as \x0a for LF. The columns are separated by TABs. On a terminal they are
aligned, and long pieces are cut.

--json writes one list, with an object on each line. There a piece that is not
UTF-8 is a list of bytes, and a score that is not a finite number is null.""".strip()

EPILOG = r"""
examples:
  spm-lite vocab m.model | cut -f2              # the pieces, line 1 for id 0
  spm-lite vocab m.model | grep -c user-defined
  spm-lite vocab m.model --json --output m.json
""".strip()

JOINERS = "\u200c\u200d"  # they shape the characters beside them, so inside a piece they are text like any other
SMALLEST = 6  # columns of a piece on the narrowest terminal
LINES_PER_WRITE = 4096


def make_parser() -> CommandParser:
    parser = CommandParser("vocab", "MODEL [options]", DESCRIPTION, EPILOG)
    add_model(parser)
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_output(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    model = one_model(options, files, "vocab")
    if options.output is not None:
        refuse_inputs([options.output], [model])

    tok = load_model(options, model)
    if options.json:
        lines = json_lines(tok)
    elif goes_to_terminal(options.output):
        lines = aligned_lines(tok, terminal_columns())
    else:
        lines = ("\t".join(fields) for fields in rows(tok))
    with open_output(options.output) as out:
        for block in blocks(lines):
            out.write(block)
    return 0


def rows(tok: Tokenizer) -> Iterator[tuple[str, str, str, str]]:
    """Yield id, piece, score and type of each piece, as they are shown."""
    vocab = tok._file.vocab
    for piece_id in range(len(vocab)):
        piece = escape_invisible(escape_word(vocab.text(piece_id)).decode())
        yield str(piece_id), piece, format(vocab.score(piece_id), "g"), TYPE_NAMES[vocab.type(piece_id)]


def escape_invisible(text: str) -> str:
    r"""The text with format characters written as `\xHH`: direction marks, say, would change what a terminal shows."""
    if text.isascii():
        return text
    last = len(text) - 1
    return "".join(
        "".join(f"\\x{byte:02x}" for byte in char.encode())
        if unicodedata.category(char) == "Cf" and not (char in JOINERS and 0 < place < last)
        else char
        for place, char in enumerate(text)
    )


def json_lines(tok: Tokenizer) -> Iterator[str]:
    """Yield the lines of a JSON list with an object for each piece."""
    vocab = tok._file.vocab
    last = len(vocab) - 1
    yield "["
    for piece_id in range(len(vocab)):
        text, score = vocab.text(piece_id), vocab.score(piece_id)
        try:
            piece: str | list[int] = text.decode()
        except UnicodeDecodeError:
            piece = list(text)
        row = {
            "id": piece_id,
            "piece": piece,
            "score": score if math.isfinite(score) else None,
            "type": TYPE_NAMES[vocab.type(piece_id)],
        }
        yield safe_json(json.dumps(row)) + ("," if piece_id < last else "")
    yield "]"


def aligned_lines(tok: Tokenizer, width: int) -> Iterator[str]:
    """Yield a header and the pieces in columns, `width` columns in all; a piece that is too long ends in "…"."""
    table = [("id", "piece", "score", "type"), *rows(tok)]
    ids, pieces, scores, types = (max(map(text_width, column)) for column in zip(*table, strict=True))
    pieces = min(pieces, max(SMALLEST, width - ids - scores - types - 6))  # two spaces between columns
    for piece_id, piece, score, kind in table:
        shown = piece if text_width(piece) <= pieces else cut(piece, pieces - 1) + "…"
        padding = " " * (pieces - text_width(shown))
        yield f"{piece_id:>{ids}}  {shown}{padding}  {score:>{scores}}  {kind}"


def blocks(lines: Iterator[str]) -> Iterator[bytes]:
    """Yield the lines as UTF-8, some thousands at once."""
    some: list[str] = []
    for line in lines:
        some.append(line)
        if len(some) == LINES_PER_WRITE:
            yield ("\n".join(some) + "\n").encode()
            some = []
    if some:
        yield ("\n".join(some) + "\n").encode()
