"""`spm-lite decode`: each line of ids or pieces becomes a line of text."""

from __future__ import annotations

import contextlib
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from spm_lite.cli.console import show_notes
from spm_lite.cli.options.document_options import add_document_options, separator_of
from spm_lite.cli.options.parsing import CommandParser, add_common, add_model, add_output, add_threads, load_model
from spm_lite.cli.outputs import refuse_inputs
from spm_lite.cli.streams import convert_lines
from spm_lite.errors import IdError, TextError
from spm_lite.files.read_options import Reading
from spm_lite.files.text_lines import unescape

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.files.documents import Part
    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Turn lines of ids (or pieces) back into lines of text. FILE may be a pattern such as
'part-*.ids'; '-' or no FILE is standard input.
Ids and pieces are separated by single spaces, as 'spm-lite encode' writes them.
Each line is one document. Pass the document options that 'encode' had, so that each document ends
as it did before."""

WHOLE_WORDS = ("word", "wordpiece")  # types that make a whole word unknown
COMMON = {"model", "output", "input_format", "num_threads", "separator", "whole_files", "quiet"}


def make_parser() -> CommandParser:
    parser = CommandParser("decode", "MODEL [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser)
    add_output(parser, "; it may be FILE itself")
    parser.add_argument("--input-format", choices=("id", "piece"), default="id", help="what the lines hold [id]")
    add_threads(parser)
    add_document_options(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    separator = separator_of(vars(options))
    if options.output is not None:
        refuse_inputs([options.output], [options.model])  # the output may replace an input, but not the model
    reader = Reader(load_model(options, options.model), options.input_format, options.num_threads)
    reading = Reading(input_format="text", newline="lf", keeps_bytes=True)
    convert_lines(
        files, options.output, reader.decode, "decode", options.quiet, reading, write_separator=separator,
        shows_notes=False,
    )  # fmt: skip
    show_notes(reader.notes(), options.quiet, "decode")
    return 0


class Reader:
    """Decodes lines of ids or pieces to documents. Pieces are written with the escapes of `text_lines`."""

    def __init__(self, tok: Tokenizer, form: str, num_threads: int | None) -> None:
        self._tok = tok
        self._is_id = form == "id"
        self._num_threads = num_threads
        self._unknown_allowed = (
            not self._is_id and tok.unk_id >= 0 and not any(tok.piece_type(i) == "byte" for i in range(tok.vocab_size))
        )
        self._ids_of_pieces: dict[bytes, int] = {}
        self._spellable: dict[bytes, bool] = {}  # tokens that are no pieces -> whether this model would cut them

    def decode(self, lines: list[bytes], part: Part) -> list[bytes]:
        """Decode each line. Raises IdError or TextError that names file, line and token."""
        ids = []
        for number, line in enumerate(lines, part.first):
            try:
                ids.append(self._parse(line.removeprefix(BOM_UTF8) if number == 1 else line))
            except (IdError, TextError) as error:
                raise type(error)(f"{part.path}, line {number}: {error}") from None
        texts = self._tok.decode_batch(ids, num_threads=self._num_threads)
        return [self._as_bytes(text, line_ids, line) for text, line_ids, line in zip(texts, ids, lines, strict=True)]

    def _parse(self, line: bytes) -> list[int]:
        """The ids of a line."""
        return parse_ids(line, self._tok.vocab_size) if self._is_id else self._parse_pieces(line)

    def _parse_pieces(self, line: bytes) -> list[int]:
        """The ids of a line of pieces. Another token is unknown text, or an error if there are byte pieces."""
        ids = []
        for position, token in enumerate(pieces_in(line), 1):
            piece_id = self._ids_of_pieces.get(token)
            if piece_id is None:
                if token in self._tok:
                    piece_id = self._ids_of_pieces[token] = self._tok.piece_to_id(token)
                elif self._unknown_allowed and token:
                    piece_id = self._tok.unk_id
                    if token not in self._spellable:
                        self._spellable[token] = self._is_spellable(token)
                else:
                    text = token.decode("utf-8", "backslashreplace")
                    raise TextError(
                        f"token {position} {text!r} is not a piece of this model: name the model that wrote the "
                        "pieces. A line of text needs no decoding; 'spm-lite encode' turns it into pieces"
                    )
            ids.append(piece_id)
        return ids

    def _is_spellable(self, token: bytes) -> bool:
        """Whether a token that is no piece has a character that is one: `encode` would have cut it there.

        Models of words are different: there all of a word is unknown.
        """
        if self._tok.model_type in WHOLE_WORDS:
            return False
        return any(
            char in self._tok and self._tok.piece_type(self._tok.piece_to_id(char)) == "normal"
            for char in token.decode("utf-8", "surrogateescape")
        )

    def notes(self) -> list[str]:
        """What to say after all: whether another model wrote the pieces."""
        tokens = [
            token.decode("utf-8", "backslashreplace") for token, is_foreign in self._spellable.items() if is_foreign
        ]
        if not tokens:
            return []
        return [
            f"{len(tokens):,} different tokens, such as {tokens[0]!r:.40}, are no pieces of this model, which would "
            "cut them: they are taken for unknown text. If another model wrote the pieces, name that one"
        ]

    def _as_bytes(self, text: str, ids: list[int], line: bytes) -> bytes:
        """The text as bytes. Decoded from the pieces if one is unknown, from the ids if it may not be UTF-8."""
        if self._unknown_allowed and self._tok.unk_id in ids:
            return self._tok._decoder.decode_pieces(pieces_in(line), True)
        return self._tok.decode_bytes(ids) if "\ufffd" in text else text.encode("utf-8")


def pieces_in(line: bytes) -> list[bytes]:
    """The tokens between single spaces, with their escapes undone; [] for an empty line."""
    tokens = line.removesuffix(b"\r").split(b" ") if line else []  # pieces hold no CR: it is written with an escape
    return list(map(unescape, tokens)) if b"\\x" in line else tokens


def parse_ids(line: bytes, vocab_size: int) -> list[int]:
    """`12 7 3` -> [12, 7, 3]. Raises IdError or TextError that names the token."""
    line = line.removesuffix(b"\r")  # an id file edited on Windows, for example; ids hold no CR
    if not line:
        return []
    tokens = line.split(b" ")
    if not line.translate(None, b"0123456789 "):  # int() alone would accept `+1` and `1_0`
        with contextlib.suppress(ValueError):  # raised for an empty token, or thousands of digits
            ids = list(map(int, tokens))
            if max(ids) < vocab_size:
                return ids
    raise first_error(tokens, vocab_size)


def first_error(tokens: list[bytes], vocab_size: int) -> IdError | TextError:
    """The error about the first bad token of a line."""
    for position, token in enumerate(tokens, 1):
        text = token.decode("utf-8", "backslashreplace")
        if not token:
            return TextError(f"token {position} is empty; ids are separated by single spaces")
        if not token.isdigit():
            return TextError(f"token {position} {text!r} is not an id (for pieces: --input-format piece)")
        if len(token) > 10 or int(token) >= vocab_size:
            return IdError(
                f"token {position}: id {text:.20} is not below the vocabulary size {vocab_size}; another model?"
            )
    raise AssertionError("a line without a bad token")
