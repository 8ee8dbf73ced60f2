"""Compressed files: gzip, bzip2, xz and zstd, told by their first bytes, are read as what they hold.

One step unpacks at most READ_SIZE bytes, whatever is asked for, and keeps no window of more than MOST_WINDOW bytes.
pyarrow unpacks a record batch of Arrow at once: `sizes_of_batches` tells before that to how much.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError
from spm_lite.files.remote import AnyFile

if TYPE_CHECKING:
    from typing import Any, BinaryIO


class DamagedData(FileError):
    """Compressed data that are damaged, end too early or unpack to far too much; what stood before was read."""

    __module__ = "spm_lite"
    __qualname__ = "FileError"


SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
SIGNATURES = {  # the first bytes of compressed data: their kind
    b"\x1f\x8b": "gzip",
    **{b"BZh%d%b" % (level, mark): "bzip2" for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")},
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{b"%c\x2a\x4d\x18" % low: "zstd" for low in range(0x50, 0x60)},  # a frame to skip, as pzstd writes first
}
READ_SIZE = 1 << 20  # bytes of one read, at most
START_BYTES = 10  # that tell the kind
SMALL_READ = 1 << 10  # bytes
FRAME_BYTES = 1 << 17  # of compressed data that are read at once
MOST_WINDOW = 1 << 27  # bytes of text before a place that data may refer to: the usual limit of zstd
LEAST_BOMB = 1 << 30  # bytes; what unpacks to less is not too much, unless `max_unpacked` says so
MOST_RATIO = 500  # bytes that a byte of a larger file may unpack to; of texts it is 3 to 30
BLOCK_SIZE, BUFFER_SIZE = 24, 16  # bytes, in the footer of an Arrow file, and in a message
DICTIONARY, BATCH = 2, 3  # types of messages of Arrow
ARROW_TAIL = struct.Struct("<i6s")  # of a file: the size of its footer, and what it begins with
MESSAGE_START = struct.Struct("<Ii")  # a mark, and the size of its table
NO_MEMORY = "not enough memory"  # what libzstd says
LARGE_WINDOW = ("too much memory", "Memory usage limit")  # what libzstd and liblzma say


def open_unpacked(path: AnyFile, max_unpacked: int = 0) -> BinaryIO:
    """Open a file; of a compressed one, `read` gives what it holds. Raises OSError, and FileError for damaged data.

    max_unpacked: as in `most_unpacked`. Of pipes only standard input is looked at: others give their beginning once.
    """
    raw = path.open("rb", buffering=0)
    try:
        kind = kind_of(raw, path.name)
        return raw if kind is None else Unpacked(opener_of(kind, path), raw, path, kind, max_unpacked)  # type: ignore[return-value]
    except BaseException:
        raw.close()
        raise


def kind_of(raw: Any, name: str) -> str | None:
    """The kind of compression of a file that was just opened; None: there is none.

    name: of the file. It counts only where the file ends within the bytes that tell the kind.
    """
    import os

    try:
        is_regular = stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
    except (AttributeError, OSError):  # a file elsewhere
        is_regular = raw.seekable()
    if not is_regular:
        return kind_by_start(raw.peek(START_BYTES)) if hasattr(raw, "peek") else None
    start = raw.read(START_BYTES)
    raw.seek(0)
    return kind_by_start(start) or kind_cut_off(start, name)


def kind_by_start(start: bytes) -> str | None:
    """The kind of compression of data that begin so."""
    return next((kind for signature, kind in SIGNATURES.items() if start.startswith(signature)), None)


def kind_cut_off(data: bytes, name: str) -> str | None:
    """The kind of compression of a whole file that is cut off so early that only its name tells it from text."""
    if not 0 < len(data) < START_BYTES or not name.lower().endswith(SUFFIXES):
        return None
    return next((kind for signature, kind in SIGNATURES.items() if signature.startswith(data)), None)


def most_unpacked(given: int, n_packed: int) -> int:
    """The bytes that a file may unpack to. given: `max_unpacked`; 0: by the bytes of the file, n_packed."""
    return given or max(LEAST_BOMB, MOST_RATIO * n_packed)


def too_much(path: AnyFile, kind: str, n_packed: int, given: int) -> DamagedData:
    """The error of a file that unpacks to more than `most_unpacked` allows."""
    most = most_unpacked(given, n_packed)
    limit = f"max_unpacked={given}" if given else f"{LEAST_BOMB:,} bytes, or {MOST_RATIO} for each byte of the file"
    return DamagedData(
        f"{str(path)!r} is {kind} data of which {n_packed:,} bytes unpack to more than {most:,}, and {limit} "
        f"{'is' if given else 'are'} the most: if you trust it, unpack it, or pass max_unpacked={16 * most}"
    )


def opener_of(kind: str, path: AnyFile) -> Callable[[Any], Any]:
    """What opens a stream of compressed data. Raises FileError if that needs a package that is missing."""
    if kind == "gzip":
        import gzip

        return lambda raw: gzip.GzipFile(fileobj=raw, mode="rb")
    if kind == "bzip2":
        import bz2

        return lambda raw: Streams(raw, bz2.BZ2Decompressor)
    if kind == "xz":
        import lzma

        return lambda raw: Streams(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_WINDOW + READ_SIZE))
    try:
        import zstandard
    except ImportError:
        raise FileError(
            f"{str(path)!r} is zstd data and needs the package zstandard: pip install 'spm_lite[io]', or pip "
            "install zstandard"
        ) from None
    return lambda raw: ZstdFrames(raw, zstandard)


class Counted:
    """A file of compressed data, and how many it has, or were read where nobody knows that."""

    def __init__(self, raw: Any) -> None:
        import os

        self._raw, self._n_read = raw, 0
        try:
            self._size = os.fstat(raw.fileno()).st_size
        except (AttributeError, OSError):  # standard input, or a file elsewhere
            self._size = 0

    @property
    def n_bytes(self) -> int:
        return max(self._n_read, self._size)

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes, and count them."""
        data: bytes = self._raw.read(size)
        self._n_read += len(data)
        return data


class Unpacked:
    """What a compressed file holds. Data that are damaged or a bomb are a FileError that names the file."""

    def __init__(self, opener: Callable[[Any], Any], raw: Any, path: AnyFile, kind: str, max_unpacked: int = 0) -> None:
        self._opener, self._max_unpacked = opener, max_unpacked
        self._packed = Counted(raw)
        self._stream = opener(self._packed)
        self._n_read = 0
        self._error: DamagedData | None = None
        self._raw = raw
        self._path = path
        self._kind = kind

    def read(self, size: int = READ_SIZE) -> bytes:
        """Read up to `size` bytes; b"" at the end. Damage is an error once all that stands before it was read."""
        if size == 0:
            return b""  # a stream that is asked for nothing would not end
        if self._error is not None:
            raise self._error
        try:
            data: bytes = self._stream.read(min(size, READ_SIZE))
        except (FileError, MemoryError):
            raise
        except Exception as error:  # of the module that unpacks: each has kinds of its own
            if isinstance(error, OSError) and error.errno is not None:
                raise
            if NO_MEMORY in str(error):
                raise MemoryError(f"there is too little memory to unpack {str(self._path)!r}") from None
            self._error = self._damaged(str(error))
            data = self._before_damage()
            if not data:
                raise self._error from None
        self._n_read += len(data)
        n_over = self._n_read - most_unpacked(self._max_unpacked, self._packed.n_bytes)
        if n_over > 0:
            self._error = too_much(self._path, self._kind, self._packed.n_bytes, self._max_unpacked)
            data = data[:-n_over]
            if not data:
                raise self._error
        return data

    read1 = read

    def _before_damage(self) -> bytes:
        """What no `read` has returned yet: a large read that meets damage gives nothing."""
        found = []
        try:
            self._raw.seek(0)
            self._stream = self._opener(self._raw)
            n_before = self._n_read
            while n_before:
                n_before -= len(self._stream.read(min(n_before, READ_SIZE)))
            while part := getattr(self._stream, "read1", self._stream.read)(SMALL_READ):
                found.append(part)
        except MemoryError:
            raise
        except Exception:  # the same damage
            pass
        return b"".join(found)

    def _damaged(self, reason: str) -> DamagedData:
        if any(sign in reason for sign in LARGE_WINDOW):
            return DamagedData(
                f"{str(self._path)!r} is {self._kind} data that needs a window of more than {MOST_WINDOW >> 20} MB to "
                "be unpacked: unpack it, or compress it with a smaller window"
            )
        reason = reason[:200].rstrip(".")
        return DamagedData(
            f"{str(self._path)!r} is {self._kind} data that is damaged or cut off ({reason}): copy it or download it "
            "again"
        )

    def close(self) -> None:
        """Close the reader of the content, and the compressed file below it."""
        self._stream.close()
        self._raw.close()

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Streams:
    """The content of one or more streams of bzip2 or xz, with NULs after them.

    Anything else after a stream is an error: the readers of Python would take a damaged stream there for the end.
    """

    def __init__(self, raw: Any, new_stream: Callable[[], Any]) -> None:
        self._raw = raw
        self._new_stream = new_stream
        self._stream: Any = None
        self._rest = b""  # compressed data after a stream that has ended

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; b"" at the end. Raises EOFError, or an error of the module that unpacks."""
        while True:
            if self._stream is None:
                data = self._next_start()
                if not data:
                    return b""
                self._stream = self._new_stream()
            else:
                data = self._raw.read(FRAME_BYTES) if self._stream.needs_input else b""
                if self._stream.needs_input and not data:
                    raise EOFError("it ends within a stream")
            found: bytes = self._stream.decompress(data, size)
            if self._stream.eof:
                self._rest, self._stream = self._stream.unused_data, None
            if found:
                return found

    def _next_start(self) -> bytes:
        """The first data of the next stream; b"": there is none."""
        data, self._rest = self._rest.lstrip(b"\0"), b""
        while not data and (more := self._raw.read(FRAME_BYTES)):
            data = more.lstrip(b"\0")
        return data

    def close(self) -> None:
        """Forget what was read."""
        self._stream, self._rest = None, b""


class ZstdFrames:
    """The content of one or more frames of zstd. An end within a frame is an error: zstandard's reader says nothing.

    zstandard's `decompress` unpacks all that it is given, so that it is given a block at a time.
    """

    def __init__(self, raw: Any, zstandard: Any) -> None:
        self._raw = raw
        self._zstandard = zstandard
        self._frame: Any = None
        self._packed = b""  # compressed data that were read
        self._place = 0  # of the first of them that is in no step
        self._steps = self._all_steps()
        self._ready = b""  # unpacked data that no `read` has returned

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; b"" at the end. Raises EOFError, or a ZstdError."""
        while not self._ready:
            data = next(self._steps, b"")
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends within a frame")
                return b""
            if self._frame is None:
                self._frame = self._zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW).decompressobj()
            self._ready = self._frame.decompress(data)
            if self._frame.eof:
                self._frame = None
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def _all_steps(self) -> Iterator[bytes]:
        """Yield all compressed data in parts that unpack to one block at most, 128 KB.

        Source: RFC 8878, section 3.1. What is no frame is yielded as it is; libzstd refuses it.
        """
        while start := self._take(5):  # the magic number, and the descriptor of the frame
            yield start
            magic, descriptor = int.from_bytes(start[:4], "little"), start[-1]
            if magic & 0xFFFFFFF0 == 0x184D2A50:  # a frame to skip: its size follows the magic number
                more = self._take(3)
                yield more
                n_left = int.from_bytes(start[4:] + more, "little")
                while n_left > 0 and (data := self._take(min(n_left, FRAME_BYTES))):
                    yield data
                    n_left -= len(data)
                continue
            is_single = descriptor >> 5 & 1  # then there is no byte of the window
            size_of_content = (is_single, 2, 4, 8)[descriptor >> 6]
            yield self._take(1 - is_single + (0, 1, 2, 4)[descriptor & 3] + size_of_content)
            is_last = False
            while not is_last and (header := self._take(3)):
                value = int.from_bytes(header, "little")
                is_last = bool(value & 1)
                is_one_byte = value >> 1 & 3 == 1  # that is repeated
                self._place -= len(header)  # one slice of both is one copy less
                yield self._take(3 + (1 if is_one_byte else value >> 3))
            if descriptor & 4:
                yield self._take(4)  # the checksum

    def _take(self, size: int) -> bytes:
        """The next `size` bytes of compressed data; fewer at the end."""
        while len(self._packed) - self._place < size and (more := self._raw.read(FRAME_BYTES)):
            self._packed, self._place = self._packed[self._place :] + more, 0
        found = self._packed[self._place : self._place + size]
        self._place += len(found)
        return found

    def close(self) -> None:
        """Forget what was read."""
        self._ready = self._packed = b""


class Table:
    """A table of FlatBuffers, as "Internals" of their documentation says. Raises struct.error if it leads out."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        """place: of the reference to the table."""
        self._data = data
        self._place = place + self._integer("<I", place)
        self._fields = self._place - self._integer("<i", self._place)

    def _integer(self, form: str, place: int) -> int:
        if place < 0:
            raise struct.error
        return int(struct.unpack_from(form, self._data, place)[0])

    def place(self, number: int) -> int:
        """The place of a field; 0: it is missing."""
        at = 4 + 2 * number
        offset = self._integer("<H", self._fields + at) if at < self._integer("<H", self._fields) else 0
        return self._place + offset if offset else 0

    def integer(self, number: int, form: str) -> int:
        """An integer field; 0 if it is missing."""
        place = self.place(number)
        return self._integer(form, place) if place else 0

    def table(self, number: int) -> Table:
        """A field that is a table. Raises struct.error if it is missing."""
        place = self.place(number)
        if not place:
            raise struct.error
        return Table(self._data, place)

    def pairs(self, number: int, form: str, size: int) -> Iterator[tuple[Any, ...]]:
        """Yield what is in a field that is a vector of structs. form: of each; size: its bytes."""
        place = self.place(number)
        if not place:
            return
        place += self._integer("<I", place)
        for i in range(self._integer("<I", place)):
            yield struct.unpack_from(form, self._data, place + 4 + i * size)


def sizes_of_batches(source: Any, n_batches: int | None) -> Callable[[int], int]:
    """A function that gives the bytes to which all that is read for a record batch unpacks; 0: it is not compressed.

    source: a NativeFile of pyarrow. n_batches: of a file, whose footer says where they are; None: a stream, whose next
    messages are looked at. What is damaged counts for 0: pyarrow says what is wrong.
    """
    messages = Messages(source)
    blocks = [] if n_batches is None else messages.blocks()

    def of_file(number: int) -> int:
        places = [*(blocks[0] if number == 0 else ()), *blocks[1][number : number + 1]]
        return sum_of_sound(messages.at(place)[1] for place in places)

    def of_stream(_: int) -> int:
        here = source.tell()
        try:
            return sum_of_sound(messages.sizes_up_to_batch(here))
        finally:
            source.seek(here)  # a file that Python reads has moved

    return of_stream if n_batches is None else of_file


def sum_of_sound(sizes: Iterable[int]) -> int:
    """The sum up to the first message that is damaged: pyarrow unpacks those before it."""
    total = 0
    with suppress(struct.error, ValueError, OverflowError):  # ArrowInvalid is a ValueError
        for size in sizes:
            total += size
    return total


class Messages:
    """The messages of an Arrow file or stream, each a table of FlatBuffers and a body. Of a body little is read.

    A compressed buffer begins with its size. Raises struct.error for what stands outside of the file.
    Source: Apache Arrow, columnar format, "Serialization and Interprocess Communication".
    """

    def __init__(self, source: Any) -> None:
        self._source, self._size = source, source.size()

    def blocks(self) -> list[list[int]]:
        """The places of the dictionaries and of the record batches in a file. A damaged file has none."""
        try:
            end = self._size - ARROW_TAIL.size
            n_bytes, _ = ARROW_TAIL.unpack(self._read(ARROW_TAIL.size, end))
            footer = Table(self._read(n_bytes, end - n_bytes))
            return [[place for (place,) in footer.pairs(number, "<q", BLOCK_SIZE)] for number in (2, 3)]
        except (struct.error, ValueError, OverflowError):
            return [[], []]

    def sizes_up_to_batch(self, place: int) -> Iterator[int]:
        """Yield what messages unpack to, up to the next record batch. place: of the first of them."""
        kind = 0
        while kind != BATCH and place < self._size:
            kind, size, place = self.at(place)
            yield size

    def at(self, place: int) -> tuple[int, int, int]:
        """The type of the message at a place, the bytes to which its buffers unpack, and the place after it."""
        mark, n_bytes = MESSAGE_START.unpack(self._read(8, place))
        begin = place + (8 if mark == 0xFFFFFFFF else 4)  # the mark came with version 0.15
        body = begin + (n_bytes if mark == 0xFFFFFFFF else mark)
        found = Table(self._read(body - begin, begin))
        kind, end = found.integer(1, "<B"), body + found.integer(3, "<q")
        if kind not in (DICTIONARY, BATCH) or end < body:
            return kind, 0, max(end, body)
        batch = found.table(2)
        if kind == DICTIONARY:
            batch = batch.table(1)
        size = 0
        for offset, n_packed in batch.pairs(2, "<qq", BUFFER_SIZE) if batch.place(3) else ():
            if n_packed >= 8:
                size += max(struct.unpack("<q", self._read(8, body + offset))[0], 0)  # -1: it is stored as it is
        return kind, size, end

    def _read(self, n_bytes: int, place: int) -> bytes:
        if not 0 <= place <= place + n_bytes <= self._size:
            raise struct.error
        found: bytes = self._source.read_at(n_bytes, place)
        return found
