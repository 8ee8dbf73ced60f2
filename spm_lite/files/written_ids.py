"""Finished files of ids read back: the documents from any number on, without those before them.

Each format has a class that finds the ids of a document. Faults of files whose documents can still be found are
remarks. If the documents cannot be found, UnreadableIds is raised.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from spm_lite.errors import FileError
from spm_lite.files import datatrove_ids, id_arrays, megatron_ids
from spm_lite.files.column_files import check_layout, told_damage
from spm_lite.files.open_files import typed
from spm_lite.files.parquet_ids import COLUMN, parquet_modules

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from spm_lite.files.remote import AnyFile

AGAIN = "make the files again"


class UnreadableIds(FileError):
    """Files of ids whose documents cannot be found."""

    __module__ = "spm_lite"
    __qualname__ = "FileError"


class WrittenIds:
    """The documents in the files of one format, in a `with` statement. Errors are UnreadableIds.

    n_documents: how many there are.
    """

    n_documents: int
    sizes: list[int]  # of the files, bytes

    def __init__(self, files: Sequence[AnyFile], names: Sequence[str], dtype: str, vocabulary: str) -> None:
        """files: in the order of the format. names: theirs, for messages. dtype, vocabulary: as for the writer."""
        self.names = names
        self.dtype, self.vocabulary = dtype, vocabulary
        self._remarks: dict[tuple[int, str], str] = {}
        self._files, self._stack = files, ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.streams = [stack.enter_context(self.opened(i)) for i in range(len(self._files))]
            self.sizes = [stream.seek(0, 2) for stream in self.streams]
            self.start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def opened(self, i: int) -> Any:
        """File i, open for reading."""
        try:
            return self._files[i].open("rb")
        except OSError as error:
            raise self.unreadable(error, i) from error

    def unreadable(self, error: OSError, i: int) -> UnreadableIds:
        """The error of file i, which cannot be read."""
        return UnreadableIds(str(error if isinstance(error, FileError) else typed(error, self.names[i], "read")))

    def start(self, stack: ExitStack) -> None:
        """Find out how many documents there are. stack: closes what this opens."""
        raise NotImplementedError

    def lengths(self, first: int, last: int) -> NDArray[Any]:
        """The number of ids of each document in [first, last), int64."""
        raise NotImplementedError

    def ids(self, first: int, last: int, most: int | None = None) -> NDArray[Any]:
        """The ids of the documents in [first, last), int64. most: of them, so many at most; None: all."""
        raise NotImplementedError

    def data(self, i: int, place: int, size: int) -> bytes:
        """As many bytes of file i, from a place on. Raises UnreadableIds if it has fewer."""
        try:
            self.streams[i].seek(place)
            found: bytes = self.streams[i].read(size)
        except OSError as error:
            raise self.unreadable(error, i) from error
        if len(found) < size:
            raise UnreadableIds(f"{self.names[i]!r} has become shorter while it was read: {AGAIN}")
        return found

    def numbers(self, i: int, form: str, place: int, count: int) -> NDArray[Any]:
        """Numbers of file i from a byte on, as int64."""
        import numpy as np

        found: NDArray[Any] = np.frombuffer(self.data(i, place, count * int(form[-1])), form).astype("int64")
        return found

    def remark(self, i: int, what: str, *values: Any) -> None:
        """Note what is wrong with file i, the first time. what: a format of these values."""
        self._remarks.setdefault((i, what), f"{self.names[i]!r} {what.format(*values)}: {AGAIN}")

    @property
    def remarks(self) -> list[str]:
        """What is wrong with the files, as far as they were read: each kind of fault once."""
        return [*self._remarks.values()]


class FlatIds(WrittenIds):
    """Files of which one holds all ids, and another says where the documents are."""

    form: str  # of an id
    head = 0  # bytes before the ids

    def start(self, stack: ExitStack) -> None:
        self.form = self.forms()[self.dtype]
        self.id_size = int(self.form[-1])
        self.n_ids = max(self.sizes[0] - self.head, 0) // self.id_size
        self.n_documents = self.count()
        if max(self.sizes[0] - self.head, 0) % self.id_size:
            self.remark(0, "ends within an id")
        end = int(self.raw_spans(self.n_documents - 1, self.n_documents)[1][0]) if self.n_documents else 0
        if end != self.n_ids:
            self.remark(1, "says that the last document ends at id {:,}, and there are {:,} ids", end, self.n_ids)

    def forms(self) -> dict[str, str]:
        """The forms of an id by the name of its type."""
        raise NotImplementedError

    def count(self) -> int:
        """The number of documents."""
        raise NotImplementedError

    def raw_spans(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where each document in [first, last) begins and ends, counted in ids, as the files say it."""
        raise NotImplementedError

    def spans(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The same, within the ids that there are; a document that ends before it begins is empty."""
        import numpy as np

        begins, ends = self.raw_spans(first, last)
        wrong = np.flatnonzero((begins < 0) | (ends < begins) | (ends > self.n_ids))
        for i in wrong[:1].tolist():
            values = first + i, begins[i], ends[i], self.n_ids
            self.remark(1, "says that document {:,} is from id {:,} to {:,} of {:,} ids", *values)
        begins = begins.clip(0, self.n_ids)
        return begins, np.maximum(ends.clip(0, self.n_ids), begins)

    def lengths(self, first: int, last: int) -> NDArray[Any]:
        begins, ends = self.spans(first, last)
        lengths: NDArray[Any] = ends - begins
        return lengths

    def ids(self, first: int, last: int, most: int | None = None) -> NDArray[Any]:
        import numpy as np

        begins, ends = self.spans(first, last)
        if not len(begins):
            return np.empty(0, "int64")
        if (begins[1:] == ends[:-1]).all():
            begins, ends = begins[:1], ends[-1:]
        found, left = [], int(ends.sum() - begins.sum()) if most is None else most
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            found.append(self.numbers(0, self.form, self.head + begin * self.id_size, min(end - begin, left)))
            left -= len(found[-1])
        return np.concatenate(found)


class PlainIds(FlatIds):
    """Plain numbers: the offsets are one more than the documents."""

    def forms(self) -> dict[str, str]:
        return id_arrays.FORMS

    def count(self) -> int:
        return max((self.sizes[1] - self.head) // 8 - 1, 0)

    def raw_spans(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        offsets = self.numbers(1, id_arrays.OFFSETS, self.head + first * 8, last - first + 1)
        return offsets[:-1], offsets[1:]


class NumpyIds(PlainIds):
    """The same after numpy's headers."""

    head = id_arrays.HEADER_SIZE

    def count(self) -> int:
        n_documents = super().count()
        for i, (form, count) in enumerate(((self.form, self.n_ids), (id_arrays.OFFSETS, n_documents + 1))):
            wanted = id_arrays.npy_header(form, count)
            if self.data(i, 0, min(self.head, self.sizes[i])) != wanted:
                self.remark(i, "has a header that is not that of {:,} numbers of type {!r}", count, form)
        return n_documents


class MegatronIds(FlatIds):
    """The index has lengths, places in bytes, and the numbers of the sequences at which documents begin."""

    def forms(self) -> dict[str, str]:
        return megatron_ids.FORMS

    def count(self) -> int:
        start = megatron_ids.HEADER_SIZE
        head = self.data(1, 0, min(start, self.sizes[1]))
        n_documents, is_whole = megatron_ids.documents_of(head, self.sizes[1], self.dtype)
        if not is_whole:
            raise UnreadableIds(
                f"{self.names[1]!r} is not the index of {n_documents:,} documents of type {self.dtype}, or it is cut: "
                f"it has {self.sizes[1]:,} bytes. {AGAIN.capitalize()}"
            )
        self.places = start + n_documents * 4
        self.bounds = self.places + n_documents * 8
        return n_documents

    def raw_spans(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        import numpy as np

        n = last - first
        bounds = self.numbers(1, "<i8", self.bounds + first * 8, n + 1)
        for i in np.flatnonzero(bounds != np.arange(first, last + 1))[:1].tolist():
            values = first + i, bounds[i], first + i
            self.remark(1, "says that document {:,} begins at sequence {:,}, not {:,}", *values)
        lengths = self.numbers(1, "<i4", megatron_ids.HEADER_SIZE + first * 4, n)
        places = self.numbers(1, "<i8", self.places + first * 8, n)
        for i in np.flatnonzero(places % self.id_size)[:1].tolist():
            self.remark(1, "says that document {:,} begins within an id, at byte {:,}", first + i, places[i])
        begins = places // self.id_size
        return begins, begins + lengths


class DatatroveIds(FlatIds):
    """The index has the end of each document."""

    def forms(self) -> dict[str, str]:
        return datatrove_ids.FORMS

    def count(self) -> int:
        wanted = datatrove_ids.metadata(self.vocabulary, self.dtype, self.n_ids)
        if self.data(2, 0, min(len(wanted) + 1, self.sizes[2])) != wanted:
            self.remark(2, "is not the metadata of {:,} ids of {}", self.n_ids, self.vocabulary)
        return self.sizes[1] // 8

    def raw_spans(self, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        import numpy as np

        begin = max(first - 1, 0)
        ends = self.numbers(1, "<i8", begin * 8, last - begin)
        ends = ends if first else np.concatenate([[0], ends])
        return ends[:-1], ends[1:]


class ParquetIds(WrittenIds):
    """A row of lists for each document; the row group that was read last is kept."""

    def start(self, stack: ExitStack) -> None:
        pyarrow, parquet = parquet_modules()
        with self.readable():
            self.file = stack.enter_context(parquet.ParquetFile(self.streams[0]))
            schema, metadata = self.file.schema_arrow, self.file.metadata
            kinds = [kind for name, kind in zip(schema.names, schema.types, strict=True) if name == COLUMN]
            self.rows = [metadata.row_group(i).num_rows for i in range(self.file.num_row_groups)]
        if kinds != [pyarrow.list_(pyarrow.int32())]:
            there = " and ".join(map(str, kinds)) or "nothing"
            raise UnreadableIds(f"{self.names[0]!r}: the column {COLUMN!r} holds {there}, not lists of int32: {AGAIN}")
        if min(self.rows, default=0) < 0:
            raise UnreadableIds(f"{self.names[0]!r}: a row group has {min(self.rows):,} rows: {AGAIN}")
        self.ends = list(accumulate(self.rows))
        self.n_documents = self.ends[-1] if self.rows else 0
        self.group = -1

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Turn what pyarrow raises in a `with` statement into UnreadableIds."""
        try:
            with told_damage(self.names[0], "Parquet with ids"):
                yield
        except OSError as error:
            raise self.unreadable(error, 0) from None

    def parts(self, first: int, last: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """The ids and the bounds of documents in [first, last), for each row group that they touch."""
        found = []
        while first < last:
            group = bisect_right(self.ends, first)
            ids, bounds = self.read(group)
            before = self.ends[group - 1] if group else 0
            end = min(last, self.ends[group])
            found.append((ids, bounds[first - before : end - before + 1]))
            first = end
        return found

    def read(self, group: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ids and the bounds of all documents of a row group."""
        if group != self.group:
            with self.readable():
                column = self.file.read_row_group(group, [COLUMN], use_threads=False).column(0)
                if len(column) != self.rows[group]:
                    values = f"{len(column):,} documents, and its metadata has {self.rows[group]:,}"
                    raise UnreadableIds(f"{self.names[0]!r}, row group {group}: it has {values}: {AGAIN}")
                lists = column.combine_chunks()
                check_layout(lists)
            if lists.null_count or lists.values.null_count:
                raise UnreadableIds(f"{self.names[0]!r}, row group {group}: it has nulls, not ids: {AGAIN}")
            self.kept = lists.values.to_numpy().astype("int64"), lists.offsets.to_numpy().astype("int64")
            self.group = group
        return self.kept

    def lengths(self, first: int, last: int) -> NDArray[Any]:
        import numpy as np

        return np.concatenate(
            [np.empty(0, "int64"), *(bounds[1:] - bounds[:-1] for _, bounds in self.parts(first, last))]
        )

    def ids(self, first: int, last: int, most: int | None = None) -> NDArray[Any]:
        import numpy as np

        parts = [ids[bounds[0] : bounds[-1]] for ids, bounds in self.parts(first, last)]
        return np.concatenate([np.empty(0, "int64"), *parts])[:most]


READERS = {"npy": NumpyIds, "bin": PlainIds, "megatron": MegatronIds, "datatrove": DatatroveIds, "parquet": ParquetIds}
