"""The indexed data sets of Megatron-LM and NeMo: `P.bin` holds ids alone, `P.idx` where they belong.

The index, little-endian: the magic (9 bytes); version 1 (8); the type of an id (1); the number n of sequences (8) and
of bounds of documents (8), n + 1; the length of each sequence (int32), its offset in bytes (int64), and the bounds 0 to
n (int64). A document is one sequence here. Length 0 is allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.errors import FileError
from spm_lite.files.id_writer import AT_ONCE, IdWriter, OutputFile, as_little_endian, copy_bytes, read_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"MMIDIDX\0\0" + (1).to_bytes(8, "little")
CODES = {"uint16": 8, "int32": 4}  # there is none for uint32
FORMS = {"uint16": "<u2", "int32": "<i4"}
HEADER_SIZE = len(MAGIC) + 17  # bytes
SMALL = 65_500  # fewer pieces than that are uint16, as Megatron's own program has it


class MegatronWriter(IdWriter):
    """Appends the ids, and keeps the lengths in the index itself, so that memory does not depend on their number."""

    def __init__(self, files: Sequence[OutputFile], dtype: str, vocabulary: str) -> None:
        super().__init__(files, dtype, vocabulary)
        files[1].write(bytes(HEADER_SIZE))  # a placeholder: the header holds the number of documents

    def append(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        self.files[0].write(as_little_endian(ids, FORMS[self.dtype]))
        self.files[1].write(as_little_endian(bounds[1:] - bounds[:-1], "<i4"))

    def copy(self, paths: Sequence[Path]) -> None:
        n_bytes = copy_bytes(paths[0], 0, self.files[0])
        with paths[1].open("rb") as file:
            head, size = file.read(HEADER_SIZE), file.seek(0, 2)
        n_documents, is_whole = documents_of(head, size, self.dtype)
        if not is_whole:
            raise FileError(
                f"{str(paths[1])!r} has {size:,} bytes, and is not the index of {n_documents:,} documents of type "
                f"{self.dtype}: make it again"
            )
        for lengths in read_numbers(paths[1], "<i4", HEADER_SIZE, n_documents):
            self.files[1].write(as_little_endian(lengths, "<i4"))
        self.n_documents += n_documents
        self.n_ids += n_bytes // int(FORMS[self.dtype][-1])

    def finish(self) -> None:
        import numpy as np

        index, size, place = self.files[1], int(FORMS[self.dtype][-1]), 0
        for lengths in index.numbers("<i4", HEADER_SIZE, self.n_documents):
            ends = place + np.cumsum(lengths, dtype="<i8") * size
            index.write(as_little_endian(ends - lengths.astype("<i8") * size, "<i8"))
            place = int(ends[-1])
        for begin in range(0, self.n_documents + 1, AT_ONCE):
            index.write(as_little_endian(np.arange(begin, min(begin + AT_ONCE, self.n_documents + 1)), "<i8"))
        index.seek(0)
        index.write(header(self.dtype, self.n_documents))


def documents_of(head: bytes, size: int, dtype: str) -> tuple[int, bool]:
    """The number of documents that the header of an index names, and whether the index has that header and size."""
    n_documents = int.from_bytes(head[18:26], "little")
    return n_documents, size == HEADER_SIZE + 20 * n_documents + 8 and head == header(dtype, n_documents)


def header(dtype: str, n_documents: int) -> bytes:
    """The head of an index."""
    counts = (n_documents, n_documents + 1)
    return MAGIC + bytes([CODES[dtype]]) + b"".join(count.to_bytes(8, "little") for count in counts)
