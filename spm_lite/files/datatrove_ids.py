"""The token files of datatrove and nanotron: `NAME.ds` holds ids alone, `NAME.ds.index` where each document ends.

The index has a uint64 for each document, in ids, without a leading 0. `NAME.ds.metadata` is text of three lines: the
name of the tokenizer and the bytes of an id, the number of ids, and that number for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.files.id_writer import IdWriter, as_little_endian, copy_bytes, read_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = {"uint16": "<u2", "uint32": "<u4"}
PREFIXES = " kMGTPEZYRQ"  # of the SI, for each factor of 1000


class DatatroveWriter(IdWriter):
    """Appends ids and ends."""

    def append(self, ids: NDArray[Any], bounds: NDArray[Any]) -> None:
        self.files[0].write(as_little_endian(ids, FORMS[self.dtype]))
        self.files[1].write(as_little_endian(bounds[1:] + self.n_ids, "<u8"))

    def copy(self, paths: Sequence[Path]) -> None:
        n_bytes = copy_bytes(paths[0], 0, self.files[0])
        for ends in read_numbers(paths[1], "<u8", 0):
            self.files[1].write(as_little_endian(ends.astype("<i8") + self.n_ids, "<u8"))
            self.n_documents += len(ends)
        self.n_ids += n_bytes // int(FORMS[self.dtype][-1])

    def finish(self) -> None:
        self.files[2].write(metadata(self.vocabulary, self.dtype, self.n_ids))


def metadata(vocabulary: str, dtype: str, n_ids: int) -> bytes:
    """The content of the file of metadata."""
    return f"{vocabulary}|{FORMS[dtype][-1]}\n{n_ids}\n{tokens_for_people(n_ids)}".encode()


def tokens_for_people(n_ids: int) -> str:
    """A number of tokens with three digits and a prefix of the SI.

    >>> tokens_for_people(10), tokens_for_people(123456)
    ('10.0 T', '123 kT')
    """
    exponent = int(f"{n_ids:.2e}".partition("e")[2])  # of the rounded number: 9,999 is 10.0 thousand
    thousands = exponent // 3
    return f"{n_ids / 1000**thousands:.{2 - exponent % 3}f} {PREFIXES[thousands].strip()}T"
