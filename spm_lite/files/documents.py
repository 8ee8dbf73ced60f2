"""read_documents: a source -> its texts, part by part, each with its place. Everything that reads text calls it.

A file is opened, and unpacked if it is compressed. Its beginning is examined. A `Reading` says where its texts are: in
plain text between separators, in files of records in a column. All texts come, the empty ones too. The end of a file
ends a text, unless the file ends with a separator.
"""

from __future__ import annotations

import codecs
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain

from spm_lite._typing import TYPE_CHECKING, NamedTuple
from spm_lite.errors import ArgumentTypeError, FileError, OptionError, TextError
from spm_lite.files.compressed import open_unpacked
from spm_lite.files.open_files import typed
from spm_lite.files.plain_text import START, FormatNotes, check_plain, with_whole_start
from spm_lite.files.read_options import LINE_END, PARAGRAPHS, WHOLE_FILES, Reading, readable
from spm_lite.files.record_files import format_of_file, json_kind, place_name, record_blocks
from spm_lite.texts.delimited_texts import Documents
from spm_lite.texts.object_texts import ObjectTexts

if TYPE_CHECKING:
    from typing import Any, BinaryIO, TypeAlias

    from spm_lite.files.remote import AnyFile
    from spm_lite.texts.text_view import Texts

READ_SIZE = 4 << 20  # bytes
LONG_LINE = 64 << 20  # bytes; a longer line is cut at a space, unless the caller keeps all bytes
MAX_SIZE = 2**31 - 1  # bytes of one text
TEXTS_AT_ONCE = 1 << 14
LOOKED_AT = 20  # texts
BLANK_LINES = re.compile(rb"\n(?:[ \t\r]*\n)+")
FIRST_BLANK_LINES = re.compile(rb"(?:[ \t\r]*\n)+")
BOMS_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
BOMS_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNITS = {LINE_END: "line", WHOLE_FILES: "", PARAGRAPHS: "paragraph"}

Block: TypeAlias = "bytes | list[bytes] | Texts"  # bytes: whole lines, of which only the last may lack its LF
Cut: TypeAlias = "Callable[[bytes | bytearray, int, int], tuple[int, int] | None]"  # as `whole_lines` says


class Source(NamedTuple):
    """An input whose kind is decided: files, or texts; and how it is read."""

    paths: tuple[AnyFile, ...] | None  # files in reading order; None: texts
    texts: Any  # an iterable of str, bytes, columns or tables; the ArrowTexts of a column, or a ColumnStream
    reading: Reading
    guess: str = ""  # a note: what the input was taken for, where the caller did not say it


class CorpusFigures:
    """Files, bytes and cuts of a corpus so far, and notes on it; updated while it is read."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.bytes_read = 0
        self.bytes_known = 0  # size of all files, set before they are read; 0: not known
        self.cut_lines = 0  # cuts made in lines, or other documents, longer than LONG_LINE
        self.notes = FormatNotes()


class Part(NamedTuple):
    """Some texts that follow each other in one file, or in an iterable."""

    documents: Block
    path: AnyFile | None = None  # None: an iterable
    first: int = 1  # the number of the first text, from 1
    unit: str = ""  # what a text is, in messages, such as "line"; "": the whole file
    is_complete: bool = True  # whether the last text has its separator

    def name(self, index: int) -> str:
        """The name of a text in messages."""
        number = self.first + index
        return f"text {number - 1}" if self.path is None else place_name(self.path, self.unit, number)


def split_block(block: Block) -> list[bytes]:
    """The texts of a block."""
    if isinstance(block, list):
        return block
    if not isinstance(block, bytes):
        return list(block)  # type: ignore[call-overload, no-any-return]
    lines = block.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def texts_of(block: Block) -> Texts:
    """The texts of a block as the loops in Cython take them; lines are not copied."""
    if isinstance(block, list):
        return ObjectTexts(block)
    if not isinstance(block, bytes):
        return block
    lines = Documents(LINE_END, MAX_SIZE)
    lines.add(block, 0, True)
    return lines


def all_texts(source: Source, figures: CorpusFigures | None = None) -> list[bytes]:
    """All texts of a source, empty ones too, for callers that need them more than once. figures: grow meanwhile."""
    with closing(read_documents(source, figures or CorpusFigures())) as read:
        return [text for part in read for text in split_block(part.documents)]


def n_texts_of(block: Block) -> int:
    """The number of texts of a block, empty ones too."""
    return block.count(b"\n") + (not block.endswith(b"\n")) if isinstance(block, bytes) else len(block)


def n_bytes_of(block: Block) -> int:
    """The bytes of the texts of a block, without separators."""
    if isinstance(block, bytes):
        return len(block) - block.count(b"\n")
    return sum(map(len, block if isinstance(block, list) else split_block(block)))


def read_documents(source: Source, figures: CorpusFigures) -> Generator[Part, None, None]:
    """Yield the texts of a source, in order; close the generator if you leave it early. figures: grow meanwhile.

    Raises FileError or a kind of it, naming the file, TextError for a lone surrogate or a text of 2^31 bytes, and
    OptionError for a separator of texts or a column that is not there.
    """
    figures.notes.begin(source.reading)
    if source.guess:
        figures.notes.add_guess(source.guess)
    if source.paths is None:
        check_separator(source)
        yield from parts_of_texts(source, figures)
        return
    figures.bytes_known = size_of(source)
    for path in source.paths:
        figures.files.append(str(path))
        try:
            yield from parts_of_file(path, source.reading, figures)
        except FileError:
            raise
        except OSError as error:
            raise typed(error, path, "read") from None


def size_of(source: Source) -> int:
    """The bytes of all files of a source; 0: not known, since some are compressed, hold records or are no files."""
    paths = source.paths or ()
    if not all(path.name for path in paths):  # standard input
        return 0
    from spm_lite.files.paths import is_unlike_its_size, total_size

    return 0 if not source.reading.is_raw and any(map(is_unlike_its_size, paths)) else total_size(paths)


def check_separator(source: Source) -> None:
    """Raise OptionError for a separator of texts."""
    separator = source.reading.separator
    if source.paths is None and separator not in (LINE_END, WHOLE_FILES):
        option = "paragraphs=True" if separator == PARAGRAPHS else f"separator={separator!r:.40}"
        raise OptionError(
            f"{option} is for files, but the input is texts, and each is one document: split "
            "them first, or leave it out",
            remedies=[{"paragraphs": False} if separator == PARAGRAPHS else {"separator": "\n"}],
        )


def parts_of_file(path: AnyFile, reading: Reading, figures: CorpusFigures) -> Iterator[Part]:
    """Yield the texts of one file."""
    kind = format_of_file(path, reading)
    number = 1
    if kind in ("parquet", "arrow"):
        check_has_places(path, kind)
        from spm_lite.files.column_files import read_columns

        for texts, n_bytes, unit in read_columns(path, kind, reading, figures.notes.bad):
            figures.bytes_read += n_bytes
            yield Part(texts, path, number, unit)
            number += len(texts)
        return
    with path.open("rb", buffering=0) if reading.is_raw else open_unpacked(path, reading.max_unpacked) as stream:
        first, reads = examined(stream, path, kind, reading, figures)
        if kind == "records":
            first, reads = with_a_sign(first, reads)
            kind = json_kind(first, path, reading)
        if kind == "text":
            figures.notes.look_at_file(first, path)
            if reading.is_column_said and reading.input_format == "auto":
                figures.notes.add_column(path, reading.column)
            yield from parts_of_text(reads, path, reading, figures)
            return
        figures.notes.look_at_records(first, path)
        for block in record_blocks(reads, path, kind, reading, figures.notes.bad):
            figures.bytes_read += sum(map(len, block))
            yield Part(block, path, number, "record")
            number += len(block)


def check_has_places(path: AnyFile, kind: str) -> None:
    """Raise FileError for what can be read only once and in order: Parquet and Arrow are read at any place."""
    try:
        is_regular = bool(path.name) and not stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        is_regular = bool(path.name)  # opening it says what is wrong
    if not is_regular:
        raise FileError(
            f"{str(path)!r} is a stream, and {kind} is read at any place: write it to a file first, and name that"
        )


def examined(
    stream: BinaryIO, path: AnyFile, kind: str, reading: Reading, figures: CorpusFigures
) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a file, and all of it in parts as they come, as UTF-8. Raises FileError for what is no text."""
    read = getattr(stream, "read1", stream.read)  # waits only if there is nothing yet
    reads = with_whole_start(readable(iter(lambda: read(READ_SIZE), b""), figures.notes.bad), min(START, READ_SIZE))
    first = next(reads, b"")
    is_middle = getattr(path, "is_middle", False)  # a slice of a file that does not begin it
    encoding = reading.encoding if is_middle else encoding_of(first, kind, reading)
    if not encoding:
        if not is_middle:
            check_plain(first, path)
        return first, chain((first,), reads) if first else reads
    reads = recoded(chain((first,), reads), encoding, path)
    if not reading.encoding:
        figures.notes.add_encoding(path, encoding)
    first = next(reads, b"")
    return first, chain((first,), reads)


def with_a_sign(first: bytes, reads: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """A beginning that is more than white space, unless all is, and all of the file; a pipe may give little at once."""
    parts, last, n_bytes = [next(reads)] if first else [], first.removeprefix(BOM_UTF8), len(first)
    while parts and not last.strip() and n_bytes < LONG_LINE and (last := next(reads, b"")):
        parts.append(last)
        n_bytes += len(last)
    return b"".join(parts), chain(parts, reads)


def encoding_of(first: bytes, kind: str, reading: Reading) -> str:
    """The encoding of a file that must be converted; "": it is UTF-8. first: its beginning.

    A BOM tells UTF-16 and UTF-32, except in text of which every byte is kept.
    """
    if reading.encoding or reading.is_raw or (kind == "text" and reading.newline == "lf"):
        return reading.encoding
    if first.startswith(BOMS_UTF32):
        return "utf-32"
    return "utf-16" if first.startswith(BOMS_UTF16) else ""


def recoded(reads: Iterable[bytes], encoding: str, path: AnyFile) -> Iterator[bytes]:
    """Yield the parts of a file as UTF-8. Raises FileError for bytes that the encoding does not have."""
    decoder = codecs.getincrementaldecoder(encoding)()
    n_before = 0
    try:
        for data in reads:
            n_held = len(decoder.getstate()[0])
            if text := decoder.decode(data):
                yield text.encode()
            n_before += len(data)
        n_held = len(decoder.getstate()[0])
        if text := decoder.decode(b"", True):
            yield text.encode()
    except UnicodeError as error:
        place = max(n_before - n_held, 0) + getattr(error, "start", 0)
        raise FileError(
            f"{str(path)!r}: byte {place:,} is not {encoding} ({getattr(error, 'reason', error)}): name the encoding "
            "of the file, as in encoding='cp1252'"
        ) from None


def parts_of_text(reads: Iterator[bytes], path: AnyFile, reading: Reading, figures: CorpusFigures) -> Iterator[Part]:
    """Yield the texts of a file of plain text."""
    reads = counted(reads, figures)
    if reading.newline == "auto" and reading.separator == LINE_END:
        reads = usual_line_ends(reads, figures.notes, not getattr(path, "is_middle", False))
    elif reading.is_weighted:
        reads = usual_line_ends(reads, None)
    separator, number = reading.separator, 1
    unit = UNITS.get(separator, "document")

    def cut(rest: bytes | bytearray, end: int, size: int) -> tuple[int, int] | None:
        if reading.keeps_bytes and size > MAX_SIZE:
            raise TextError(f"more bytes than the {MAX_SIZE} of one text: split it, or pass another separator")
        if reading.keeps_bytes or size <= LONG_LINE or is_within_char(rest, end):
            return None
        figures.cut_lines += 1
        return place_to_cut(rest, end)

    blocks = (
        ((block, block.endswith(b"\n")) for block in whole_lines(reads, cut))
        if separator == LINE_END
        else split_documents(reads, separator, cut)
    )
    try:
        for block, is_complete in blocks:
            if reading.keeps_bytes and (not isinstance(block, bytes) or len(block) > MAX_SIZE):
                for text in split_block(block):
                    cut(b"", 0, len(text))
            yield Part(block, path, number, unit, is_complete)
            number += n_texts_of(block)
    except TextError as error:
        raise TextError(f"{place_name(path, unit, number)}: {error}") from None


def counted(reads: Iterable[bytes], figures: CorpusFigures) -> Iterator[bytes]:
    """Yield the parts of a file; `figures` counts their bytes."""
    for data in reads:
        figures.bytes_read += len(data)
        yield data


def usual_line_ends(reads: Iterable[bytes], notes: FormatNotes | None, is_first: bool = True) -> Iterator[bytes]:
    """Yield the parts of one file with LF for CR LF, and without a BOM; `notes` counts both. None: only the BOM.

    is_first: whether the first part begins the file.
    """
    held = b""
    for data in reads:
        if is_first and data.startswith(BOM_UTF8):
            data = data[len(BOM_UTF8) :]
            if notes is not None:
                notes.boms += 1
        is_first = False
        if notes is not None and (held or b"\r" in data):
            data, held = held + data, b""
            if data.endswith(b"\r"):  # LF may follow
                data, held = data[:-1], b"\r"
            n_lines = data.count(b"\r\n")
            notes.crlf_lines += n_lines
            data = data.replace(b"\r\n", b"\n") if n_lines else data
        if data:
            yield data
    if held:
        yield held


def whole_lines(reads: Iterable[bytes], cut: Cut) -> Iterator[bytes]:
    """Yield blocks that end at a line end. cut: called for a line that is not ended, with its last part.

    cut(part, end, size) returns where to cut part[:end], and where the next line begins in it; None: nowhere. size:
    bytes of the line so far. A space at a cut is dropped: normalization adds one at the start of the next part.
    """
    rest: list[bytes] = []  # the beginning of a line whose end is not read yet
    n_rest = 0
    for data in reads:
        stop = end = data.rfind(b"\n") + 1
        places = None if end or not rest else cut(data, len(data), n_rest)
        if places is not None:
            stop, end = places
        if end or places is not None:
            yield b"".join([*rest, data[:stop]]) if rest or stop < len(data) else data
            rest, n_rest = [], 0
        if end < len(data):
            rest.append(data[end:])
            n_rest += len(data) - end
    if rest:
        yield b"".join(rest)


def split_documents(reads: Iterable[bytes], separator: bytes, cut: Cut | None = None) -> Iterator[tuple[Block, bool]]:
    """Yield the texts of one file, some at once, and whether the last of them ended with a separator.

    reads: the content of the file, in parts of any size. cut: as in `whole_lines`, called with the beginning of a text
    whose separator was not read yet.
    """
    if separator == PARAGRAPHS:
        yield from split_paragraphs(reads, cut)
        return
    rest = bytearray()  # the text that has not ended yet
    searched = 0
    for data in reads:
        rest += data
        documents = Documents(separator, MAX_SIZE)
        try:
            used = documents.add(rest, searched, False)
        except TextError:
            yield documents.to_list(), True
            raise
        if used:
            yield documents.to_list(), True
            rest = rest[used:]
        searched = max(len(rest) - max(len(separator) - 1, 0), 0)
        places = cut(rest, searched, searched) if cut is not None and searched > min(LONG_LINE, MAX_SIZE) else None
        if places is not None:
            yield [bytes(rest[: places[0]])], False
            rest = rest[places[1] :]
            searched -= places[1]
    if rest or not separator:
        yield [bytes(rest)], not separator


def split_paragraphs(reads: Iterable[bytes], cut: Cut | None = None) -> Iterator[tuple[Block, bool]]:
    """Yield the paragraphs of a file, some at once: lines between blank ones, which hold nothing but white space.

    A paragraph keeps all its line ends except the last. Blank lines are in none. cut: as in `split_documents`.
    """
    rest = bytearray()  # the paragraph that has not ended yet, or blank lines
    searched = whole = 0  # nobody knows yet whether the rest of a line, after `whole`, is blank
    begins = True  # whether no paragraph has begun since the last blank line
    for data in reads:
        n_before = len(rest)
        rest += data
        whole = rest.rfind(b"\n", n_before) + 1 or whole
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
        whole -= begin
        places = cut(rest, len(rest), len(rest)) if cut is not None else None
        if places is not None:
            yield [bytes(rest[: places[0]])], False
            del rest[: places[1]]
            searched, whole = 0, max(whole - places[1], 0)
    rest += b"\n"
    start = FIRST_BLANK_LINES.match(rest) if begins else None
    begin = start.end() if start else 0
    blank = BLANK_LINES.search(rest, max(begin, searched))
    if begin < len(rest):
        yield [bytes(rest[begin : blank.start() if blank else len(rest) - 1])], False


def place_to_cut(data: bytes | bytearray, end: int) -> tuple[int, int]:
    """Return where a part of a long line, data[:end], is cut, and where the next begins (byte offsets)."""
    space = data.rfind(b" ", 0, end)
    if space >= 0:
        return space, space + 1
    place = end - 1
    while place > max(end - 4, 0) and data[place] & 0xC0 == 0x80:  # go back to the start of a character
        place -= 1
    return place, place


def is_within_char(data: bytes | bytearray, end: int) -> bool:
    """Whether data[:end] may be only the rest of a character that began before, as short reads from a pipe can be."""
    return end < 4 and all(byte & 0xC0 == 0x80 for byte in data[:end])


def parts_of_texts(source: Source, figures: CorpusFigures) -> Iterator[Part]:
    """Yield the texts of an iterable, in lists of at most TEXTS_AT_ONCE texts or about READ_SIZE bytes."""
    from spm_lite.texts.inputs import flattened

    block: list[bytes] = []
    n_bytes, number = 0, 1
    for text in flattened(source.texts, source.reading.columns if source.reading.has_columns else None):
        data = encode_text(text, number + len(block) - 1)
        block.append(data)
        n_bytes += len(data)
        if len(block) >= TEXTS_AT_ONCE or n_bytes >= READ_SIZE:
            yield part_of_texts(block, n_bytes, number, figures)
            number += len(block)
            block, n_bytes = [], 0
    if block:
        yield part_of_texts(block, n_bytes, number, figures)


def part_of_texts(block: list[bytes], n_bytes: int, number: int, figures: CorpusFigures) -> Part:
    """Count some texts; note it if the first ones look like another format, or like lines with their ends."""
    if number == 1:
        figures.notes.look_at_texts(block[:LOOKED_AT], "the input")
    figures.bytes_read += n_bytes
    return Part(block, None, number)


def encode_text(text: object, number: int) -> bytes:
    """One item of an iterable as UTF-8. Raises TextError or ArgumentTypeError, naming its number."""
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            raise TextError(
                f"text {number} holds a lone surrogate at position {error.start} (U+{ord(text[error.start]):04X}): "
                "leave it out, or pass bytes"
            ) from None
    if isinstance(text, bytes):
        return bytes(text)
    raise ArgumentTypeError(f"text {number} is {type(text).__name__}: texts are str, or bytes of UTF-8")
