"""Two flat arrays, as numpy saves them or as plain numbers: the ids of all documents, and their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.files.id_writer import IdWriter, OutputFile, as_little_endian, copy_bytes, read_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = {"uint16": "<u2", "uint32": "<u4"}
OFFSETS = "<i8"
HEADER_SIZE = 128  # bytes; of a .npy file


class PlainWriter(IdWriter):
    """The numbers alone, little-endian: ids in one file, offsets (int64, one more than documents) in the other."""

    head = 0  # bytes before the numbers

    def __init__(self, files: Sequence[OutputFile], dtype: str, vocabulary: str) -> None:
        super().__init__(files, dtype, vocabulary)
        self.start()
        files[1].write(bytes(8))

    def start(self) -> None:
        """Write what comes before the numbers."""

    def append(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        self.files[0].write(as_little_endian(ids, FORMS[self.dtype]))
        self.files[1].write(as_little_endian(bounds[1:] + self.n_ids, OFFSETS))

    def copy(self, paths: Sequence[Path]) -> None:
        n_bytes = copy_bytes(paths[0], self.head, self.files[0])
        for offsets in read_numbers(paths[1], OFFSETS, self.head + 8):
            self.files[1].write(as_little_endian(offsets + self.n_ids, OFFSETS))
            self.n_documents += len(offsets)
        self.n_ids += n_bytes // int(FORMS[self.dtype][-1])

    def finish(self) -> None:
        """Nothing is left to do."""


class NumpyWriter(PlainWriter):
    """Writes the numbers after numpy's header, which says how many they are."""

    head = HEADER_SIZE

    def start(self) -> None:
        for file in self.files:
            file.write(bytes(HEADER_SIZE))  # a placeholder

    def finish(self) -> None:
        sizes = (self.n_ids, self.n_documents + 1)
        for file, form, size in zip(self.files, (FORMS[self.dtype], OFFSETS), sizes, strict=True):
            file.seek(0)
            file.write(npy_header(form, size))


def npy_header(form: str, size: int) -> bytes:
    """The header of a .npy file of one dimension, always HEADER_SIZE bytes: version 1.0 of the format."""
    text = f"{{'descr': '{form}', 'fortran_order': False, 'shape': ({size},), }}"
    start = b"\x93NUMPY\x01\x00" + (HEADER_SIZE - 10).to_bytes(2, "little")
    return start + text.encode().ljust(HEADER_SIZE - 11) + b"\n"
