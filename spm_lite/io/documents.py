"""Document reader: splits files at a separator and groups the documents into blocks, whatever their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from spm_lite.errors import FileError, TextError
from spm_lite.io.corpus import check_plain
from spm_lite.io.files import typed
from spm_lite.texts.delimited_texts import Documents

READ_SIZE = 1 << 22  # bytes
MAX_SIZE = 2**31 - 1  # bytes of one document


@dataclass
class DocumentPlace:
    """The file that a run of documents in a block comes from."""

    path: Path
    first: int  # index in the block of the run's first document
    number: int  # of that document in its file, from 1


@dataclass
class DocumentBlock:
    """Some documents of one or more files."""

    separator: bytes  # b"": each file is one document
    texts: Documents = field(init=False)
    places: list[DocumentPlace] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = Documents(self.separator, MAX_SIZE)

    def name(self, index: int) -> str:
        """The name of a document in messages."""
        place = next(place for place in reversed(self.places) if place.first <= index)
        return name(place.path, self.separator, place.number + index - place.first)


def name(path: Path, separator: bytes, number: int) -> str:
    """The name of a document in messages. number: of the document in its file, from 1."""
    kind = {b"": "", b"\n": f", line {number}"}.get(separator, f", document {number}")
    return f"{str(path)!r}{kind}"


class DocumentReader:
    """Reads the documents of files in order, in blocks of about `block_size` bytes; a long document exceeds that.

    Memory: one block and the longest document. n_bytes: the bytes read so far.
    """

    def __init__(self, separator: bytes, block_size: int) -> None:
        self.n_bytes = 0
        self._separator = separator
        self._block_size = block_size
        self._block = DocumentBlock(separator)

    def blocks(self, paths: Iterable[Path]) -> Iterator[DocumentBlock]:
        """Yield all blocks. Raises FileError for an unreadable or packed file, TextError for a text of 2^31 bytes."""
        for path in paths:
            for _ in self._read(path):
                if self._block.texts.n_bytes + self._block.texts.n >= self._block_size:
                    yield self._take()
        if self._block.texts.n:
            yield self._take()

    def _take(self) -> DocumentBlock:
        block, self._block = self._block, DocumentBlock(self._separator)
        return block

    def _read(self, path: Path) -> Iterator[None]:
        """Add the documents of a file to the block; yield after each read, so that the caller can take the block."""
        number = 1
        rest = bytearray()  # the document that has not ended yet
        searched = 0
        for data in self._data(path):
            rest += data
            block = self._block
            block.places.append(DocumentPlace(path, len(block.texts), number))
            n_before = len(block.texts)
            used = self._add(rest, searched, not data)
            number += len(block.texts) - n_before
            if used:
                rest = rest[used:]
            searched = len(rest) - len(self._separator) + 1
            yield

    def _add(self, rest: bytearray, searched: int, is_end: bool) -> int:
        """Add the documents that end within `rest` to the block, and return the bytes used."""
        block = self._block
        try:
            used = block.texts.add(rest, searched, is_end)
        except TextError as error:
            raise TextError(f"{block.name(len(block.texts))}: {error}") from None
        if used == 0 and len(rest) > MAX_SIZE + len(self._separator):
            raise TextError(
                f"{block.name(len(block.texts))}: more bytes than the {MAX_SIZE} of one text: split it, or pass "
                "another separator"
            )
        return used

    def _data(self, path: Path) -> Iterator[bytes]:
        """Yield the content of a file, and b"" at its end."""
        try:
            with path.open("rb", buffering=0) as file:
                data = read(file)
                check_plain(data, path)
                while data:
                    self.n_bytes += len(data)
                    yield data
                    data = read(file)
        except FileError:
            raise
        except OSError as error:
            raise typed(error, path, "read") from error
        yield b""


def read(file: BinaryIO) -> bytes:
    """Read READ_SIZE bytes, or all that is left; a single read of a pipe gives less."""
    parts: list[bytes] = []
    wanted = READ_SIZE
    while wanted and (data := file.read(wanted)):
        parts.append(data)
        wanted -= len(data)
    return b"".join(parts)
