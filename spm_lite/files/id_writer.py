"""What all formats of id files have in common: documents come in blocks, and are appended to open files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from spm_lite.files.open_files import typed
from spm_lite.texts.batch import as_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 1 << 17  # numbers of an index that are computed at once
COPIED_AT_ONCE = 1 << 22  # bytes


class OutputFile:
    """An open file, whose errors are FileErrors that name it as the caller does.

    stream: opened for writing. path: where it can be read meanwhile. name: for messages.
    """

    def __init__(self, stream: BinaryIO, path: Path, name: str) -> None:
        self.stream, self.path, self.name = stream, path, name

    def write(self, data: Any) -> int:
        """Append bytes, or the numbers of an array."""
        with self.naming():
            return self.stream.write(data)

    def seek(self, place: int) -> int:
        """Continue at another place."""
        with self.naming():
            return self.stream.seek(place)

    def numbers(self, form: str, place: int, count: int) -> Iterator[NDArray[Any]]:
        """Read `count` of the numbers written, from a place on, some thousands at a time."""
        with self.naming():
            self.stream.flush()
            yield from read_numbers(self.path, form, place, count)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Turn an OSError within the block into a FileError that names the file."""
        try:
            yield
        except OSError as error:
            raise typed(error, self.name, "written") from error


class IdWriter:
    """Appends documents to the files of one format. `finish` completes them; putting them in place is the caller's.

    n_documents, n_ids: so far.
    """

    def __init__(self, files: Sequence[OutputFile], dtype: str, vocabulary: str) -> None:
        """dtype: the name of the type of an id. vocabulary: the name of the tokenizer, for formats that hold it."""
        self.files = files
        self.dtype = dtype
        self.vocabulary = vocabulary
        self.n_documents = 0
        self.n_ids = 0

    def write(self, ids: Any, offsets: Any) -> None:
        """Append some documents; document i has ids[offsets[i] : offsets[i + 1]].

        ids, offsets: int32 and int64, flat, of numpy or of an encoder.
        """
        import numpy as np

        numbers = ids if isinstance(ids, np.ndarray) else as_numpy(ids, "int32")
        bounds = offsets if isinstance(offsets, np.ndarray) else as_numpy(offsets, "int64")
        if bounds[0] or bounds[-1] != len(numbers):
            numbers, bounds = numbers[bounds[0] : bounds[-1]], bounds - bounds[0]
        self.append(numbers, bounds)
        self.n_documents += len(bounds) - 1
        self.n_ids += len(numbers)

    def append(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        """Append documents whose bounds begin at 0 and end at the number of ids."""
        raise NotImplementedError

    def copy(self, paths: Sequence[Path]) -> None:
        """Append all documents of finished files of this format and type."""
        raise NotImplementedError

    def finish(self) -> None:
        """Complete the files: what is known only at the end."""
        raise NotImplementedError

    def forget(self) -> None:
        """End without `finish`: nothing is written any more."""


def read_numbers(path: Path, form: str, place: int, count: int | None = None) -> Iterator[NDArray[Any]]:
    """Read numbers of a type from a place of a file on, some thousands at a time. count: None: up to its end."""
    import numpy as np

    with path.open("rb", buffering=0) as file:
        size = np.dtype(form).itemsize
        n_left = (file.seek(0, 2) - place) // size if count is None else count
        file.seek(place)
        while n_left > 0:
            found = np.frombuffer(file.read(min(AT_ONCE, n_left) * size), form)
            if not len(found):
                break
            yield found
            n_left -= len(found)


def copy_bytes(path: Path, begin: int, target: OutputFile) -> int:
    """Append a file, from a place on, to another; return the number of bytes."""
    n_bytes = 0
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        while data := file.read(COPIED_AT_ONCE):
            n_bytes += target.write(data)
    return n_bytes


def as_little_endian(numbers: NDArray[Any], form: str) -> memoryview:
    """The bytes of numbers in another type, such as "<u2"."""
    return numbers.astype(form, copy=False).data.cast("B") if len(numbers) else memoryview(b"")
