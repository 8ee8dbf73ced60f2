"""The tokens of a text for people: the text of each, and which of them make a character together."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.kinds import BYTE, NORMAL, UNKNOWN
from spm_lite.pictures.signs import with_signs

if TYPE_CHECKING:
    from spm_lite.tokenizer.encoding import EncodingMethods

MOST_PARTS = 8  # tokens in a group


class Token(NamedTuple):
    """One id of a text."""

    piece_id: int  # -1: unknown, in a model without an unknown piece
    text: bytes  # the piece, or the text that is unknown; of a byte piece the byte
    kind: int  # type of the piece
    begin: int  # the part of the text as given that it stands for, byte offsets; half-open
    end: int

    @property
    def size(self) -> int:
        """The bytes of text that it covers."""
        return self.end - self.begin


class Group(NamedTuple):
    """Tokens that are shown together: one whose piece is text, or those whose bytes make characters together."""

    shown: str  # the text, with a sign for everything invisible
    tokens: tuple[Token, ...]
    is_in_bytes: bool  # the tokens are bytes of the text, without text of their own

    @property
    def is_unknown(self) -> bool:
        """Whether no piece covers the text."""
        return self.tokens[0].kind == UNKNOWN


def tokens_of(tok: EncodingMethods, text: str | bytes, limit: int | None = None) -> list[Token]:
    """The tokens of a text, one for each id of `encode`. limit: the number of tokens to return at most."""
    vocab = tok._encoder.vocab
    found = tok._encoder.encode_text(text)
    if limit is not None:
        found.shorten(limit)
    tokens = []
    given = text if isinstance(text, bytes) else text.encode()
    parts = zip(found.ids(), found.pieces(), found.byte_offsets(), strict=True)
    for piece_id, piece, (begin, end) in parts:
        kind = vocab.type(piece_id) if piece_id >= 0 else UNKNOWN
        if kind == BYTE:
            piece = bytes([int(piece[3:5], 16)])
        elif vocab.is_bytes:
            piece = vocab.text(piece_id)  # in which a space is a space
        elif kind == UNKNOWN and vocab.word_rules is not None:
            piece = given[begin:end].strip()  # a word of WordPiece has no spaces
        tokens.append(Token(piece_id, piece, kind, begin, end))
    return tokens


def groups_of(tok: EncodingMethods, tokens: Iterable[Token]) -> Iterator[Group]:
    """Yield the tokens in groups."""
    vocab = tok._encoder.vocab
    has_space_mark = not vocab.is_bytes and vocab.word_rules is None
    has_mark_in_bytes = has_space_mark and not tok._file.lossless  # byte pieces of U+2581 are decoded to a space
    pending: list[Token] = []
    for token in tokens:
        may_be_part = token.kind == BYTE or (vocab.is_bytes and token.kind == NORMAL)
        if pending and not (may_be_part and 0x80 <= token.text[0] < 0xC0 and len(pending) < MOST_PARTS):
            yield from broken(pending, has_mark_in_bytes)
            pending = []
        if may_be_part:
            pending.append(token)
            if not ends_in_a_character([part.text for part in pending]):
                yield group_of_bytes(pending, has_mark_in_bytes)
                pending = []
        else:
            yield Group(with_signs(token.text.decode("utf-8", "surrogateescape"), has_space_mark), (token,), False)
    yield from broken(pending, has_mark_in_bytes)


def ends_in_a_character(parts: list[bytes]) -> bool:
    """Whether bytes end within a character that more bytes can complete."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for part in parts:
        decoder.decode(part)
    return bool(decoder.getstate()[0])


def group_of_bytes(parts: list[Token], has_space_mark: bool) -> Group:
    """The group of tokens whose bytes are text together. has_space_mark: U+2581 is a space in it."""
    text = b"".join(part.text for part in parts).decode("utf-8", "surrogateescape")
    is_text = len(parts) == 1 and parts[0].kind != BYTE and not any("\udc80" <= char <= "\udcff" for char in text)
    return Group(with_signs(text, has_space_mark), tuple(parts), not is_text)


def broken(parts: list[Token], has_space_mark: bool) -> Iterator[Group]:
    """Yield tokens whose bytes end within a character, each alone."""
    for part in parts:
        yield group_of_bytes([part], has_space_mark)
