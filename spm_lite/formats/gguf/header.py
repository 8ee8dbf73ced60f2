"""The header of a GGUF file: pairs of names and values, checked against the size of the file, and written.

All numbers are little-endian. Tensors are neither read nor mapped. Source of the layout: the GGUF specification,
versions 2 and 3.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from spm_lite.errors import ModelError
from spm_lite.files.open_files import typed

MAGIC = b"GGUF"
VERSIONS = (2, 3)
STRING, ARRAY, BOOL = 8, 9, 7
UINT32, INT32, FLOAT32, UINT8, INT8 = 4, 5, 6, 0, 1
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}  # type -> struct
KEPT = ("tokenizer.ggml.", "general.alignment", "general.architecture")  # beginnings of the names that are kept
MOST_PAIRS = 1 << 20
MOST_NAME = 1 << 16  # bytes
MOST_ITEMS = 1 << 23  # of an array that is kept
MOST_VALUE = 1 << 28  # bytes of a value that is kept
BLOCK = 1 << 20


@dataclass(frozen=True)
class Value:
    """A value with its type; of an array, with the type of its items."""

    kind: int
    value: Any
    item_kind: int | None = None


@dataclass(frozen=True)
class Header:
    """The pairs that are kept, and where the parts of the file stand, in bytes."""

    version: int
    n_tensors: int
    n_pairs: int
    pairs: dict[str, Value]
    spans: dict[str, tuple[int, int]]  # of all pairs, also of those that are not kept
    tensors_at: int  # where the descriptions of tensors begin
    data_at: int  # where the tensors begin; the end of a file without any


class Cursor:
    """Reads a file from the front, and never beyond its end."""

    def __init__(self, file: BinaryIO, size: int, name: str) -> None:
        self.file, self.size, self.name = file, size, name
        self.place = 0

    def read(self, n: int, what: str) -> bytes:
        """The next bytes. Raises ModelError if there are not so many."""
        if n > self.size - self.place:
            raise ModelError(
                f"{self.name}: {what} at byte {self.place} takes {n} bytes, and the file ends at {self.size}: it is "
                "damaged or cut off"
            )
        data = self.file.read(n)
        if len(data) != n:
            raise ModelError(f"{self.name}: it became shorter while it was read")
        self.place += n
        return data

    def skip(self, n: int, what: str) -> None:
        """Pass over bytes."""
        if n > self.size - self.place:
            self.read(n, what)
        self.file.seek(n, os.SEEK_CUR)
        self.place += n

    def number(self, form: str, what: str) -> Any:
        """A number; form: as in struct."""
        return struct.unpack(f"<{form}", self.read(struct.calcsize(f"<{form}"), what))[0]

    def string(self, what: str, most: int | None = None) -> bytes:
        """A string, at most `most` bytes long."""
        n = self.number("Q", f"the length of {what}")
        if most is not None and n > most:
            raise ModelError(
                f"{self.name}: {what} has {n} bytes, more than {most}: it is not a GGUF file, or it is damaged"
            )
        return self.read(n, what)


def read_header(path: str | os.PathLike[str]) -> Header:
    """The header of a file. Raises FileError if it cannot be read, ModelError if it is damaged or of another kind."""
    name = os.fspath(path)
    try:
        with open(path, "rb", buffering=BLOCK) as file:  # noqa: PTH123
            return parse(Cursor(file, os.fstat(file.fileno()).st_size, name))
    except OSError as error:
        raise typed(error, path, "read") from error


def header_of_bytes(data: bytes, name: str) -> Header:
    """The header of a file in memory."""
    return parse(Cursor(io.BytesIO(data), len(data), name))


def parse(cursor: Cursor) -> Header:
    """The header that a cursor stands before."""
    name = cursor.name
    if cursor.size < 24 or cursor.read(4, "the magic") != MAGIC:
        raise ModelError(f"{name} is not a GGUF file: it does not begin with {MAGIC.decode()}")
    version = cursor.number("I", "the version")
    if version not in VERSIONS:
        is_big = version & 0xFFFF == 0
        what = "its numbers are big-endian" if is_big else f"it has version {version} of GGUF"
        read = "little-endian ones" if is_big else " and ".join(map(str, VERSIONS))
        raise ModelError(f"{name}: {what}, but spm_lite reads {read}")
    n_tensors, n_pairs = cursor.number("Q", "the number of tensors"), cursor.number("Q", "the number of pairs")
    if n_pairs > min(MOST_PAIRS, cursor.size // 13) or n_tensors > cursor.size // 24:
        raise ModelError(f"{name}: {n_pairs} pairs and {n_tensors} tensors do not fit into {cursor.size} bytes")
    pairs: dict[str, Value] = {}
    spans: dict[str, tuple[int, int]] = {}
    for _ in range(n_pairs):
        begin = cursor.place
        key = cursor.string("a name", MOST_NAME).decode("utf-8", "replace")
        if key in spans:
            raise ModelError(f"{name}: {key!r:.60} occurs twice")
        kind = cursor.number("I", f"the type of {key!r:.60}")
        value = read_value(cursor, kind, f"{key!r:.60}", key.startswith(KEPT))
        if value is not None:
            pairs[key] = value
        spans[key] = (begin, cursor.place)
    tensors_at = cursor.place
    for _ in range(n_tensors):
        cursor.string("the name of a tensor", MOST_NAME)
        n_dimensions = cursor.number("I", "the number of dimensions of a tensor")
        cursor.skip(8 * n_dimensions + 12, "the description of a tensor")
    align = alignment(pairs, name)
    data_at = min(-(-cursor.place // align) * align, cursor.size) if n_tensors else cursor.place
    return Header(version, n_tensors, n_pairs, pairs, spans, tensors_at, data_at)


def alignment(pairs: Mapping[str, Value], name: str) -> int:
    """The alignment of tensors, in bytes."""
    found = pairs.get("general.alignment")
    value = found.value if found is not None else 32
    if not isinstance(value, int) or not 0 < value <= 1 << 20 or value & (value - 1):
        raise ModelError(f"{name}: general.alignment is {value!r:.40}, not a power of two up to 2^20")
    return value


def read_value(cursor: Cursor, kind: int, what: str, is_kept: bool) -> Value | None:
    """A value; None if it is not kept, so that it was passed over."""
    if kind == STRING:
        if is_kept:
            return Value(kind, cursor.string(what, MOST_VALUE))
        cursor.skip(cursor.number("Q", f"the length of {what}"), what)
        return None
    if kind == ARRAY:
        return read_array(cursor, what, is_kept)
    if kind not in NUMBERS:
        raise ModelError(f"{cursor.name}: {what} has the unknown type {kind}")
    if is_kept:
        return Value(kind, cursor.number(NUMBERS[kind], what))
    cursor.skip(size_of(kind), what)
    return None


def size_of(kind: int) -> int:
    """The bytes of a number."""
    return struct.calcsize(f"<{NUMBERS[kind]}")


def read_array(cursor: Cursor, what: str, is_kept: bool) -> Value | None:
    """An array of numbers or strings. A tokenizer has no arrays of arrays."""
    kind, n = cursor.number("I", f"the item type of {what}"), cursor.number("Q", f"the length of {what}")
    if kind == STRING:
        if n > (cursor.size - cursor.place) // 8:
            raise ModelError(f"{cursor.name}: {what} has {n} strings, more than fit into the file")
        if is_kept:
            check_room(cursor, n, 0, what)
            return Value(ARRAY, read_strings(cursor, n, what), kind)
        for _ in range(n):
            cursor.skip(cursor.number("Q", f"the length of an item of {what}"), what)
        return None
    if kind not in NUMBERS:
        raise ModelError(f"{cursor.name}: {what} is an array of type {kind}, which a tokenizer does not have")
    n_bytes = n * size_of(kind)
    if not is_kept:
        cursor.skip(n_bytes, what)
        return None
    check_room(cursor, n if kind != UINT8 else 0, n_bytes, what)
    data = cursor.read(n_bytes, what)
    if kind == UINT8:
        return Value(ARRAY, data, kind)
    return Value(ARRAY, list(struct.unpack(f"<{n}{NUMBERS[kind]}", data)), kind)


def read_strings(cursor: Cursor, n: int, what: str) -> list[bytes]:
    """Strings one after the other, in bounded memory."""
    begin, found = cursor.place, []
    for _ in range(n):
        found.append(cursor.string(f"an item of {what}", MOST_VALUE))
        check_room(cursor, n, cursor.place - begin, what)
    return found


def check_room(cursor: Cursor, n_items: int, n_bytes: int, what: str) -> None:
    """Raise ModelError for a value that no tokenizer needs, before it takes memory."""
    if n_items > MOST_ITEMS or n_bytes > MOST_VALUE:
        raise ModelError(
            f"{cursor.name}: {what} has {n_items} items of {n_bytes} bytes; spm_lite reads at most {MOST_ITEMS} items "
            f"and {MOST_VALUE} bytes of a value"
        )


def pair_bytes(key: str, value: Value) -> bytes:
    """A pair as it stands in a file."""
    return string_bytes(key.encode()) + struct.pack("<I", value.kind) + WRITERS.get(value.kind, number_bytes)(value)


def string_bytes(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def number_bytes(value: Value) -> bytes:
    return struct.pack(f"<{NUMBERS[value.kind]}", value.value)


def array_bytes(value: Value) -> bytes:
    head = struct.pack("<IQ", value.item_kind, len(value.value))
    if value.item_kind == STRING:
        return head + b"".join(map(string_bytes, value.value))
    if value.item_kind == UINT8:
        return head + bytes(value.value)
    return head + struct.pack(f"<{len(value.value)}{NUMBERS[value.item_kind or 0]}", *value.value)


WRITERS: dict[int, Callable[[Value], bytes]] = {STRING: lambda value: string_bytes(value.value), ARRAY: array_bytes}


def header_bytes(pairs: Mapping[str, Value]) -> bytes:
    """A file without tensors."""
    head = MAGIC + struct.pack("<IQQ", VERSIONS[-1], 0, len(pairs))
    return head + b"".join(pair_bytes(key, value) for key, value in pairs.items())


def text(value: bytes) -> Value:
    return Value(STRING, value)


def flag(value: bool) -> Value:
    return Value(BOOL, value)


def whole(value: int) -> Value:
    return Value(UINT32, value)
