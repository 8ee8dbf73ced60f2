"""The documents of a slice, in blocks of some megabytes whose size does not depend on the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from spm_lite.engines.shards.slices import Slice
from spm_lite.engines.shards.sources import (
    ARROW,
    JSONL,
    PACKED_JSONL,
    PARQUET,
    TEXT,
    Source,
    column_place,
    damaged,
    opened_parquet,
)
from spm_lite.errors import FileError, OptionError, TextError
from spm_lite.files.compressed import open_unpacked
from spm_lite.files.documents import LINE_END, MAX_SIZE, DocumentReader, name
from spm_lite.files.open_files import typed
from spm_lite.files.record_files import (
    arrow_source,
    batches_of,
    check_schema,
    json_row,
    lines_of,
    open_arrow,
    texts_of_row,
)
from spm_lite.files.remote import AnyFile
from spm_lite.texts.delimited_texts import Documents
from spm_lite.texts.object_texts import ObjectTexts

if TYPE_CHECKING:
    from spm_lite.texts.text_view import Texts

BLOCK_SIZE = 1 << 22  # bytes of text, about
READ_SIZE = 1 << 22
SEARCH_SIZE = 1 << 16


class Block(NamedTuple):
    """Some documents."""

    texts: Texts
    n_bytes: int  # of text
    name: Callable[[int], str]  # the name of a document in messages


class Reading(NamedTuple):
    """How documents are read."""

    separator: bytes
    column: str
    nulls_are_empty: bool


def read_slice(source: Source, part: Slice, reading: Reading, block_size: int = BLOCK_SIZE) -> Iterator[Block]:
    """Yield the documents of a slice. Raises FileError and TextError, which name file, row and column."""
    path = source.file()
    try:
        if source.kind == PARQUET:
            yield from parquet_blocks(path, part, reading, block_size)
        elif source.kind == ARROW:
            yield from arrow_blocks(path, reading, block_size)
        elif source.kind in (JSONL, PACKED_JSONL):
            yield from json_blocks(path, part, reading, block_size)
        elif source.kind == TEXT:
            yield from text_blocks(path, part, reading.separator, block_size)
        else:
            yield from whole_blocks(path, reading, block_size)
    except FileError:
        raise
    except OSError as error:
        raise typed(error, path, "read") from error


def bounds_of(path: AnyFile, part: Slice, separator: bytes) -> tuple[int, int]:
    """The bytes [begin, end) of the documents that begin in the slice."""
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, 2)
        return first_document(file, part.begin, separator, size), first_document(file, part.end, separator, size)


def first_document(file: BinaryIO, place: int, separator: bytes, size: int) -> int:
    """Where the first document begins at or after a place; the size of the file if none does."""
    if place == 0 or place >= size:
        return min(place, size)
    begin = max(place - len(separator), 0)
    file.seek(begin)
    rest = b""
    while data := file.read(SEARCH_SIZE):
        rest += data
        found = rest.find(separator)
        if found >= 0:
            return begin + found + len(separator)
        used = max(len(rest) - len(separator) + 1, 0)  # no separator begins there
        begin, rest = begin + used, rest[used:]
    return size


def text_blocks(path: AnyFile, part: Slice, separator: bytes, block_size: int) -> Iterator[Block]:
    """Yield the documents of a part of a file of text."""
    begin, end = bounds_of(path, part, separator)
    number, rest, searched = 0, bytearray(), 0
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        left = end - begin
        while left or rest:
            data = file.read(min(max(block_size - len(rest), READ_SIZE // 4), left))
            left = left - len(data) if data else 0
            rest += data
            documents = Documents(separator, MAX_SIZE)
            names = name_of_lines(path, separator, begin, number)
            try:
                used = documents.add(rest, searched, left == 0)
            except TextError as error:
                raise TextError(f"{names(len(documents))}: {error}") from None
            if len(rest) - used > MAX_SIZE + len(separator):
                raise TextError(f"{names(len(documents))}: more bytes than the {MAX_SIZE} of one text: split it")
            rest = rest[used:]
            searched = max(len(rest) - len(separator) + 1, 0)
            if len(documents):
                yield Block(documents, documents.n_bytes, names)
            number += len(documents)
            if left == 0:
                break


def name_of_lines(path: AnyFile, separator: bytes, begin: int, number: int) -> Callable[[int], str]:
    """Names of documents that begin at byte `begin` of a file; `number` of them come before those of the block."""

    def found(index: int) -> str:
        with path.open("rb") as file:  # only for a message: how many come before the slice
            before, left = 0, begin
            while left > 0 and (data := file.read(min(left, READ_SIZE))):
                before += data.count(separator)
                left -= len(data)
        return name(path, separator, before + number + index + 1)

    return found


def json_blocks(path: AnyFile, part: Slice, reading: Reading, block_size: int) -> Iterator[Block]:
    """Yield the texts of lines of JSON; empty lines are skipped."""
    begin, end = (0, 0) if part.end == 0 else bounds_of(path, part, LINE_END)
    names = name_of_lines(path, LINE_END, begin, 0)
    number, size = 0, 0
    texts: list[bytes] = []
    places: list[int] = []
    with open_unpacked(path) if part.end == 0 else Bounded(path, begin, end) as file:
        for line in lines_of(file):
            number += 1
            data = line.removeprefix(b"\xef\xbb\xbf") if number == 1 and begin == 0 else line
            if not data.strip():
                continue
            found = texts_of_line(data, partial(names, number - 1), reading)
            texts += found
            places += [number - 1] * len(found)
            size += sum(map(len, found))
            if size >= block_size:
                yield Block(ObjectTexts(texts), size, at_places(names, places))
                texts, places, size = [], [], 0
    if texts:
        yield Block(ObjectTexts(texts), size, at_places(names, places))


def at_places(names: Callable[[int], str], places: list[int]) -> Callable[[int], str]:
    """Names of some of the lines."""
    return lambda index: names(places[index])


def texts_of_line(data: bytes, where: Callable[[], str], reading: Reading) -> list[bytes]:
    """The texts of one line, which `where` names. Raises FileError that names file, line and column."""
    row = json_row(data, where, reading.column)
    try:
        return texts_of_row(row, where, reading.column, reading.nulls_are_empty)
    except OptionError as error:
        raise FileError(str(error)) from None


class Bounded:
    """A part of a file, as a stream."""

    def __init__(self, path: AnyFile, begin: int, end: int) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(begin)
        self._left = end - begin

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; b"" at the end."""
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def parquet_blocks(path: AnyFile, part: Slice, reading: Reading, block_size: int) -> Iterator[Block]:
    """Yield the texts of some row groups."""
    import pyarrow

    with opened_parquet(path) as file:
        check_schema(file.schema_arrow, path, reading.column)
        place = column_place(file, path, reading.column)
        row = sum(file.metadata.row_group(i).num_rows for i in range(part.begin))
        for group in range(part.begin, part.end):
            known = file.metadata.row_group(group)
            size = max(known.column(place).total_uncompressed_size // max(known.num_rows, 1), 1)
            n_rows = max(min(block_size // size, 1 << 16), 1)
            try:
                batches = file.iter_batches(n_rows, [group], [reading.column], use_threads=False)
                for batch in batches:
                    yield column_block(batch.column(0), path, row, reading)
                    row += batch.num_rows
            except pyarrow.ArrowException as error:
                raise damaged(path, error, f", row group {group}, after row {row}, column {reading.column!r}") from None
            except OSError as error:  # pyarrow's own kind, for pages that it cannot unpack
                if isinstance(error, FileError) or error.errno is not None:
                    raise
                raise damaged(path, error, f", row group {group}, after row {row}, column {reading.column!r}") from None


def arrow_blocks(path: AnyFile, reading: Reading, block_size: int) -> Iterator[Block]:
    """Yield the texts of a file of Arrow or Feather."""
    import pyarrow
    from pyarrow import ipc

    row = 0
    try:
        with arrow_source(path) as source:
            opened = open_arrow(ipc, source)
            check_schema(opened.schema, path, reading.column)
            place = opened.schema.get_field_index(reading.column)
            for batch in batches_of(opened):
                size = max(batch.column(place).nbytes // max(batch.num_rows, 1), 1)
                n_rows = max(min(block_size // size, 1 << 16), 1)
                for begin in range(0, batch.num_rows, n_rows):
                    column = batch.column(place).slice(begin, n_rows)
                    yield column_block(column, path, row, reading)
                    row += len(column)
    except pyarrow.ArrowException as error:
        raise damaged(path, error, f", after row {row}") from None


def column_block(column: Any, path: AnyFile, row: int, reading: Reading) -> Block:
    """The texts of a part of a column. row: rows before it."""
    import pyarrow
    import pyarrow.compute

    from spm_lite.texts.arrow_texts import ArrowTexts

    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = str(column.type)
    if kind not in ("string", "large_string", "binary", "large_binary", "string_view", "binary_view", "null"):
        raise FileError(f"{str(path)!r}: the column {reading.column!r:.60} holds {kind}, not texts: name another one")
    if column.null_count and not reading.nulls_are_empty:
        null = column.is_valid().index(False).as_py()
        raise FileError(
            f"{str(path)!r}, row {row + null + 1}: {reading.column!r:.60} is null: leave the row out, or pass "
            "nulls='empty'"
        )
    sizes = (
        pyarrow.compute.binary_length(column) if kind in ("string", "binary", "large_string", "large_binary") else []
    )
    n_bytes = pyarrow.compute.sum(sizes).as_py() or 0 if len(sizes) else sum(map(len, ArrowTexts(column, None, True)))
    texts = ArrowTexts(column, None, reading.nulls_are_empty)
    return Block(texts, n_bytes, lambda index: f"{str(path)!r}, row {row + index + 1}, column {reading.column!r}")


def whole_blocks(path: AnyFile, reading: Reading, block_size: int) -> Iterator[Block]:
    """Yield the documents of a file that is not cut: packed, CSV, TSV, or with a separator that may overlap itself."""
    reader = DocumentReader(reading.separator, block_size, reading.column)
    for block in reader.blocks([path]):
        texts = block.texts
        n_bytes = texts.n_bytes if isinstance(texts, Documents) else sum(map(len, texts.items))
        yield Block(texts, n_bytes, block.name)
