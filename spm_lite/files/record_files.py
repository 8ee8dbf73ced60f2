"""Files of records: JSON lines, CSV, TSV, Parquet, Arrow and Feather, of which one column holds the texts.

What a file is, its name tells: its ending, without that of a compression. Each value of the column is a document.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, FileError, OptionError
from spm_lite.files.bad_records import BadRecords
from spm_lite.files.compressed import SUFFIXES, DamagedData, open_unpacked
from spm_lite.files.remote import AnyFile, RemoteFile
from spm_lite.texts.wrong_texts import has_counts

if TYPE_CHECKING:
    from typing import Any, BinaryIO

ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
COLUMN = "text"  # the usual name
NAME_IT = "Name it with column='NAME'"  # for messages
AS_IT_IS = ", or read the file as it is with input_format='text'"
ROWS_AT_ONCE = 1 << 13
LONGEST_FIELD = 1 << 30  # characters of a field of CSV
READ_SIZE = 1 << 20


def as_column(column: Any) -> str:
    """The name of a column. Raises ArgumentTypeError for something else."""
    if not isinstance(column, str) or not column:
        raise ArgumentTypeError(f"column={column!r:.40}: must be the name of a column, such as {COLUMN!r}")
    return column


def format_by_name(path: AnyFile) -> str | None:
    """The kind of records that a file holds by its name; None: it is plain text."""
    name = path.name.lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), None)


def records_kind(path: AnyFile, column: str | None) -> str | None:
    """The kind of records that a file is read as; None: it is read as plain text.

    column: of the texts; "" or None: every file is plain text.
    """
    return format_by_name(path) if column else None


def read_records(path: AnyFile, kind: str, column: str, bad: BadRecords | None = None) -> Iterator[list[bytes]]:
    """Yield the texts of a column as UTF-8, some thousands at once.

    kind: a value of ENDINGS. bad: takes what cannot be read.
    Raises FileError that names file and line or row, for damaged records, a row without the
    column, and a value that is not text; OptionError if the file has no such column.
    """
    bad = bad or BadRecords()
    if kind in ("parquet", "arrow"):
        yield from read_columns(path, kind, column, bad)
        return
    with open_unpacked(path) as file:
        rows = json_rows(file, path, column, bad) if kind == "jsonl" else table_rows(file, path, kind, column, bad)
        block: list[bytes] = []
        try:
            for text in rows:
                block.append(text)
                if len(block) >= ROWS_AT_ONCE:
                    yield block
                    block = []
        except DamagedData as error:
            bad.meet(error)
        if block:
            yield block


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream, without their ends."""
    rest = b""
    while data := file.read(READ_SIZE):
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        yield from lines
    if rest:
        yield rest


def json_rows(file: BinaryIO, path: AnyFile, column: str, bad: BadRecords) -> Iterator[bytes]:
    """Yield the text of each line of JSON. Empty lines are skipped."""
    for number, line in enumerate(lines_of(file), 1):
        data = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not data.strip():
            continue
        where = partial("{!r}, line {}".format, str(path), number)
        try:
            row = json_row(data, where, column)
            value = row.get(column)
            if isinstance(value, str):  # as in most files; a list for each takes a tenth of the time
                yield utf8_of_value(value, where, column)
                continue
            texts = texts_of_row(row, where, column)
        except (FileError, OptionError) as error:
            bad.meet(error)
            continue
        yield from texts


def json_row(data: bytes, where: Callable[[], str], column: str) -> dict[str, Any]:
    """The object of a line of JSON. Raises FileError for another line. where: names the line, for messages."""
    import json  # here and below, since encoding plain text needs none of these

    try:
        row = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{where()}: {data[:60]!r} is not JSON ({str(error)[:80]}): correct the line or leave it out"
        ) from None
    if not isinstance(row, dict):
        raise FileError(f"{where()}: it holds {type(row).__name__}, not an object with the field {column!r}")
    return row


def texts_of_row(
    row: dict[str, Any], where: Callable[[], str], column: str, nulls_are_empty: bool = False
) -> list[bytes]:
    """The texts of an object; several if the column is a list. column: as `values_at` takes it.

    nulls_are_empty: so is an object without the field. Raises FileError for a value of another kind, OptionError for an
    object without the field.
    """
    value = row.get(column)
    if isinstance(value, str):  # as in most files
        return [utf8_of_value(value, where, column)]
    from spm_lite.texts.inputs import values_at

    try:
        values = [*values_at(row, column, nulls_are_empty)]
    except LookupError as error:
        raise OptionError(f"{where()}: there is no field {column!r:.60}: {error.args[0]}. {NAME_IT}") from None
    except RecursionError:
        raise FileError(f"{where()}: {column!r:.60} is nested too deep: leave the line out") from None
    return [b"" if nulls_are_empty and value is None else utf8_of_value(value, where, column) for value in values]


def utf8_of_value(value: Any, where: Callable[[], str], column: str) -> bytes:
    """A value as UTF-8. Raises FileError for one that is not text. where: names its line."""
    if not isinstance(value, str):
        kind = "null" if value is None else type(value).__name__
        raise FileError(f"{where()}: {column!r:.60} is {kind}, not a text: leave the row out, or name another column")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise FileError(f"{where()}: {column!r:.60} holds a lone surrogate at position {error.start}") from None


def table_rows(file: BinaryIO, path: AnyFile, kind: str, column: str, bad: BadRecords) -> Iterator[bytes]:
    """Yield the text of each row of CSV or TSV, whose first line has the names of the columns."""
    import csv

    stream = text_stream(file)
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        rows = csv.reader(stream, delimiter="\t" if kind == "tsv" else ",", strict=True)
        place: int | None = None
        n_columns = 0
        while True:
            where = f"{str(path)!r}, line {rows.line_num + 1}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                bad.meet(FileError(f"{where}: it is not a row of {kind.upper()} ({error}): correct it or leave it out"))
                continue
            if not row:
                continue
            if place is None:
                place, n_columns = place_of(row, where, column, AS_IT_IS), len(row)
                continue
            if len(row) != n_columns:
                bad.meet(
                    FileError(f"{where}: it has {len(row)} columns, and the first line {n_columns}: correct the row")
                )
                continue
            yield row[place].encode("utf-8", "surrogateescape")
    finally:
        csv.field_size_limit(before)


def place_of(names: list[str], where: str, column: str, otherwise: str = "") -> int:
    """The index of a column. Raises OptionError if there is none of that name. otherwise: another remedy."""
    if names.count(column) != 1:
        shown = ", ".join(map(repr, names))
        raise OptionError(
            f"{where}: there is {'no' if column not in names else 'more than one'} column {column!r:.60}: it has "
            f"{shown:.120}. {NAME_IT}{otherwise}"
        )
    return names.index(column)


class Reader(io.RawIOBase):
    """What TextIOWrapper needs of a stream."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rest = b""

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return the number of bytes, 0 at the end."""
        data = self._rest or self._file.read(READ_SIZE)
        n = min(len(data), len(buffer))
        buffer[:n], self._rest = data[:n], data[n:]
        return n


def text_stream(file: BinaryIO) -> Any:
    """A stream of text, as the module csv reads it, over one of bytes. Ill-formed bytes become lone surrogates."""
    buffered = io.BufferedReader(Reader(file), READ_SIZE)
    return io.TextIOWrapper(buffered, encoding="utf-8-sig", errors="surrogateescape", newline="")


def read_columns(path: AnyFile, kind: str, column: str, bad: BadRecords) -> Iterator[list[bytes]]:
    """Yield the texts of a column of Parquet, Arrow or Feather, batch by batch."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise FileError(
            f"{str(path)!r} needs the package pyarrow: pip install 'spm_lite[parquet]', or pip install pyarrow"
        ) from None
    number = 0
    try:
        if kind == "parquet":
            with path.open("rb") as opened_file, parquet.ParquetFile(opened_file) as file:
                names = check_schema(file.schema_arrow, path, column, allows_path=True)
                for batch in file.iter_batches(ROWS_AT_ONCE, columns=names[:1]):
                    found = batch.column(batch.schema.get_field_index(names[0]))
                    yield texts_of(*values_of(found, names[1:]), path, column, number, bad)
                    number += batch.num_rows
            return
        with arrow_source(path) as source:
            opened = open_arrow(ipc, source)
            names = check_schema(opened.schema, path, column, allows_path=True)
            for batch in batches_of(opened):
                for begin in range(0, batch.num_rows, ROWS_AT_ONCE):
                    found = batch.column(batch.schema.get_field_index(names[0])).slice(begin, ROWS_AT_ONCE)
                    yield texts_of(*values_of(found, names[1:]), path, column, number, bad)
                    number += len(found)
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0][:200]
        bad.meet(FileError(f"{str(path)!r}, after row {number}: it is damaged, or its format is not {kind} ({reason})"))


def arrow_source(path: AnyFile) -> Any:
    """A file as Arrow reads it: in place if it is here."""
    import pyarrow

    return (
        pyarrow.PythonFile(path.open("rb"), mode="r") if isinstance(path, RemoteFile) else pyarrow.memory_map(str(path))
    )


def open_arrow(ipc: Any, source: Any) -> Any:
    """A reader of a file, or of a stream, of Arrow."""
    import pyarrow

    try:
        return ipc.open_file(source)
    except pyarrow.ArrowInvalid:
        source.seek(0)
        return ipc.open_stream(source)


def batches_of(opened: Any) -> Iterator[Any]:
    """Yield the record batches of a reader."""
    if hasattr(opened, "num_record_batches"):
        for i in range(opened.num_record_batches):
            yield opened.get_batch(i)
    else:
        yield from opened


def check_schema(schema: Any, path: AnyFile, column: str, allows_path: bool = False) -> list[str]:
    """The names that lead to a column: a column of the schema, then fields below it.

    column: as `values_at` takes it. allows_path: otherwise it is one name. Raises OptionError unless a file has one
    column of that name, or one that a path begins with; FileError if it is a count table.
    """
    if has_counts(schema):
        raise FileError(
            f"{str(path)!r} is a count table, and as texts it would lose its counts: CountTable.load_parquet reads it"
        )
    names = [name.removesuffix("[]") for name in column.split(".")]
    for n in range(len(names), 0, -1) if allows_path and column not in schema.names else ():
        first = ".".join(names[:n])
        if schema.names.count(first) == 1:
            return [first, *fields_on_path(schema.field(first).type, names[n:], path, column)]
    place_of(schema.names, repr(str(path)), column)
    return [column]


def fields_on_path(kind: Any, names: list[str], path: AnyFile, column: str) -> list[str]:
    """The fields to enter one after another from a type of Arrow; a name with dots is one. Raises OptionError."""
    import pyarrow

    while is_list(kind):
        kind = kind.value_type
    if not names:
        return []
    there = [field.name for field in kind] if pyarrow.types.is_struct(kind) else []
    for n in range(len(names), 0, -1):
        name = ".".join(names[:n])
        if there.count(name) == 1:
            return [name, *fields_on_path(kind.field(name).type, names[n:], path, column)]
    raise OptionError(
        f"{str(path)!r}: there is no field {column!r:.60}: {names[0]!r:.60} is looked for in "
        f"{', '.join(map(repr, there)) or str(kind):.120}. {NAME_IT}"
    )


def is_list(kind: Any) -> bool:
    """Whether a type of Arrow is that of lists."""
    import pyarrow

    types = pyarrow.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def values_of(found: Any, names: list[str]) -> tuple[Any, Any]:
    """The values that names lead to from a part of a column, and the row of each; None: each row has one.

    The items of lists follow each other. A list that is null, or below one, gives a null.
    """
    import pyarrow.compute

    rows = None
    for name in [*names, None]:
        while is_list(found.type):
            rows = pyarrow.array(range(len(found))) if rows is None else rows
            places = pyarrow.compute.list_parent_indices(found)
            held, within = found.flatten(), rows.take(places)
            if found.null_count:  # each gives a null of its own, after all others
                lost = rows.filter(found.is_null())
                held = pyarrow.concat_arrays([held, pyarrow.nulls(len(lost), held.type)])
                within = pyarrow.concat_arrays([within, lost])
            found, rows = held, within
        if name is not None:
            found = pyarrow.compute.struct_field(found, name)
    return found, rows


def texts_of(found: Any, rows: Any, path: AnyFile, column: str, number: int, bad: BadRecords) -> list[bytes]:
    """The texts of a part of a column. rows: as `values_of` gives them. number: rows before it."""
    import pyarrow

    if pyarrow.types.is_dictionary(found.type):
        found = found.dictionary_decode()
    kind = str(found.type)
    if kind not in ("string", "large_string", "binary", "large_binary", "string_view", "binary_view"):
        raise OptionError(
            f"{str(path)!r}: the column {column!r:.60} holds {kind}, not texts: name another one with column"
        )
    if found.null_count:
        row = next(i for i, value in enumerate(found) if not value.is_valid)
        row = row if rows is None else rows[row].as_py()
        where = f"{str(path)!r}, row {number + row + 1}: {column!r:.60} is null"
        bad.meet(FileError(f"{where}: leave the row out"), found.null_count)
        found = found.drop_null()
    return found.cast(pyarrow.large_binary()).to_pylist()  # type: ignore[no-any-return]
