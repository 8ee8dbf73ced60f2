"""The Arrow C data interface by hand, through ctypes: a producer of text columns, and a consumer of lists of ids."""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    Structure,
    c_char_p,
    c_int,
    c_int64,
    c_void_p,
    cast,
    pointer,
    py_object,
    pythonapi,
)
from itertools import pairwise
from typing import Any

INT32, INT64 = ctypes.c_int32, ctypes.c_int64


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


SchemaRelease = CFUNCTYPE(None, POINTER(Schema))
ArrayRelease = CFUNCTYPE(None, POINTER(Array))
StreamRelease = CFUNCTYPE(None, POINTER(Stream))
GetSchema = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetLastError = CFUNCTYPE(c_void_p, POINTER(Stream))

Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", SchemaRelease),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", ArrayRelease),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetLastError),
    ("release", StreamRelease),
    ("private_data", c_void_p),
]

new_capsule = PYFUNCTYPE(py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", pythonapi))
pointer_of_capsule = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))

NAMES: dict[type[Structure], ctypes.Array[Any]] = {
    Schema: ctypes.create_string_buffer(b"arrow_schema"),
    Array: ctypes.create_string_buffer(b"arrow_array"),
    Stream: ctypes.create_string_buffer(b"arrow_array_stream"),
}


def capsule(struct: Structure) -> Any:
    """A capsule without destructor: what the consumer does not release stays."""
    return new_capsule(ctypes.addressof(struct), ctypes.addressof(NAMES[type(struct)]), None)


def of_capsule(found: Any, kind: type[Structure]) -> Any:
    """The struct of a capsule."""
    return cast(pointer_of_capsule(found, NAMES[kind].value), POINTER(kind)).contents


def packed(kind: Any, values: list[int]) -> ctypes.Array[Any]:
    """A buffer of integers."""
    return (kind * max(1, len(values)))(*values)


class Producer:
    """One column; any field of its structs can be set to something wrong. Counts what was released.

    buffers: ctypes arrays, or None for NULL.
    """

    def __init__(self, form: bytes | None, buffers: list[Any], length: int, **fields: Any) -> None:
        self.released: list[str] = []
        self._keep = buffers
        addresses = [None if buffer is None else ctypes.addressof(buffer) for buffer in buffers]
        self._pointers = (c_void_p * max(1, len(addresses)))(*addresses)
        self.schema = Schema(format=form, release=SchemaRelease(self._release_schema))
        self.array = Array(
            length=length,
            n_buffers=len(buffers),
            buffers=self._pointers,
            release=ArrayRelease(self._release_array),
        )
        for name, value in fields.items():
            owner, _, field = name.partition("_")
            setattr(getattr(self, owner), field, value)

    def _release_schema(self, struct: Any) -> None:
        self.released.append("schema")
        struct.contents.release = SchemaRelease()

    def _release_array(self, struct: Any) -> None:
        self.released.append("array")
        struct.contents.release = ArrayRelease()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return capsule(self.schema), capsule(self.array)


class StreamProducer:
    """Columns one after the other. fails_at: the number of the call that gives error 5."""

    def __init__(self, columns: list[Producer], fails_at: int = -1, reason: bytes | None = b"no more") -> None:
        self.columns = columns
        self.given = 0
        self.is_released = False
        self._fails_at = fails_at
        self._reason = None if reason is None else ctypes.create_string_buffer(reason)
        self.stream = Stream(
            get_schema=GetSchema(self._get_schema),
            get_next=GetNext(self._get_next),
            get_last_error=GetLastError(lambda stream: self._reason and ctypes.addressof(self._reason)),
            release=StreamRelease(self._release),
        )

    def _get_schema(self, stream: Any, out: Any) -> int:
        if self._fails_at == 0:
            return 5
        ctypes.memmove(out, ctypes.addressof(self.columns[0].schema), ctypes.sizeof(Schema))
        return 0

    def _get_next(self, stream: Any, out: Any) -> int:
        self.given += 1
        if self.given == self._fails_at:
            return 5
        if self.given > len(self.columns):
            out.contents.release = ArrayRelease()
            return 0
        ctypes.memmove(out, ctypes.addressof(self.columns[self.given - 1].array), ctypes.sizeof(Array))
        return 0

    def _release(self, stream: Any) -> None:
        self.is_released = True
        stream.contents.release = StreamRelease()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule(self.stream)


def strings(form: bytes, texts: list[bytes], offset: int = 0) -> Producer:
    """A column of `texts` after `offset` others, in any of the layouts."""
    every = [b"before"] * offset + texts
    if form in (b"vu", b"vz"):
        long = [text for text in every if len(text) > 12]
        data = ctypes.create_string_buffer(b"".join(long))
        views, place = b"", 0
        for text in every:
            views += len(text).to_bytes(4, "little")
            if len(text) <= 12:
                views += text.ljust(12, b"\0")
                continue
            views += text[:4] + (0).to_bytes(4, "little") + place.to_bytes(4, "little")
            place += len(text)
        buffers = [None, ctypes.create_string_buffer(views), data, packed(INT64, [place])]
        return Producer(form, buffers, len(texts), array_offset=offset)
    bounds = [0]
    for text in every:
        bounds.append(bounds[-1] + len(text))
    kind = INT32 if form in (b"u", b"z") else INT64
    return Producer(
        form,
        [None, packed(kind, bounds), ctypes.create_string_buffer(b"".join(every))],
        len(texts),
        array_offset=offset,
    )


class Values:
    """A column of int32, moved out of another."""

    def __init__(self, theirs: Any) -> None:
        self._array = Array()
        ctypes.memmove(pointer(self._array), pointer(theirs), ctypes.sizeof(Array))
        theirs.release = ArrayRelease()

    def to_list(self) -> list[int]:
        """What the column holds."""
        return list((INT32 * self._array.length).from_address(self._array.buffers[1]))

    def release(self) -> None:
        """Give it back."""
        self._array.release(pointer(self._array))


class Lists:
    """A column of lists of int32 with int64 bounds, taken over from its producer; `release` gives it back."""

    def __init__(self, source: Any) -> None:
        schema, array = source.__arrow_c_array__()
        self._schema, self._array = Schema(), Array()
        for own, given, kind in ((self._schema, schema, Schema), (self._array, array, Array)):
            theirs = of_capsule(given, kind)
            ctypes.memmove(pointer(own), pointer(theirs), ctypes.sizeof(kind))
            theirs.release = kind._fields_[-2][1]()  # moved
        self.formats = [self._schema.format, self._schema.children[0].contents.format]
        self.child_name = self._schema.children[0].contents.name

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the ids, and of their bounds."""
        return self._array.children[0].contents.buffers[1], self._array.buffers[1]

    def to_lists(self) -> list[list[int]]:
        """What the column holds."""
        child, n = self._array.children[0].contents, self._array.length
        assert self._array.null_count == child.null_count == self._array.offset == child.offset == 0
        assert (self._array.n_buffers, child.n_buffers, self._array.n_children, child.n_children) == (2, 2, 1, 0)
        bounds = (INT64 * (n + 1)).from_address(self._array.buffers[1])
        ids = (INT32 * child.length).from_address(child.buffers[1]) if child.length else []
        return [list(ids[begin:end]) for begin, end in pairwise(bounds)]

    def take_values(self) -> Values:
        """The ids, moved out of the lists."""
        return Values(self._array.children[0].contents)

    def release(self) -> None:
        """Give both structs back."""
        self._schema.release(pointer(self._schema))
        self._array.release(pointer(self._array))
        assert not self._schema.release
        assert not self._array.release
