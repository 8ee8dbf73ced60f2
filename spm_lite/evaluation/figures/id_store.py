"""The ids of a source, in memory as long as they are few, else in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from spm_lite.errors import FileError

if TYPE_CHECKING:
    from io import FileIO

    from numpy.typing import NDArray

IN_MEMORY = 1 << 26  # bytes of ids; more are written to a file
AT_ONCE = 1 << 20  # ids that are read together
MOST_TEXTS = 1 << 17  # whose ids are read together


class IdStore:
    """Keeps ids in order. The file has no name where the system allows it, so that not even a killed process leaves it.

    limit: bytes of text whose ids are kept; None: all.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.n = 0
        self.parts: list[NDArray[np.int32]] = []
        self.file: FileIO | None = None

    def append(self, ids: NDArray[np.int32]) -> None:
        """Add the ids of the next texts. Raises FileError if the temporary file has no room."""
        self.n += len(ids)
        if self.file is None:
            self.parts.append(ids)
            if 4 * self.n > IN_MEMORY:
                self.file = tempfile.TemporaryFile(prefix="spm_lite-", buffering=0)  # noqa: SIM115  (`close` does)
                for part in self.parts:
                    self._write(part)
                self.parts = []
        else:
            self._write(ids)

    def _write(self, ids: NDArray[np.int32]) -> None:
        assert self.file is not None
        rest = np.ascontiguousarray(ids).data.cast("B")
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
        except OSError as error:
            folder = tempfile.gettempdir()
            reason = (
                f"the ids of {self.n:,} tokens need {4 * self.n:,} bytes there: {error.strerror or error}. Make room, "
                "name another folder by TMPDIR, or pass a smaller ngram_bytes"
            )
            raise FileError(error.errno or 0, reason, folder) from error

    def read(self, begin: int, end: int) -> NDArray[np.int32]:
        """The ids from `begin` to `end`."""
        if self.file is not None:
            self.file.seek(4 * begin)
            data = bytearray(4 * (end - begin))
            rest = memoryview(data)
            while rest and (n := self.file.readinto(rest)):
                rest = rest[n:]
            return np.frombuffer(data, np.int32)
        if len(self.parts) > 1:
            self.parts = [np.concatenate(self.parts)]
        return self.parts[0][begin:end] if self.parts else np.zeros(0, np.int32)

    def close(self) -> None:
        """Free the memory and the file."""
        self.parts = []
        if self.file is not None:
            self.file.close()


def blocks_of(lengths: NDArray[np.int32], size: int = AT_ONCE) -> Iterator[tuple[int, int, int, int]]:
    """Yield (first text, end, first id, end) of blocks of texts with about `size` ids; a long text exceeds that.

    >>> list(blocks_of(np.array([3, 2, 9], np.int32), 4))
    [(0, 2, 0, 5), (2, 3, 5, 14)]
    """
    first = begin = 0
    while first < len(lengths):
        ends = begin + np.cumsum(lengths[first : first + MOST_TEXTS], dtype=np.int64)  # of all texts: much memory
        last = min(int(np.searchsorted(ends, begin + size)), len(ends) - 1)
        yield first, first + last + 1, begin, int(ends[last])
        first, begin = first + last + 1, int(ends[last])
