"""What a document of a file is, for everything that reads text: training, counting, evaluating, encoding.

A separator ends a document and belongs to none; by default it is the line feed. The end of a file ends a document too,
unless the file ends with a separator. b"" means no separator: each file is one document, even if it is empty.
CR and a BOM are text. Texts that are given one by one are documents as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_flag
from spm_lite.errors import ArgumentTypeError, FileError, OptionError, TextError
from spm_lite.files.bad_records import readable
from spm_lite.files.compressed import open_unpacked
from spm_lite.files.open_files import typed
from spm_lite.files.plain_text import FormatNotes
from spm_lite.files.record_files import read_records, records_kind
from spm_lite.files.remote import AnyFile
from spm_lite.texts.delimited_texts import Documents

if TYPE_CHECKING:
    from typing import Any, BinaryIO

READ_SIZE = 1 << 22  # bytes
MAX_SIZE = 2**31 - 1  # bytes of one document
LINE_END = b"\n"
AS_USUAL = ({"separator": "\n"}, {"separator": None})  # remedies
WHOLE_FILES = b""
RECORDS = b"\0record"  # in place of the separator: each document is a record
PARAGRAPHS = b"\0paragraph"  # blank lines end a document
BLANK_LINES = re.compile(rb"\n(?:[ \t\r]*\n)+")
FIRST_BLANK_LINES = re.compile(rb"(?:[ \t\r]*\n)+")


def as_separator(separator: Any, keep_newlines: Any = False, paragraphs: Any = False) -> bytes:
    r"""The bytes that end a document; b"": each file is one document.

    separator: str or bytes; None: each file is one document. keep_newlines: line feeds are text and end no
    document: without another separator, each file is one. paragraphs: blank lines end a document.

    >>> as_separator("\n"), as_separator("\n", True), as_separator("\n\n", True), as_separator(None)
    (b'\n', b'', b'\n\n', b'')
    """
    keeps = as_flag(keep_newlines, "keep_newlines")
    if as_flag(paragraphs, "paragraphs"):
        if keeps or separator not in ("\n", LINE_END):
            raise OptionError(
                "paragraphs=True and separator or keep_newlines both say where a document ends: give one of them",
                remedies=[{"paragraphs": False}, {"separator": "\n", "keep_newlines": False}],
            )
        return PARAGRAPHS
    if separator is None:
        return WHOLE_FILES
    if isinstance(separator, str):
        try:
            separator = separator.encode()
        except UnicodeEncodeError as error:
            raise OptionError(
                f"separator={separator!r:.40} holds a lone surrogate at position {error.start}: pass bytes",
                remedies=AS_USUAL,
            ) from None
    if not isinstance(separator, bytes):
        raise ArgumentTypeError(
            f"separator is {type(separator).__name__} {separator!r:.40}, not str or bytes; None makes "
            "each file a document",
            remedies=AS_USUAL,
        )
    if not separator:
        raise OptionError(
            "separator is empty: pass at least one byte, or None if each file is a document", remedies=AS_USUAL
        )
    return WHOLE_FILES if keeps and separator == LINE_END else bytes(separator)


def split_documents(
    reads: Iterable[bytes],
    separator: bytes,
    cut: Callable[[bytearray, int], tuple[int, int] | None] | None = None,
) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the documents of one file, some at once, and whether the last of them ended with a separator.

    reads: the content of the file, in parts of any size. cut: called with the beginning of a document and the place to
    which it holds no separator; returns where a part ends and where the next begins, if it is too long to be kept.
    """
    if separator == PARAGRAPHS:
        yield from split_paragraphs(reads, cut)
        return
    rest = bytearray()  # the document that has not ended yet
    searched = 0
    for data in reads:
        rest += data
        documents = Documents(separator, MAX_SIZE)
        used = documents.add(rest, searched, False)
        if used:
            yield documents.to_list(), True
            rest = rest[used:]
        searched = max(len(rest) - len(separator) + 1, 0)
        places = cut(rest, searched) if cut is not None else None
        if places is not None:
            yield [bytes(rest[: places[0]])], False
            rest = rest[places[1] :]
            searched -= places[1]
    if rest or not separator:
        yield [bytes(rest)], False


def split_paragraphs(
    reads: Iterable[bytes], cut: Callable[[bytearray, int], tuple[int, int] | None] | None = None
) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the paragraphs of a file, some at once: lines between blank ones, which hold nothing but white space.

    A paragraph keeps all its line ends except the last. Blank lines are in none. cut: as in `split_documents`.
    """
    rest = bytearray()  # the paragraph that has not ended yet, or blank lines
    searched = 0
    begins = True  # whether no paragraph has begun since the last blank line
    for data in reads:
        rest += data
        whole = rest.rfind(b"\n") + 1  # nobody knows yet whether the rest of a line is blank
        start = FIRST_BLANK_LINES.match(rest, 0, whole) if begins else None
        begin = start.end() if start else 0
        begins = begins and begin == whole
        found = []
        for first, end in [blank.span() for blank in BLANK_LINES.finditer(rest, max(begin, searched), whole)]:
            found.append(bytes(rest[begin:first]))
            begin, begins = end, end == whole
        if found:
            yield found, True
        searched = max(whole - begin - 1, 0)
        del rest[:begin]
        places = cut(rest, len(rest)) if cut is not None else None
        if places is not None:
            yield [bytes(rest[: places[0]])], False
            del rest[: places[1]]
            searched = 0
    rest += b"\n"
    start = FIRST_BLANK_LINES.match(rest) if begins else None
    begin = start.end() if start else 0
    blank = BLANK_LINES.search(rest, max(begin, searched))
    if begin < len(rest):
        yield [bytes(rest[begin : blank.start() if blank else len(rest) - 1])], False


class DocumentPlace:
    """The file that a run of documents in a block comes from."""

    def __init__(self, path: AnyFile, first: int, number: int) -> None:
        """first: index in the block of the run's first document. number: of that document in its file, from 1."""
        self.path = path
        self.first = first
        self.number = number


class DocumentBlock:
    """Some documents of one or more files."""

    def __init__(self, separator: bytes) -> None:
        self.separator = separator
        self.texts: Any = Documents(separator, MAX_SIZE)  # ObjectTexts of a file of records
        self.places: list[DocumentPlace] = []

    def text(self, index: int) -> bytes:
        """The UTF-8 of document `index` of the block, without its separator."""
        found: bytes = self.texts.text(index) if isinstance(self.texts, Documents) else self.texts.items[index]
        return found

    def name(self, index: int) -> str:
        """The name of a document in messages."""
        place = next(place for place in reversed(self.places) if place.first <= index)
        return name(place.path, self.separator, place.number + index - place.first)


def name(path: AnyFile, separator: bytes, number: int) -> str:
    """The name of a document in messages. number: of the document in its file, from 1."""
    known = {
        WHOLE_FILES: "",
        LINE_END: f", line {number}",
        RECORDS: f", record {number}",
        PARAGRAPHS: f", paragraph {number}",
    }
    kind = known.get(separator, f", document {number}")
    return f"{str(path)!r}{kind}"


class DocumentReader:
    """Reads the documents of files in order, in blocks of about `block_size` bytes; a long document exceeds that.

    Memory: one block and the longest document. n_bytes: the bytes read so far. notes: on files that look like another
    format.
    """

    def __init__(self, separator: bytes, block_size: int, column: str = "", on_error: str = "raise") -> None:
        """column: of files of records; "": such files are plain text. on_error: as in `bad_records`."""
        self.n_bytes = 0
        self._column = column
        self.notes = FormatNotes(on_error=on_error)
        self._separator = separator
        self._block_size = block_size
        self._block = DocumentBlock(separator)

    def blocks(self, paths: Iterable[AnyFile]) -> Iterator[DocumentBlock]:
        """Yield all blocks. Raises FileError for an unreadable or packed file, TextError for a text of 2^31 bytes."""
        for path in paths:
            kind = records_kind(path, self._column)
            if kind is not None:
                texts = read_records(path, kind, self._column, self.notes.bad)
                yield from self._lists(path, RECORDS, texts, True)
                continue
            if self._separator == PARAGRAPHS:
                paragraphs = split_paragraphs(filter(None, self._data(path)))
                yield from self._lists(path, PARAGRAPHS, (texts for texts, _ in paragraphs), False)
                continue
            for _ in self._read(path):
                if self._block.texts.n_bytes + self._block.texts.n >= self._block_size:
                    yield self._take()
        if self._block.texts.n:
            yield self._take()

    def _lists(
        self, path: AnyFile, separator: bytes, lists: Iterable[list[bytes]], counts_bytes: bool
    ) -> Iterator[DocumentBlock]:
        """Yield the documents of a file, given as lists, after the documents of the files before it."""
        from spm_lite.texts.object_texts import ObjectTexts

        if len(self._block.texts):
            yield self._take()
        number = 1
        for texts in lists:
            block = DocumentBlock(separator)
            block.texts = ObjectTexts(texts)
            block.places.append(DocumentPlace(path, 0, number))
            number += len(texts)
            self.n_bytes += sum(map(len, texts)) if counts_bytes else 0
            yield block

    def _take(self) -> DocumentBlock:
        block, self._block = self._block, DocumentBlock(self._separator)
        return block

    def _read(self, path: AnyFile) -> Iterator[None]:
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
            used: int = block.texts.add(rest, searched, is_end)
        except TextError as error:
            raise TextError(f"{block.name(len(block.texts))}: {error}") from None
        if used == 0 and len(rest) > MAX_SIZE + len(self._separator):
            raise TextError(
                f"{block.name(len(block.texts))}: more bytes than the {MAX_SIZE} of one text: split it, or pass "
                "another separator"
            )
        return used

    def _data(self, path: AnyFile) -> Iterator[bytes]:
        """Yield the content of a file, and b"" at its end."""
        try:
            with open_unpacked(path) as file:
                is_first = True
                for data in readable(iter(lambda: read(file), b""), self.notes.bad):
                    if is_first:
                        self.notes.check(data, path)
                    is_first = False
                    self.n_bytes += len(data)
                    yield data
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
