"""Parquet, Arrow and Feather files: the texts of their columns, batch by batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, FileError, OptionError
from spm_lite.files.compressed import DamagedData, most_unpacked, sizes_of_batches, too_much
from spm_lite.files.read_options import LEAVE_OUT, BadRecords, Reading
from spm_lite.files.record_files import NAME_IT, place_name, place_of
from spm_lite.files.remote import AnyFile, RemoteFile, as_file
from spm_lite.texts.inputs import is_column
from spm_lite.texts.wrong_texts import has_counts

if TYPE_CHECKING:
    from typing import Any

    from spm_lite.texts.text_view import Texts

TEXT_BYTES = 1 << 22  # of texts at once, about
MOST_ROWS = 1 << 16
MOST_EMPTY = 1 << 24  # texts without a byte, of which a file takes any number in a few bytes
EMPTY_BYTES = 64  # that each of them counts for where `max_unpacked` allows more
ARROW_FILE = b"ARROW1"  # what it begins with, and a stream does not
INPUT: Any = "the input"  # the path of tables in memory, for messages
TEXT_TYPES = ("string", "large_string", "binary", "large_binary", "string_view", "binary_view", "null")


def read_columns(
    path: AnyFile, kind: str, reading: Reading, bad: BadRecords
) -> Iterator[tuple[list[bytes] | Texts, int, str]]:
    """Yield texts of Parquet, Arrow or Feather, batch by batch: (texts, their bytes, what one is in messages).

    One column whose rows hold a text each is not copied.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise FileError(
            f"{str(path)!r} needs the package pyarrow: pip install 'spm_lite[parquet]', or pip install pyarrow"
        ) from None
    file = ColumnFile(path, kind, reading, bad)
    with file.part():
        yield from file.parquet() if kind == "parquet" else file.arrow()


class ColumnFile:
    """One file of columns. A damaged part of it is an error that names the place, or is left out and counted."""

    def __init__(self, path: AnyFile, kind: str, reading: Reading, bad: BadRecords) -> None:
        self._path, self._kind, self._reading, self._bad = path, kind, reading, bad
        self._number = 0  # rows so far
        self._n_bytes = 0  # of their texts
        self._size = path.stat().st_size
        self._most = most_unpacked(reading.max_unpacked, self._size)
        self._most_empty = max(self._most // EMPTY_BYTES, MOST_EMPTY)
        self._n_values = 0

    def parquet(self) -> Iterator[tuple[list[bytes] | Texts, int, str]]:
        """Yield the texts of the row groups of Parquet."""
        from pyarrow import parquet

        with self._path.open("rb") as stream, parquet.ParquetFile(stream) as file:
            names = self._names(file.schema_arrow)
            wanted = [*dict.fromkeys(found[0] for found in names)]
            for group in getattr(self._path, "groups", None) or range(file.num_row_groups):  # of a slice of a file
                end = self._number + max(file.metadata.row_group(group).num_rows, 0)
                with self.part(f"row group {group}", end):
                    for batch in file.iter_batches(rows_at_once(file, group), [group], wanted, use_threads=False):
                        yield self._texts(batch, names)
                self._number = end

    def arrow(self) -> Iterator[tuple[list[bytes] | Texts, int, str]]:
        """Yield the texts of the record batches of a file, or of a stream, of Arrow."""
        from pyarrow import ipc

        with arrow_source(self._path) as source:
            opened = open_arrow(ipc, source)
            names = self._names(opened.schema)
            n_batches: int | None = getattr(opened, "num_record_batches", None)  # None: a stream
            size_of = sizes_of_batches(source, n_batches)
            for i in count() if n_batches is None else range(n_batches):
                batch = None
                if size_of(i) > 2 * self._most + TEXT_BYTES:  # with its offsets, and other columns
                    raise too_much(self._path, self._kind, self._size, self._reading.max_unpacked)
                with self.part(f"record batch {i}"):
                    batch = next(opened, None) if n_batches is None else opened.get_batch(i)
                    for part in () if batch is None else self._slices(batch, names):
                        yield self._texts(part, names)
                if batch is None and n_batches is None:  # what follows damage in a stream cannot be found
                    return

    def _names(self, schema: Any) -> list[list[str]]:
        return [path_to_texts(schema, self._path, column) for column in self._reading.columns]

    def _slices(self, batch: Any, names: list[list[str]]) -> Iterator[Any]:
        """Yield parts of a batch with about TEXT_BYTES of texts. Raises ArrowInvalid if the batch is damaged."""
        columns = [batch.column(batch.schema.get_field_index(found[0])) for found in names]
        for column in columns:
            if most_free_values(column) > self._most_empty:  # of which even a check may take memory
                raise self._too_empty()
            check_layout(column)  # before a slice hides what is damaged
        size = sum(column.get_total_buffer_size() for column in columns)
        n_rows = max(min(TEXT_BYTES * max(batch.num_rows, 1) // max(size, 1), MOST_ROWS), 1)
        for begin in range(0, batch.num_rows, n_rows):
            yield batch.slice(begin, n_rows)

    def _texts(self, batch: Any, names: list[list[str]]) -> tuple[list[bytes] | Texts, int, str]:
        """The texts of a batch, their bytes, and what one is in messages, after a check of its columns."""
        if self._kind == "parquet":
            for name in {found[0] for found in names}:
                check_layout(batch.column(batch.schema.get_field_index(name)))
        columns = columns_of(batch, names)
        n_bytes = self._count(columns)
        texts, name = texts_of_batch(columns, self._path, self._number, self._reading, self._bad)
        self._number += batch.num_rows
        return texts, n_bytes, name

    def _count(self, columns: list[tuple[Any, Any]]) -> int:
        """The bytes of texts, before a dictionary is written out. Raises DamagedData if there are too many so far."""
        import pyarrow.compute

        total = pyarrow.compute.sum
        n_bytes = 0
        for values, _ in columns:
            self._n_values += len(values)
            size = total(lengths_of(values)).as_py() or 0
            n_bytes += size
            self._n_bytes += size
            if str(getattr(values.type, "value_type", "")).endswith("_view"):  # a dictionary that is copied first
                self._n_bytes = max(self._n_bytes, total(lengths_of(values.dictionary)).as_py() or 0)
        if self._n_bytes > self._most:
            raise too_much(self._path, self._kind, self._size, self._reading.max_unpacked)
        if self._is_over():
            raise self._too_empty()
        return n_bytes

    def _is_over(self) -> bool:
        """Whether too many texts were read, or too many that are empty: those without a byte, at least."""
        return self._n_bytes > self._most or self._n_values - self._n_bytes > self._most_empty

    def _too_empty(self) -> DamagedData:
        return DamagedData(
            f"{str(self._path)!r} is {self._kind} data of which {self._size:,} bytes hold more than "
            f"{self._most_empty:,} texts that are null or empty: if you trust it, leave them out, or pass "
            f"max_unpacked={16 * EMPTY_BYTES * self._most_empty}"
        )

    @contextmanager
    def part(self, name: str = "", end: int = 0) -> Iterator[None]:
        """Meet what `told_damage` raises in a `with` statement: an error, or a part that is left out.

        name: of the part; "": the whole file. end: rows up to its end; 0: not known.
        """

        def place() -> str:
            column = f", column {self._reading.column!r:.60}" if self._number or name else ""
            return f"{f', {name}' if name else ''}, after row {self._number}{column}"

        lost = f"the {name.rstrip('0123456789 ')}" if name else "the file"
        try:
            with told_damage(self._path, self._kind, place, f", or on_error='skip' leaves {lost} out"):
                yield
        except DamagedData as error:
            if name and self._is_over():  # and so is all that follows
                raise
            self._bad.meet(error, max(end - self._number, 1))


@contextmanager
def told_damage(path: AnyFile | str, kind: str, place: Callable[[], str] = str, remedy: str = "") -> Iterator[None]:
    """Turn what pyarrow raises in a `with` statement into an error that names the file: DamagedData, or MemoryError.

    kind: of the file. place: gives where in it. remedy: beside the usual one.
    """
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, SystemError) as error:
        if isinstance(error, FileError) or getattr(error, "errno", None) is not None:
            raise
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        where = f"{str(path)!r}{place()}"
        if "decrypt" in reason:
            raise DamagedData(f"{where}: it is encrypted ({reason}): write it without encryption{remedy}") from None
        if isinstance(error, MemoryError) and not is_damaged_size(reason, path):
            raise MemoryError(f"{where}: there is too little memory to read it ({reason})") from None
        raise DamagedData(
            f"{where}: it is damaged, or its format is not {kind} ({reason}): write the file again{remedy}"
        ) from None


def is_damaged_size(reason: str, path: AnyFile | str) -> bool:
    """Whether more memory was asked for than a file of this size needs. reason: the words of pyarrow."""
    found = re.search(r"of size (\d+)|capacity too large", reason)  # the latter: than 63 bits hold
    return found is not None and int(found[1] or 1 << 63) > most_unpacked(0, as_file(path).stat().st_size)


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
        if source.read_at(len(ARROW_FILE), 0) == ARROW_FILE:  # as a stream, its damage would look like another one
            raise
        return ipc.open_stream(source)


def check_schema(schema: Any, path: AnyFile, column: str) -> list[str]:
    """The names that lead to a column: a column of the schema, then fields below it.

    column: as `values_at` takes it. Raises OptionError unless a file has one column of that name, or one that a path
    begins with; FileError if it is a count table.
    """
    if has_counts(schema):
        raise FileError(
            f"{str(path)!r} is a count table, and as texts it would lose its counts: CountTable.load_parquet reads it"
        )
    names = [name.removesuffix("[]") for name in column.split(".")]
    for n in range(len(names), 0, -1) if column not in schema.names and all(names) else ():
        first = ".".join(names[:n])
        if schema.names.count(first) == 1:
            return [first, *fields_on_path(schema.field(first).type, names[n:], path, column)]
    place_of(schema.names, repr(str(path)), column)
    return [column]


def path_to_texts(schema: Any, path: AnyFile, column: str) -> list[str]:
    """What `check_schema` gives for a column. Raises OptionError too if the values there are no texts."""
    names = check_schema(schema, path, column)
    kind = schema.field(names[0]).type
    for name in [*names[1:], None]:
        while is_list(kind):
            kind = kind.value_type
        kind = kind if name is None else kind.field(name).type
    if not holds_texts(kind):
        raise OptionError(
            f"{str(path)!r}: the column {column!r:.60} holds {kind}, not texts: name another one with column='NAME'"
        )
    return names


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


def holds_texts(kind: Any) -> bool:
    """Whether the values of a type of Arrow are texts, or nulls alone."""
    import pyarrow

    return str(kind.value_type if pyarrow.types.is_dictionary(kind) else kind) in TEXT_TYPES


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
            if found.null_count:  # `flatten` leaves out what stands in them
                places = places.filter(found.is_valid().take(places))
            held, within = found.flatten(), rows.take(places)
            if found.null_count:  # each gives a null of its own, after all others
                lost = rows.filter(found.is_null())
                held = pyarrow.concat_arrays([held, pyarrow.nulls(len(lost), held.type)])
                within = pyarrow.concat_arrays([within, lost])
            found, rows = held, within
        if name is not None:
            found = pyarrow.compute.struct_field(found, name)
    return found, rows


def columns_of(batch: Any, names: list[list[str]]) -> list[tuple[Any, Any]]:
    """What `values_of` gives for each column of a batch. names: that lead to each."""
    return [values_of(batch.column(batch.schema.get_field_index(first)), below) for first, *below in names]


def most_free_values(found: Any) -> int:
    """The largest number of values, in an array or below it, that take no bytes: nulls and lists of size 0."""
    import pyarrow

    kind = found.type
    if is_list(kind):
        n_free = len(found) if getattr(kind, "list_size", 1) == 0 else 0
        return max(n_free, most_free_values(found.values))
    if pyarrow.types.is_dictionary(kind):
        return most_free_values(found.dictionary)
    if pyarrow.types.is_struct(kind):
        return max((most_free_values(found.field(i)) for i in range(kind.num_fields)), default=len(found))
    return len(found) if pyarrow.types.is_null(kind) else 0


def lengths_of(found: Any) -> Any:
    """The bytes of each text of an array, as an array; it is not expanded."""
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_dictionary(found.type):
        return lengths_of(found.dictionary).take(found.indices)
    if str(found.type) == "null":
        return pyarrow.nulls(len(found), pyarrow.int64())
    if not str(found.type).endswith("_view"):
        return pyarrow.compute.binary_length(found)
    begin, end = 4 * found.offset, 4 * (found.offset + len(found))  # a view is 16 bytes, of which the size comes first
    sizes = pyarrow.Array.from_buffers(pyarrow.int32(), end, [None, found.buffers()[1]])[begin:end:4]
    return pyarrow.compute.if_else(found.is_valid(), sizes, None)


def texts_of_batch(
    columns: list[tuple[Any, Any]], path: AnyFile, number: int, reading: Reading, bad: BadRecords
) -> tuple[list[bytes] | Texts, str]:
    """The texts of some rows, and what one is in messages.

    columns: what `values_of` gives for each. number: rows before them. Of several columns, the texts follow each other
    row by row.
    """
    import pyarrow

    found = []
    for (values, rows), column in zip(columns, reading.columns, strict=True):
        checked = checked_values(values, rows, path, column, number, reading, bad)
        if rows is not None and checked.null_count:
            is_text = checked.is_valid()
            checked, rows = checked.cast(pyarrow.large_binary()).filter(is_text), rows.filter(is_text)
        found.append((checked, rows))
    if len(found) == 1 and found[0][1] is None:
        from spm_lite.texts.arrow_texts import ArrowTexts

        texts = found[0][0]
        if texts.null_count == 0:
            if str(texts.type).endswith("_view"):
                texts = texts.cast(pyarrow.large_binary())
            return ArrowTexts(texts), "row"
    rows_of = [range(len(values)) if rows is None else rows.to_pylist() for values, rows in found]
    lists = [values.cast(pyarrow.large_binary()).to_pylist() for values, _ in found]
    if len(found) == 1:
        pairs = [(row, text) for row, text in zip(rows_of[0], lists[0], strict=True) if text is not None]
        kept = [text for _, text in sorted(pairs, key=lambda pair: pair[0])]  # empty lists came last
    else:
        by_row = sorted(
            (row, place, i, text)
            for place, (rows, texts) in enumerate(zip(rows_of, lists, strict=True))
            for i, (row, text) in enumerate(zip(rows, texts, strict=True))
            if text is not None
        )
        kept = [text for *_, text in by_row]
    return kept, "record"


def checked_values(
    found: Any, rows: Any, path: AnyFile, column: str, number: int, reading: Reading, bad: BadRecords
) -> Any:
    """Values as an array of strings or bytes; nulls are left out later, unless they are empty texts.

    rows: as `values_of` gives them. number: rows before it. Raises FileError for a null.
    """
    import pyarrow

    if pyarrow.types.is_dictionary(found.type):
        if str(found.type.value_type).endswith("_view"):  # which pyarrow cannot write out
            found = pyarrow.DictionaryArray.from_arrays(found.indices, found.dictionary.cast(pyarrow.large_binary()))
        found = found.dictionary_decode()
    if found.null_count and reading.nulls_are_empty:
        return found.cast(pyarrow.large_binary()).fill_null(b"")
    if found.null_count:
        row = next(i for i, value in enumerate(found) if not value.is_valid)
        row = row if rows is None else rows[row].as_py()
        where = f"{place_name(path, 'row', number + row + 1)}: {column!r:.60} is null"
        of_plan = "leave the row out, or pass nulls='empty'"
        bad.meet(FileError(f"{where}: {of_plan if hasattr(path, 'n_before') else LEAVE_OUT}"), found.null_count)
    return found.cast(pyarrow.large_binary()) if str(found.type) == "null" else found


def check_layout(found: Any) -> None:
    """Raise ArrowInvalid for an array from a file whose offsets or indices lead out of it; ill-formed text may stay."""
    import pyarrow

    found.validate()  # the sizes of its buffers, on which the next steps depend
    if pyarrow.types.is_dictionary(found.type):
        check_layout(found.dictionary)
        found = pyarrow.DictionaryArray.from_arrays(found.indices, pyarrow.nulls(len(found.dictionary)))
    else:
        found = found.view(type_of_bytes(found.type))
    found.validate(full=True)


def type_of_bytes(kind: Any) -> Any:
    """A type of Arrow of the same layout, in which texts are bytes, so that no UTF-8 is asked for."""
    import pyarrow

    types = pyarrow.types
    if types.is_struct(kind):
        return pyarrow.struct([field.with_type(type_of_bytes(field.type)) for field in kind])
    if types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(type_of_bytes(kind.value_type)))
    if types.is_large_list(kind):
        return pyarrow.large_list(kind.value_field.with_type(type_of_bytes(kind.value_type)))
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(kind.value_field.with_type(type_of_bytes(kind.value_type)), kind.list_size)
    if types.is_dictionary(kind):
        return pyarrow.dictionary(kind.index_type, type_of_bytes(kind.value_type), kind.ordered)
    forms = {"string": pyarrow.binary, "large_string": pyarrow.large_binary, "string_view": pyarrow.binary_view}
    return forms[str(kind)]() if str(kind) in forms else kind


def rows_at_once(file: Any, group: int) -> int:
    """How many rows of a row group of Parquet have about TEXT_BYTES."""
    known = file.metadata.row_group(group)
    return max(min(TEXT_BYTES * max(int(known.num_rows), 1) // max(int(known.total_byte_size), 1), MOST_ROWS), 1)


def is_nested(table: Any, reading: Reading) -> bool:
    """Whether the texts of a table in memory are several columns, or stand in lists or fields of a column."""
    column = reading.columns[0]
    schema: Any = getattr(table, "schema", None) if type(table).__module__.startswith("pyarrow") else None
    kind = schema.field(column).type if schema is not None and column in schema.names else None
    return (
        len(reading.columns) > 1
        or ("[]" in column or ("." in column and kind is None))
        or (kind is not None and is_list(kind))
    )


class NestedColumns:
    """The texts of one table with Arrow's C data interface, or of a series of them, as `texts_of_batch` finds them."""

    def __init__(self, source: Any, reading: Reading) -> None:
        self._source, self._reading = source, reading._replace(on_error="raise")

    def __iter__(self) -> Iterator[bytes]:
        import pyarrow

        number = 0
        for part in [self._source] if is_column(self._source) else self._source:
            try:
                if hasattr(part, "__arrow_c_stream__"):
                    batches = pyarrow.RecordBatchReader.from_stream(part)
                else:
                    batches = [pyarrow.record_batch(part)]
            except pyarrow.ArrowException as error:
                raise ArgumentTypeError(
                    f"the input is no table with the column {self._reading.column!r:.60} ({str(error)[:200]}): pass a "
                    "table, or leave out column if it holds the texts itself"
                ) from None
            for batch in batches:
                names = [path_to_texts(batch.schema, INPUT, column) for column in self._reading.columns]
                columns = columns_of(batch, names)
                yield from texts_of_batch(columns, INPUT, number, self._reading, BadRecords())[0]  # type: ignore[misc]
                number += batch.num_rows
