"""`spm-lite decode`: each line of ids or pieces becomes a line of text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spm_lite.cli.arguments import CommandParser, add_common, positive_int
from spm_lite.cli.progress import ProgressBar
from spm_lite.cli.streams import open_output, read_files, shown, total_size
from spm_lite.errors import IdError, TextError

if TYPE_CHECKING:
    from spm_lite.tokenizer import Tokenizer

DESCRIPTION = """\
Turn lines of ids (or pieces) back into lines of text. FILE may be '-' or absent: standard input.
Ids and pieces are separated by single spaces, as 'spm-lite encode' writes them."""


def main(argv: list[str]) -> int:
    """Run the command."""
    parser = CommandParser("decode", "[FILE...] --model M [options]", DESCRIPTION)
    parser.add_argument("--model", required=True, metavar="M", help="the model file; required")
    parser.add_argument("--output", metavar="FILE", help="where to write; complete or not at all [standard output]")
    parser.add_argument("--input-format", choices=("id", "piece"), default="id", help="what the lines hold [id]")
    parser.add_argument("--num-threads", type=positive_int, metavar="N", help="threads [all usable CPUs]")
    add_common(parser)
    options, files = parser.parse(argv)

    from spm_lite.tokenizer import Tokenizer

    reader = Reader(Tokenizer.load(options.model), options.input_format, options.num_threads)
    bar = ProgressBar(options.quiet or (options.output is None and sys.stdout.isatty()))
    done, total = 0, total_size(files)
    with open_output(options.output) as out, bar:
        for path, first, lines, complete in read_files(files):
            out.write(b"\n".join(reader.decode(lines, path, first)))
            if complete:
                out.write(b"\n")
            out.flush()
            done += sum(map(len, lines)) + len(lines)
            bar("decoding", done, total)
    return 0


class Reader:
    """Lines of ids or pieces -> lines of text."""

    def __init__(self, tok: Tokenizer, form: str, num_threads: int | None) -> None:
        self._tok = tok
        self._parse = parse_ids if form == "id" else parse_pieces
        self._num_threads = num_threads

    def decode(self, lines: list[bytes], path: str, first: int) -> list[bytes]:
        """One line out for each line in. Raises IdError or TextError naming file, line and token."""
        ids = []
        for number, line in enumerate(lines, first):
            try:
                ids.append(self._parse(line, self._tok))
            except (IdError, TextError) as error:
                raise type(error)(f"{shown(path)}, line {number}: {error}") from None
        texts = self._tok.decode_batch(ids, num_threads=self._num_threads)
        return [self._as_bytes(text, line_ids) for text, line_ids in zip(texts, ids, strict=True)]

    def _as_bytes(self, text: str, ids: list[int]) -> bytes:
        """The text; where it may hold replaced bytes, the bytes themselves."""
        return self._tok.decode_bytes(ids) if "\ufffd" in text else text.encode("utf-8")


def parse_ids(line: bytes, tok: Tokenizer) -> list[int]:
    """`12 7 3` -> [12, 7, 3]."""
    line = line.removesuffix(b"\r")  # an id file edited elsewhere; ids themselves hold no CR
    if not line:
        return []
    tokens = line.split(b" ")
    ids = [int(token) if token.isdigit() and len(token) < 11 else -1 for token in tokens]
    if min(ids) < 0 or max(ids) >= tok.vocab_size:
        refuse_ids(tokens, tok.vocab_size)
    return ids


def refuse_ids(tokens: list[bytes], vocab_size: int) -> None:
    """Raise the error for the first bad one."""
    for position, token in enumerate(tokens, 1):
        text = token.decode("utf-8", "backslashreplace")
        if not token:
            raise TextError(f"token {position} is empty; ids are separated by single spaces")
        if not token.isdigit():
            raise TextError(f"token {position} {text!r} is not an id (for pieces: --input-format piece)")
        if len(token) > 10 or int(token) >= vocab_size:
            raise IdError(f"token {position}: id {text} is not below the vocabulary size {vocab_size}; another model?")


def parse_pieces(line: bytes, tok: Tokenizer) -> list[int]:
    """Pieces -> ids. A piece that the model does not have is refused: its text cannot be told from a mistake."""
    if not line:
        return []
    ids = []
    for position, token in enumerate(line.split(b" "), 1):
        piece = token.decode("utf-8", "surrogateescape")
        if piece not in tok:
            text = token.decode("utf-8", "backslashreplace")
            raise TextError(f"token {position} {text!r} is not a piece of this model")
        ids.append(tok.piece_to_id(piece))
    return ids
