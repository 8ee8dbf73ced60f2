"""Rank files of tiktoken: a line for each piece, the base64 of its bytes, a space and its rank, which is its id."""

from __future__ import annotations

import binascii
import codecs
import sys

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.formats.ranks.rank_lines import usual_ranks
from spm_lite.formats.ranks.rank_table import RankTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_PIECE = 7999  # bytes, of a piece of a model
MOST_HOLES = 100_000  # missing ranks
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def rank_lines(pieces: Mapping[int, bytes]) -> bytes:
    """The content of a .tiktoken file: base64 and rank, one piece a line. pieces: rank -> bytes, in rising order."""
    return b"".join(b"%s %d\n" % (binascii.b2a_base64(piece, newline=False), rank) for rank, piece in pieces.items())


def read_ranks(data: bytes, name: str) -> RankTable:
    """The pieces of a file by rank. A rank may be missing. Raises ModelError, naming the wrong line.

    name: the file's name in messages.
    """
    found = usual_ranks(data) or RankTable(read_lines(data, name))
    n_missing = found.last + 1 - len(found)
    if n_missing > MOST_HOLES:
        raise ModelError(f"{name}: of the ranks 0 to {found.last}, {n_missing} are missing")
    pieces = found.values()
    for byte in range(256):
        if bytes([byte]) not in pieces:
            raise ModelError(f"{name}: the byte 0x{byte:02X} has no rank, and byte-level BPE needs one for every byte")
    return found


def from_base64(text: str | bytes) -> bytes:
    """The bytes of a text in base64. Raises ValueError for any other sign, and for wrong padding.

    >>> from_base64("YWI=")
    b'ab'
    """
    if sys.version_info >= (3, 11):
        return binascii.a2b_base64(text, strict_mode=True)
    data = text.encode("ascii") if isinstance(text, str) else text  # UnicodeEncodeError is a ValueError
    signs = data.rstrip(b"=")
    if len(data) % 4 or len(data) - len(signs) > 2 or signs.translate(None, BASE64):
        raise binascii.Error("only signs of base64 and one padding at the end are allowed")
    return binascii.a2b_base64(data)


def read_lines(data: bytes, name: str) -> dict[int, bytes]:
    """The pieces by rank, with an error that names the line if one is invalid: for files of an unusual form."""
    found: dict[int, bytes] = {}
    lines: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        text, _, rank = line.partition(b" ")
        try:
            piece = from_base64(text)
        except ValueError as error:
            if line.startswith(codecs.BOM_UTF8):
                raise ModelError(f"{name} begins with a mark of byte order: save it without") from None
            raise ModelError(
                f"{name}, line {number}: {line[:60]!r} is not base64, a space and a rank ({error})"
            ) from None
        if not rank.isdigit() or len(rank) > 9:
            raise ModelError(f"{name}, line {number}: the rank {rank[:40]!r} is not a number 0..999999999")
        if not 1 <= len(piece) <= MAX_PIECE:
            raise ModelError(f"{name}, line {number}: a piece of {len(piece)} bytes; 1 to {MAX_PIECE} are allowed")
        if int(rank) in found:
            raise ModelError(f"{name}, line {number}: rank {int(rank)} occurs twice")
        if piece in lines:
            raise ModelError(f"{name}, line {number}: the piece {piece!r:.60} is also in line {lines[piece]}")
        found[int(rank)] = piece
        lines[piece] = number
    if not found:
        raise ModelError(f"{name}: there are no ranks: it has {len(data)} bytes, and no line with base64 and a rank")
    return found


def check_reachable(pieces: Sequence[bytes], what: str) -> None:
    """Raise OptionError if a piece is not what merging makes of its own bytes: tiktoken would find it all the same.

    pieces: in the order of their ranks. what: the source of the pieces in messages.
    """
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    for rank, piece in enumerate(pieces):
        if len(piece) > 1 and len(merge_parts(piece, ranks, rank)) != 2:
            raise OptionError(
                f"{what}: merges of lower ranks do not join the bytes of the piece {rank}, {piece!r:.60}, to two "
                "parts. tiktoken takes such a piece where it is a whole chunk, so ids would differ"
            )
