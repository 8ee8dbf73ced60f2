"""Corpus reader: sources of training text -> blocks of lines or texts.

A block is either bytes (whole lines, ended by LF) or a list of bytes (texts, which may hold line ends). `documents.py`
says where a text ends.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Generator, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from spm_lite.arguments import as_iterable
from spm_lite.errors import (
    ArgumentTypeError,
    FileError,
    FilePermissionError,
    MissingFileError,
    OptionError,
    TextError,
)
from spm_lite.files.bad_records import SKIP, readable
from spm_lite.files.compressed import open_unpacked
from spm_lite.files.documents import LINE_END, PARAGRAPHS, WHOLE_FILES, split_documents
from spm_lite.files.paths import (
    FILE_NAME,
    check_once,
    expand,
    has_wildcards,
    is_unlike_its_size,
    names_file,
    shorten,
    total_size,
)
from spm_lite.files.plain_text import START, FormatNotes, with_whole_start
from spm_lite.files.record_files import ROWS_AT_ONCE, read_records, records_kind
from spm_lite.files.remote import AnyFile, is_remote
from spm_lite.texts.inputs import ColumnStream, column_of_texts, flattened, is_column
from spm_lite.texts.wrong_texts import refuse_counts

Block: TypeAlias = bytes | list[bytes]
Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Input: TypeAlias = (
    str | os.PathLike[str] | Iterable[str | bytes | os.PathLike[str] | Sequence[str | bytes] | Mapping[str, Any]]
)

BLOCK_SIZE = 4 << 20  # bytes read at once
TEXTS_PER_BLOCK = 1 << 14
LOOKED_AT = 20  # texts
LONG_LINE = 64 << 20  # bytes; a longer line is cut at a space
FILES, TEXTS = "files", "texts"  # kinds of an input
NO_TEXT = "there is no text: give source, files or texts"
SAY_WHICH = "give names of files as files=[...], and texts as texts=[...]"


@dataclass
class CorpusFigures:
    """Files, bytes and cuts of a corpus so far; updated while its blocks are read."""

    files: list[str] = field(default_factory=list)
    bytes_read: int = 0
    bytes_known: int = 0  # size of all files, set before they are read; 0: not known
    crlf_lines: int = 0  # lines whose CR LF was taken as one line end
    boms: int = 0  # files whose BOM was left out
    cut_lines: int = 0  # cuts made in lines, or other documents, longer than LONG_LINE
    notes: FormatNotes = field(default_factory=FormatNotes)


@dataclass(frozen=True)
class Source:
    """An input whose kind is decided: files, or texts."""

    paths: tuple[AnyFile, ...] | None  # files in reading order; None: texts
    texts: Any = None  # an iterable of str, bytes, columns or tables; the ArrowTexts of a column, or a ColumnStream
    # The column of texts, in files of records and in tables. "": files of records are read as plain text.
    # None: every file is read as it stands, files of records and compressed ones too.
    column: str | None = None
    on_error: str = "raise"  # "skip": bad records are left out and counted
    newline: str = "lf"  # "auto": in lines of files, CR LF is a line end, and a BOM is dropped; "lf": both are text
    guess: str = ""  # a note: what the input was taken for, where the caller did not say it


def chosen_input(named: Mapping[str, Any], nothing: str) -> tuple[str, Any]:
    """The kind of the input that a call gave, as `open_source` takes it, and the input.

    named: what was given, by the names of the arguments; None: nothing. nothing: the message if all are None.
    Raises OptionError unless one is given.
    """
    given = [name for name, value in named.items() if value is not None]
    if not given:
        raise OptionError(nothing)
    if len(given) > 1:
        raise OptionError(f"{' and '.join(given)} both name text: give one of them")
    return (given[0] if given[0] in (FILES, TEXTS) else ""), named[given[0]]


def open_source(
    source: Input | Source,
    column: str | None = None,
    newline: str = "lf",
    on_error: str = "raise",
    kind: str = "",
) -> Source:
    """Decide once what an input is, and find its files. A `Source` is returned as it is. Raises as `read_blocks`.

    column, newline, on_error: as in `Source`. kind: FILES or TEXTS where the caller says which it is; "" decides it.
    """
    source = tables_of_data_set(collected(source, column))
    if isinstance(source, Source):
        return source
    guess = ""
    if not kind:
        source, guess = names_or_texts(source)
    paths = {FILES: find_named, TEXTS: no_paths}.get(kind, find_paths)(source)
    if paths is not None:
        if column is not None:
            check_once(paths)
        return Source(tuple(paths), None, column, on_error, newline, guess)
    name = column or None
    if is_column(source):
        refuse_counts(source)
    if is_column(source) and hasattr(source, "__next__"):  # a stream, of which not all may fit into memory
        return Source(None, ColumnStream(source, name), None, on_error, newline)
    texts = column_of_texts(source, name)
    kept, name = (source, name) if texts is None else (texts, None)
    return Source(None, kept, name, on_error, newline)


def read_blocks(
    source: Input | Source, figures: CorpusFigures, separator: bytes = LINE_END
) -> Generator[Block, None, None]:
    """Yield the text of `source` block by block, in order; close the generator if you leave it early.

    source: a path, a glob, a list of paths or globs, or texts (str, or bytes of UTF-8). Texts are any iterable, or a
    column with Arrow's C data interface, or a series of columns or tables. `names_or_texts` says which iterables of
    str are names.
    figures: grow with what is read. separator: ends a document of a file, as `documents.as_separator` returns it. A
    text of an iterable is kept whole.
    Raises MissingFileError, FilePermissionError or FileError naming the path, ArgumentTypeError for a wrong source,
    TextError for a lone surrogate, OptionError for a separator of texts.
    """
    opened = open_source(source)
    check_separator(opened, separator)
    if opened.paths is None:
        yield from text_blocks(opened.texts, figures, opened.column)
        return
    figures.notes.bad.skips = opened.on_error == SKIP
    if opened.guess:
        figures.notes.add_guess(opened.guess)
    figures.bytes_known = total_size(opened.paths)
    if opened.column is not None and any(map(is_unlike_its_size, opened.paths)):
        figures.bytes_known = 0
    for path in opened.paths:
        figures.files.append(str(path))
        with closing(file_blocks(path, figures, separator, opened.column)) as blocks:
            is_auto = opened.newline == "auto" and separator == LINE_END
            yield from usual_line_ends(blocks, figures) if is_auto else blocks


def names_or_texts(source: Any) -> tuple[Any, str]:
    """An input whose kind the caller did not say, and a note if it is a guess that its texts are names of files.

    An iterable of str holds names if its first item names a file; then all items must. An iterator, a view of keys or
    an array of names becomes a list; of other iterators nothing is lost.
    """
    if is_column(source):
        return source, ""
    if isinstance(source, list | tuple):
        items = source
        check_first_texts(items)
    elif hasattr(source, "__next__") or isinstance(source, KeysView) or is_array(source):
        rest = iter(source)
        first = next(rest, rest)
        if first is rest:
            return [], ""
        if not names_file(first):
            return (chain((first,), rest) if hasattr(source, "__next__") else source), ""
        items = [*names_of(chain((first,), rest))]
    else:
        return source, ""
    if not items or not names_file(items[0]) or all(isinstance(item, os.PathLike) for item in items):
        return items, ""
    return items, f"was taken for the names of {counted_files(len(items))}: say so with files=, or give texts=..."


def names_of(items: Iterator[Any]) -> Iterator[Any]:
    """The items, the first of which names a file.

    Raises, before all is read, OptionError for an item that names none or is an address, MissingFileError for one that
    is missing.
    """
    for number, item in enumerate(items):
        refuse_address(item, number)
        if isinstance(item, str) and FILE_NAME.fullmatch(item) and not has_wildcards(item) and not Path(item).exists():
            raise MissingFileError(f"no file {shorten(item)!r} to read, item {number} of the input: {SAY_WHICH}")
        if not names_file(item):
            raise OptionError(
                f"input item {number} is {shorten(repr(item))}, and the first one names a file: {SAY_WHICH}"
            )
        yield item


def refuse_address(item: Any, number: int) -> None:
    """Raise OptionError for a str that is an address: a text may be one, and nothing is fetched by mistake."""
    if isinstance(item, str) and is_remote(item):
        raise OptionError(f"input item {number} is an address, {shorten(item)!r}: {SAY_WHICH}")


def check_first_texts(items: Sequence[Any]) -> None:
    """Raise OptionError for a list that begins with a text and then names a file."""
    if not items or names_file(items[0]):
        return
    for number, item in enumerate(items[:LOOKED_AT]):
        if isinstance(item, os.PathLike) or (
            isinstance(item, str) and FILE_NAME.fullmatch(item) and Path(item).is_file()
        ):
            raise OptionError(f"input item {number} is {shorten(repr(item))}, and the first one is a text: {SAY_WHICH}")


def is_array(source: Any) -> bool:
    """Whether an input is an array of numpy with one dimension, so that it has texts or names in order."""
    return type(source).__module__ == "numpy" and getattr(source, "ndim", 0) == 1


def counted_files(n: int) -> str:
    return "1 file" if n == 1 else f"{n:,} files"


def collected(source: Any, column: str | None) -> Any:
    """The table of a query of polars that was not run yet, of which only the column is read; others as they are."""
    if not (type(source).__module__.startswith("polars.") and hasattr(source, "collect")):
        return source
    names = source.collect_schema().names()
    return (source.select(column) if column in names else source.head(0)).collect()


def tables_of_data_set(source: Any) -> Any:
    """The tables of a data set of the package `datasets`, part by part; any other input as it is."""
    if not type(source).__module__.startswith("datasets."):
        return source
    if hasattr(source, "with_format") and not isinstance(source, Mapping):
        return source.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)
    if isinstance(source, Mapping):
        names = ", ".join(map(repr, source))
        raise ArgumentTypeError(f"the input has several data sets, {names:.120}: pass one, such as data['train']")
    return source


def check_separator(source: Source, separator: bytes) -> None:
    """Raise OptionError for a separator of texts."""
    if source.paths is None and separator not in (LINE_END, WHOLE_FILES):
        option = "paragraphs=True" if separator == PARAGRAPHS else f"separator={separator!r:.40}"
        raise OptionError(
            f"{option} is for files, but the input is texts, and each is one document: split "
            "them first, or leave it out",
            remedies=[{"paragraphs": False} if separator == PARAGRAPHS else {"separator": "\n"}],
        )


def find_paths(source: Input) -> list[AnyFile] | None:
    """The files that `source` names, or None when it is an iterable of texts."""
    if isinstance(source, bytes | bytearray | memoryview):
        kind = type(source).__name__
        raise ArgumentTypeError(f"the input is {kind}: give texts as a list, [data], and files as str paths")
    if isinstance(source, str):
        return expand(source, f"no file {shorten(source)!r} to read (texts are passed as a list of str: [text, ...])")
    if isinstance(source, os.PathLike):
        return expand(source, f"no file {os.fspath(source)!r} to read")
    if not isinstance(source, Iterable) and not is_column(source):
        raise ArgumentTypeError(f"the input must be a path, a list of paths, or texts, not {type(source).__name__}")
    if not is_column(source):
        as_iterable(source, "the input", "a path, or a list of texts, such as [text]")
    if not isinstance(source, list | tuple) or not source or not names_file(source[0]):
        return None
    paths: list[AnyFile] = []
    for number, item in enumerate(source):
        if not isinstance(item, str | os.PathLike):
            raise ArgumentTypeError(f"input item {number} is {type(item).__name__} in a list of paths: {SAY_WHICH}")
        refuse_address(item, number)
        paths += expand(
            item,
            f"no file {shorten(os.fspath(item))!r} to read, item {number} of the input, whose first item names a "
            f"file: {SAY_WHICH}",
        )
    return paths


def find_named(files: Any) -> list[AnyFile]:
    """The files that a path, a glob, a folder or a list of them names."""
    named = [files] if isinstance(files, str | os.PathLike) else list(as_iterable(files, "files", "a list of paths"))
    if not named:
        raise OptionError("files is empty: name at least one file")
    paths: list[AnyFile] = []
    for number, item in enumerate(named):
        if not isinstance(item, str | os.PathLike):
            raise ArgumentTypeError(f"item {number} of files is {type(item).__name__}: files are named by str or Path")
        paths += expand(item, f"no file {shorten(os.fspath(item))!r} to read")
    return paths


def no_paths(texts: Any) -> None:
    """Check that an input can hold texts."""
    if not is_column(texts):
        as_iterable(texts, "texts", "a list of texts, such as [text]")


def usual_line_ends(blocks: Iterable[Block], figures: CorpusFigures) -> Iterator[Block]:
    """Yield the blocks of one file with LF for CR LF, and without a BOM; `figures` counts both.

    Texts of records stay as they are.
    """
    is_first = True
    for block in blocks:
        if isinstance(block, bytes):
            if is_first and block.startswith(BOM_UTF8):
                figures.boms += 1
                block = block[len(BOM_UTF8) :]
            n_lines = block.count(b"\r\n")
            if n_lines:
                figures.crlf_lines += n_lines
                block = block.replace(b"\r\n", b"\n")
        is_first = False
        yield block


def file_blocks(
    path: AnyFile, figures: CorpusFigures, separator: bytes, column: str | None = None
) -> Generator[Block, None, None]:
    """Yield one file in blocks of whole documents; errors are FileErrors that name the path.

    figures: grow with what is read. column: of files of records, as in `Source`.
    """
    kind = records_kind(path, column)
    try:
        if kind is not None and column is not None:
            for texts in read_records(path, kind, column, figures.notes.bad):
                figures.bytes_read += sum(map(len, texts))
                yield texts
            return
        with path.open("rb", buffering=0) if column is None else open_unpacked(path) as file:
            reads = file_reads(file, path, figures)
            if separator == LINE_END:
                yield from whole_lines(reads, figures)
            else:
                yield from whole_documents(reads, figures, separator)
    except FileError:
        raise
    except PermissionError as error:
        raise FilePermissionError(error.errno, f"cannot be read: {error.strerror or error}", str(path)) from None
    except FileNotFoundError as error:
        raise MissingFileError(error.errno, f"cannot be read: {error.strerror or error}", str(path)) from None
    except OSError as error:
        raise FileError(error.errno, f"cannot be read: {error.strerror or error}", str(path)) from None


def file_reads(file: BinaryIO, path: AnyFile, figures: CorpusFigures) -> Iterator[bytes]:
    """Yield the content of a file in parts; `figures` counts the bytes. Raises FileError if it surely is not text."""
    is_first = True
    reads = readable(iter(lambda: file.read(BLOCK_SIZE), b""), figures.notes.bad)
    for data in with_whole_start(reads, min(START, BLOCK_SIZE)):
        figures.bytes_read += len(data)
        if is_first:
            figures.notes.check(data, path)
            if figures.notes.has_counts:
                data = data.removeprefix(BOM_UTF8)
        is_first = False
        yield data


def whole_documents(reads: Iterator[bytes], figures: CorpusFigures, separator: bytes) -> Iterator[list[bytes]]:
    """Yield lists of documents; one longer than LONG_LINE is cut at a space, and `figures` counts it."""

    def cut(rest: bytearray, size: int) -> tuple[int, int] | None:
        if size <= LONG_LINE:
            return None
        figures.cut_lines += 1
        return place_to_cut(rest[:size])

    for documents, _ in split_documents(reads, separator, cut):
        yield documents


def whole_lines(reads: Iterator[bytes], figures: CorpusFigures) -> Iterator[bytes]:
    """Yield blocks that end at a line end; a line longer than LONG_LINE is cut at a space, else between characters.

    The space at a cut is dropped: normalization adds one at the start of the next part. `figures` counts such lines.
    """
    rest: list[bytes] = []  # the beginning of a line whose end is not read yet
    n_rest = 0
    for data in reads:
        end = data.rfind(b"\n") + 1
        if end == 0 and n_rest > LONG_LINE and not is_within_char(data):
            stop, end = place_to_cut(data)
            figures.cut_lines += 1
            yield b"".join([*rest, data[:stop]])
            rest, n_rest = [], 0
        elif end > 0:
            yield b"".join([*rest, data[:end]])
            rest, n_rest = [], 0
        rest.append(data[end:])
        n_rest += len(data) - end
    if n_rest:
        yield b"".join(rest)


def place_to_cut(data: bytes | bytearray) -> tuple[int, int]:
    """Return where a part of a long line ends, and where the next begins (byte offsets)."""
    space = data.rfind(b" ")
    if space >= 0:
        return space, space + 1
    place = len(data) - 1
    while place > max(len(data) - 4, 0) and data[place] & 0xC0 == 0x80:  # go back to the start of a character
        place -= 1
    return place, place


def is_within_char(data: bytes) -> bool:
    """Whether `data` may be only the rest of a character that began before: a read from a pipe can be that short."""
    return len(data) < 4 and all(byte & 0xC0 == 0x80 for byte in data)


def text_blocks(texts: Iterable[object], figures: CorpusFigures, column: str | None = None) -> Iterator[list[bytes]]:
    """Yield texts as UTF-8, in lists of at most TEXTS_PER_BLOCK texts or about BLOCK_SIZE bytes.

    column: the name of the texts where the iterable gives tables. figures: counts the bytes.
    """
    block: list[bytes] = []
    n_bytes = 0
    for number, text in enumerate(flattened(texts, column)):
        data = encode_text(text, number)
        block.append(data)
        n_bytes += len(data)
        if len(block) >= TEXTS_PER_BLOCK or n_bytes >= BLOCK_SIZE:
            look_at_texts(block, figures)
            figures.bytes_read += n_bytes
            yield block
            block, n_bytes = [], 0
    look_at_texts(block, figures)
    figures.bytes_read += n_bytes
    if block:
        yield block


def look_at_texts(block: list[bytes], figures: CorpusFigures) -> None:
    """Note it if the first texts of an iterable look like another format, or like lines with their ends."""
    if figures.bytes_read == 0 and block:
        figures.notes.look_at_texts(block[:LOOKED_AT], "the input")


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


def split_block(block: Block) -> list[bytes]:
    """The lines of a block."""
    if isinstance(block, list):
        return block
    lines = block.split(b"\n")
    return lines if lines[-1] else lines[:-1]
