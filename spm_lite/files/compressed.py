"""Compressed files: gzip, bzip2, xz and zstd, told by their first bytes, are read as what they hold."""

from __future__ import annotations

import stat
from collections.abc import Callable

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError
from spm_lite.files.remote import AnyFile

if TYPE_CHECKING:
    from typing import Any, BinaryIO


class DamagedData(FileError):
    """Compressed data that end too early or are damaged; what stood before was read."""

    __module__ = "spm_lite"
    __qualname__ = "FileError"


SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
SIGNATURES = {  # the first bytes of compressed data: their kind
    b"\x1f\x8b": "gzip",
    **{b"BZh%d%b" % (level, mark): "bzip2" for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")},
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
READ_SIZE = 1 << 20  # bytes of one read, at most
START_BYTES = 10  # that tell the kind
SMALL_READ = 1 << 10  # bytes
FRAME_BYTES = 1 << 16  # of compressed data that are read at once


def open_unpacked(path: AnyFile) -> BinaryIO:
    """Open a file; of a compressed one, `read` gives what it holds. Raises OSError, and FileError for damaged data.

    Only regular files are looked at: a pipe gives its beginning once.
    """
    raw = path.open("rb", buffering=0)
    try:
        kind = kind_of(raw, path.name)
        return raw if kind is None else Unpacked(opener_of(kind, path), raw, path, kind)  # type: ignore[return-value]
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
        return None
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

        return lambda raw: Streams(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ))
    try:
        import zstandard
    except ImportError:
        raise FileError(
            f"{str(path)!r} is zstd data and needs the package zstandard: pip install 'spm_lite[io]', or pip "
            "install zstandard"
        ) from None
    return lambda raw: ZstdFrames(raw, zstandard)


class Unpacked:
    """What a compressed file holds. Damaged data are a FileError that names the file."""

    def __init__(self, opener: Callable[[Any], Any], raw: Any, path: AnyFile, kind: str) -> None:
        self._opener = opener
        self._stream = opener(raw)
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
        except FileError:
            raise
        except Exception as error:  # of the module that unpacks: each has kinds of its own
            if isinstance(error, OSError) and error.errno is not None:
                raise
            self._error = self._damaged(str(error))
            data = self._before_damage()
            if not data:
                raise self._error from None
        self._n_read += len(data)
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
        except Exception:  # the same damage
            pass
        return b"".join(found)

    def _damaged(self, reason: str) -> DamagedData:
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
    """The content of one or more frames of zstd. An end within a frame is an error: zstandard's reader says nothing."""

    def __init__(self, raw: Any, zstandard: Any) -> None:
        self._raw = raw
        self._zstandard = zstandard
        self._frame: Any = None
        self._rest = b""  # compressed data after a frame that has ended
        self._ready = b""  # unpacked data that no `read` has returned

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; b"" at the end. Raises EOFError, or a ZstdError."""
        while not self._ready:
            data, self._rest = self._rest or self._raw.read(FRAME_BYTES), b""
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends within a frame")
                return b""
            if self._frame is None:
                self._frame = self._zstandard.ZstdDecompressor().decompressobj()
            self._ready = self._frame.decompress(data)
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        """Forget what was read."""
        self._ready = self._rest = b""
