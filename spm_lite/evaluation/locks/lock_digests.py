"""What a lock keeps of ids, texts and pieces: short digests, a grid of them, and ids that are packed.

A digest is the beginning of BLAKE2b. Two bytes tell which item differs, sixteen whether any does.
"""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isqrt
from typing import Any

SHORT, WHOLE = 2, 16  # bytes of a digest


def digest(data: bytes, size: int = WHOLE) -> bytes:
    """The first bytes of the digest of some bytes."""
    return blake2b(data, digest_size=size).digest()


def joined_bytes(items: Iterable[bytes]) -> bytes:
    """Items one after the other, each after its length, so that no others join to the same bytes."""
    return b"".join(b"%d:%b" % (len(item), item) for item in items)


def bytes_of(outcome: Any) -> bytes:
    """Ids, or a text, as bytes. No text has the bytes of ids, which have their number before them."""
    if isinstance(outcome, str):
        return b"t" + outcome.encode("utf-8", "surrogatepass")
    ids = array("I", outcome)
    if sys.byteorder == "big":
        ids.byteswap()
    return b"%d:%b" % (len(ids), ids.tobytes())


def short_digests(items: Iterable[bytes]) -> bytes:
    """The short digests of items, one after the other."""
    return b"".join(digest(item, SHORT) for item in items)


def differing_places(ours: bytes, theirs: bytes) -> list[int]:
    """Where two rows of short digests differ."""
    n = max(len(ours), len(theirs)) // SHORT
    return [i for i in range(n) if ours[SHORT * i : SHORT * i + SHORT] != theirs[SHORT * i : SHORT * i + SHORT]]


@dataclass(frozen=True)
class Grid:
    """Digests of items in rows and columns: an item that differs changes its row and its column.

    n: items. rows, columns: short digests. whole: the digest of all.
    """

    n: int
    rows: bytes
    columns: bytes
    whole: bytes

    @classmethod
    def of(cls, items: Sequence[bytes], n: int | None = None) -> Grid:
        """The grid of some items. n: how many a grid has that this one is compared with; None: so many as there are."""
        n = len(items) if n is None else n
        known = [*items[:n], *([b""] * (n - len(items)))]
        side = isqrt(max(n - 1, 0)) + 1
        rows = (known[begin : begin + side] for begin in range(0, n, side))
        columns = (known[begin::side] for begin in range(min(side, n)))
        return cls(
            len(items),
            short_digests(map(joined_bytes, rows)),
            short_digests(map(joined_bytes, columns)),
            digest(joined_bytes(items)),
        )

    def differing(self, other: Grid) -> list[int]:
        """The items that may differ from those of a grid of the same shape; of several, some others are among them."""
        side = isqrt(max(self.n - 1, 0)) + 1
        columns = differing_places(self.columns, other.columns)
        return [
            number
            for row in differing_places(self.rows, other.rows)
            for number in (row * side + column for column in columns)
            if number < self.n
        ]


def pack(lists: Iterable[Sequence[int]]) -> str:
    """Lists of numbers as a text: lengths and numbers as in protobuf, compressed, in base 64."""
    data = bytearray()
    for numbers in lists:
        for number in (len(numbers), *numbers):
            while number >= 0x80:
                data.append(number & 0x7F | 0x80)
                number >>= 7
            data.append(number)
    return base64.b64encode(zlib.compress(bytes(data), 9)).decode()


def unpack(text: str, n_lists: int | None, most: int) -> list[list[int]]:
    """The lists of `pack`. n_lists: None: any number. most: bytes that they may take. Raises ValueError for others."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(base64.b64decode(text, validate=True), most)
    except zlib.error as error:
        raise ValueError(f"the compressed ids are damaged: {error}") from None
    if not unpacker.eof:
        raise ValueError(f"the compressed ids are cut off, or more than {most} bytes")
    numbers: list[int] = []
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
        elif shift > 28:
            raise ValueError("an id has more than 32 bits")
    found: list[list[int]] = []
    pos = 0
    while pos < len(numbers):
        found.append(numbers[pos + 1 : pos + 1 + numbers[pos]])
        pos += 1 + numbers[pos]
    if n_lists not in (None, len(found)) or pos != len(numbers) or shift:
        raise ValueError(f"there are {len(found)} lists of ids where {n_lists} are expected")
    return found
