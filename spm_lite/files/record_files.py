"""Files of records: JSON lines, a JSON array, CSV and TSV, of which one or several columns hold the texts.

What a file is, the caller says; or else its name tells, by its ending without that of a compression.
"""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError, OptionError
from spm_lite.files.compressed import SUFFIXES
from spm_lite.files.read_options import LEAVE_OUT, BadRecords, Reading
from spm_lite.files.remote import AnyFile

if TYPE_CHECKING:
    from typing import Any, TypeAlias

ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
TEXT_NAMES = (".txt", ".text", ".md")  # endings of files of plain text, whatever column is named
NAME_IT = "Name it with column='NAME'"  # for messages
AS_IT_IS = ", or read the file as it is with input_format='text'"
LONG_NAME = 30  # characters; a longer one that has spaces is likely a text
ROWS_AT_ONCE = 1 << 13
TEXT_BYTES = 1 << 22  # of texts at once, about
LONGEST_WORD = 20  # characters of JSON that a part of a file may cut, beside a string
END = object()  # no item of JSON
SPACES = re.compile(r"[ \t\r\n]*")


def format_by_name(path: AnyFile) -> str | None:
    """The kind of records that a file holds by its name; None: it is plain text."""
    name = unpacked_name(path)
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), None)


def unpacked_name(path: AnyFile) -> str:
    """The name of a file in small letters, without the ending of a compression."""
    name = path.name.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def format_of_file(path: AnyFile, reading: Reading) -> str:
    """What a file is read as: "text", a value of ENDINGS, or "records" for JSON of whichever form.

    The caller's word comes first, then the name of the file.
    """
    if reading.is_raw or reading.input_format in ("text", "tsv"):
        return "text"
    if reading.input_format == "jsonl":
        return "records"
    if reading.input_format != "auto":
        return reading.input_format
    found = format_by_name(path)
    if found is None:
        return "records" if reading.is_column_said and not unpacked_name(path).endswith(TEXT_NAMES) else "text"
    return found


def json_kind(first: bytes, path: AnyFile, reading: Reading) -> str:
    """ "jsonl", or "json" for one array, by the beginning of a file. Raises FileError if it is neither."""
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] not in (b"{", b"["):
        if not start:
            return "jsonl"
        said = "input_format='jsonl'" if reading.input_format == "jsonl" else f"column={reading.column!r:.60}"
        raise FileError(
            f"{str(path)!r} does not begin as JSON lines or a JSON array do, and {said} says that it holds records: "
            "name another format with input_format, such as 'csv', or leave out column to read it as plain text"
        )
    return "json" if start.startswith(b"[") else "jsonl"


def place_name(path: AnyFile, unit: str, number: int) -> str:
    """The name of a text, or of another place in a file, in messages. unit: such as "line"; "": the whole file."""
    before = getattr(path, "n_before", None)  # of a slice of a file
    return f"{str(path)!r}, {unit} {number + (before(unit) if before else 0)}" if unit else repr(str(path))


def record_blocks(
    reads: Iterator[bytes], path: AnyFile, kind: str, reading: Reading, bad: BadRecords
) -> Iterator[list[bytes]]:
    """Yield the texts of JSON lines, a JSON array, CSV or TSV as UTF-8, some thousands at once.

    reads: the content of the file, in parts. bad: takes what cannot be read. Raises FileError that names file and line,
    for damaged records, a row without the column, and a value that is not text; OptionError if there is no such column.
    """
    rows = {"jsonl": json_rows, "json": array_rows, "csv": table_rows, "tsv": table_rows}[kind]
    block: list[bytes] = []
    n_bytes = 0
    for text in rows(reads, path, kind, reading, bad):
        if text is not None:
            block.append(text)
            n_bytes += len(text)
        if len(block) >= ROWS_AT_ONCE or n_bytes >= TEXT_BYTES or (text is None and block):
            yield block
            block, n_bytes = [], 0
    if block:
        yield block


def lines_of(reads: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, without their LF."""
    return chain.from_iterable(lists_of_lines(reads))


def lists_of_lines(reads: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines that end in each part of a file, without their LF; the last may lack it."""
    rest: list[bytes] = []
    for data in reads:
        if b"\n" not in data:
            rest.append(data)
            continue
        lines = b"".join([*rest, data]).split(b"\n") if rest else data.split(b"\n")
        rest = [lines.pop()]
        yield lines
    last = b"".join(rest)
    if last:
        yield [last]


def json_rows(
    reads: Iterator[bytes], path: AnyFile, kind: str, reading: Reading, bad: BadRecords
) -> Iterator[bytes | None]:
    """Yield the text of each line of JSON. Empty lines are skipped. None: no more is there yet, perhaps."""
    import json

    loads, only = json.loads, reading.columns[0]
    is_plain = len(reading.columns) == 1 and "." not in only and "[]" not in only
    number = 0
    for lines in lists_of_lines(reads):
        for line in lines:
            number += 1
            try:
                value = loads(line.decode())[only] if is_plain else None
                if isinstance(value, str):  # as in most files
                    yield value.encode()
                    continue
            except (ValueError, LookupError, TypeError, RecursionError):
                pass  # the long way finds the texts, or says what is wrong
            data = line.removeprefix(BOM_UTF8) if number == 1 else line
            if not data.strip():
                continue
            where = partial(place_name, path, "line", number)
            try:
                row = json_row(data, where, reading.column)
                texts = texts_of_row(row, where, reading.columns, reading.nulls_are_empty)
            except (FileError, OptionError) as error:
                bad.meet(error)
                continue
            yield from texts
        yield None


def array_rows(reads: Iterator[bytes], path: AnyFile, kind: str, reading: Reading, bad: BadRecords) -> Iterator[bytes]:
    """Yield the text of each object in one array of JSON. No more than an item is kept."""
    items = items_of_array(reads, path)
    number = 0
    while True:
        number += 1
        where = partial(place_name, path, "item", number)
        try:
            row = next(items, END)
            if row is END:
                return
            found = checked_row(row, where, reading.column)
            texts = texts_of_row(found, where, reading.columns, reading.nulls_are_empty)
        except (FileError, OptionError) as error:
            bad.meet(error)
            continue  # after damage there is no further item
        yield from texts


def items_of_array(reads: Iterator[bytes], path: AnyFile) -> Iterator[Any]:
    """Yield the items of an array of JSON. Raises FileError where it is not one."""
    import json

    scan = json.JSONDecoder().raw_decode
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    text, place, number, has_more = "", 0, 1, True
    while True:
        try:
            sign = SPACES.match(text, place).end()  # type: ignore[union-attr]
            begin = SPACES.match(text, sign + 1).end()  # type: ignore[union-attr]
            if text[sign : sign + 1] == "]" and number > 1:
                check_end(text[sign + 1 :], decoder, reads, path, number)
                return
            if text[sign : sign + 1] != ("[" if number == 1 else ","):
                raise ValueError(f"it has {text[sign : sign + 20]!r} there")
            if text[begin : begin + 1] == "]" and number == 1:
                check_end(text[begin + 1 :], decoder, reads, path, number)
                return
            item, end = scan(text, begin)
            if has_more and end == len(text):
                raise ValueError("a number may go on")
        except (ValueError, RecursionError) as error:
            is_wrong = isinstance(error, RecursionError) or (  # which more of the text would not mend
                getattr(error, "pos", len(text)) < len(text) - LONGEST_WORD and "Unterminated" not in str(error)
            )
            if not has_more or is_wrong:
                raise FileError(
                    f"{str(path)!r}, item {number}: it is not in an array of JSON ({str(error)[:80]}): correct the file"
                ) from None
            parts = [text[place:]]
            place, missing = 0, len(parts[0]) + 1  # twice as much, so that a long item is not tried too often
            while has_more and missing > 0:
                data = next(reads, b"")
                has_more = bool(data)
                try:
                    parts.append(decoder.decode(data, not data))
                except UnicodeDecodeError as error:
                    raise FileError(f"{str(path)!r}, item {number}: it is not UTF-8 ({error.reason})") from None
                missing -= len(parts[-1])
            text = "".join(parts)
            continue
        place, number = end, number + 1
        yield item


def check_end(rest: str, decoder: Any, reads: Iterator[bytes], path: AnyFile, number: int) -> None:
    """Raise FileError if anything but white space follows the end of an array. rest: what was read of it."""
    while True:
        if rest.strip():
            raise FileError(
                f"{str(path)!r}: {rest.strip()[:20]!r} follows the array of JSON, after item {number - 1}: leave it "
                "out, or write each array to a file of its own"
            )
        data = next(reads, b"")
        if not data:
            return
        rest = decoder.decode(data)


def json_row(data: bytes, where: Callable[[], str], column: str) -> dict[str, Any]:
    """The object of a line of JSON. Raises FileError for another line. where: names the line, for messages."""
    import json  # here and below, since encoding plain text needs none of these

    try:
        row = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{where()}: {data[:60]!r} is not JSON ({str(error)[:80]}): correct the line or leave it out"
        ) from None
    return checked_row(row, where, column)


def checked_row(row: Any, where: Callable[[], str], column: str) -> dict[str, Any]:
    """A row, if it is an object. Raises FileError. where: names it, for messages."""
    if not isinstance(row, dict):
        raise FileError(f"{where()}: it holds {type(row).__name__}, not an object with the field {column!r}")
    return row


def texts_of_row(
    row: dict[str, Any], where: Callable[[], str], columns: Iterable[str], nulls_are_empty: bool = False
) -> list[bytes]:
    """The texts of an object, column after column; a column that is a list has several. columns: as for `values_at`.

    nulls_are_empty: so is an object without the field. Raises FileError for a value of another kind, OptionError for an
    object without the field.
    """
    from spm_lite.texts.inputs import values_at

    texts: list[bytes] = []
    for column in columns:
        try:
            for value in values_at(row, column, nulls_are_empty):
                texts.append(b"" if nulls_are_empty and value is None else utf8_of_value(value, where, column))
        except LookupError as error:
            raise OptionError(f"{where()}: there is no field {column!r:.60}: {error.args[0]}. {NAME_IT}") from None
        except RecursionError:
            raise FileError(f"{where()}: {column!r:.60} is nested too deep: leave the line out") from None
    return texts


def utf8_of_value(value: Any, where: Callable[[], str], column: str) -> bytes:
    """A value as UTF-8. Raises FileError for one that is not text. where: names its line."""
    if not isinstance(value, str):
        kind = "null" if value is None else type(value).__name__
        raise FileError(f"{where()}: {column!r:.60} is {kind}, not a text: {LEAVE_OUT}, or name another column")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise FileError(f"{where()}: {column!r:.60} holds a lone surrogate at position {error.start}") from None


def table_rows(reads: Iterator[bytes], path: AnyFile, kind: str, reading: Reading, bad: BadRecords) -> Iterator[bytes]:
    """Yield the texts of each row of CSV or TSV, whose first line has the names of the columns."""
    delimiter = (reading.delimiter or ("\t" if kind == "tsv" else ",")).encode()
    quotes = kind == "csv" if reading.quoting is None else reading.quoting
    lines = lines_of(with_line_feeds(reads))
    rows = quoted_rows(lines, delimiter) if quotes else plain_rows(lines, delimiter)
    places: list[int] = []
    n_columns = 0
    for number, row, wrong in rows:
        if not row and not wrong:
            continue
        where = place_name(path, "line", number)
        if not places and not wrong:
            names, tabbed = [name.decode("utf-8", "replace") for name in row], path if delimiter == b"\t" else None
            otherwise = hint_of_table(names) + AS_IT_IS
            places = [place_of(names, where, column, otherwise, tabbed) for column in reading.columns]
            n_columns = len(row)
        elif wrong:
            bad.meet(
                FileError(
                    f"{where}: it is not a row of {kind.upper()} ({wrong}): correct it or leave it out. If quotation "
                    "marks are text in this file, pass quoting=False"
                )
            )
        elif len(row) != n_columns:
            bad.meet(FileError(f"{where}: it has {len(row)} columns, and the first line {n_columns}: correct the row"))
        else:
            for place in places:
                yield row[place]


def with_line_feeds(reads: Iterator[bytes]) -> Iterator[bytes]:
    """The parts of a table; if CR alone ends its lines, as in old files, with LF in its place."""
    first = next(reads, b"")
    is_old = b"\r" in first[:-1] and b"\n" not in first
    for data in chain((first,), reads):
        yield data.replace(b"\r", b"\n") if is_old else data


def hint_of_table(names: list[str]) -> str:
    """The end of a message, if a header is one field that holds another delimiter."""
    for delimiter, noun in ((";", "semicolons"), ("\t", "TABs"), ("|", "vertical bars"), (",", "commas")):
        if len(names) == 1 and delimiter in names[0]:
            return f". Its first line has {noun}: pass delimiter={delimiter!r} if they separate columns"
    return ""


Row: TypeAlias = "tuple[int, list[bytes], str]"  # number of the line, its fields, and what is wrong with it


def plain_rows(lines: Iterable[bytes], delimiter: bytes) -> Iterator[Row]:
    """Yield each row of a table in which quotation marks are text."""
    for number, line in enumerate(lines, 1):
        text = (line.removeprefix(BOM_UTF8) if number == 1 else line).removesuffix(b"\r")
        yield number, text.split(delimiter) if text else [], ""


def quoted_rows(lines: Iterable[bytes], delimiter: bytes) -> Iterator[Row]:
    """Yield each row of a table in which quotation marks may enclose a field, which then may hold line ends.

    The module csv would refuse fields of more than 131,072 characters, unless the limit of the whole process is raised.
    """
    fields: list[bytes] = []
    parts: list[bytes] | None = None  # of a field whose closing mark is missing
    first = number = 1
    for number, line in enumerate(lines, 1):
        place = 0
        if parts is None:
            first, line = number, line.removeprefix(BOM_UTF8) if number == 1 else line
            if b'"' not in line:  # as most lines
                yield number, line.removesuffix(b"\r").split(delimiter) if line.strip(b"\r") else [], ""
                continue
            fields = []
        while True:
            if parts is None and not line.startswith(b'"', place):
                end = line.find(delimiter, place)
                fields.append(line[place:end] if end >= 0 else line[place:].removesuffix(b"\r"))
                place = end + len(delimiter)
                if end < 0:
                    yield first, fields, ""
                    break
                continue
            parts, place = ([], place + 1) if parts is None else (parts, place)
            end = line.find(b'"', place)
            if end < 0:
                parts += (line[place:], b"\n")
                break
            parts.append(line[place:end])
            place = end + 1
            if line.startswith(b'"', place):
                parts.append(b'"')
                place += 1
                continue
            fields.append(b"".join(parts))
            parts = None
            if line[place:] in (b"", b"\r"):
                yield first, fields, ""
                break
            if not line.startswith(delimiter, place):
                yield first, fields, f"{line[place : place + 20]!r} follows a closing quotation mark"
                break
            place += len(delimiter)
    if parts is not None:
        lost = "" if number == first else f", so that {number - first + 1:,} lines, to the end of the file, are one row"
        yield first, fields, f"the closing quotation mark of a field is missing{lost}"


def headless(names: list[str], path: AnyFile | None, column: str) -> str:
    """What to do with a table between TABs whose first row seems to be no header; an empty str if it may be one."""
    is_data = any(name.isdecimal() or (len(name) > LONG_NAME and " " in name) for name in names)
    is_plain = path is not None and path.name and not str(path).endswith(tuple(SUFFIXES))
    if not is_plain or column in names or len(names) < 2 or not (is_data or column.isdecimal()):
        return ""
    import shlex

    place, name = max(range(len(names)), key=lambda i: len(names[i])), str(path)
    return (
        f"the file seems to have no header. Make a text of field {place + 1}: cut -f{place + 1} {shlex.quote(name)} > "
        f"texts.txt in a shell, or [line.split(b'\\t')[{place}] for line in pathlib.Path({name!r}).read_bytes()"
        ".splitlines()] in Python"
    )


def place_of(names: list[str], where: str, column: str, otherwise: str = "", path: AnyFile | None = None) -> int:
    """The index of a column. Raises OptionError if there is none of that name. otherwise: another remedy.

    path: the file, if its columns stand between TABs and a header names them.
    """
    if names.count(column) != 1:
        if without_header := headless(names, path, column):
            raise OptionError(f"{where}: there is no column {column!r:.60}, and {without_header}")
        shown = ", ".join(map(repr, names))
        raise OptionError(
            f"{where}: there is {'no' if column not in names else 'more than one'} column {column!r:.60}: it has "
            f"{shown:.120}. {NAME_IT}{otherwise}"
        )
    return names.index(column)
