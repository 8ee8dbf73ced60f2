"""What becomes of records that cannot be read: an error, or a count of those left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.files.compressed import DamagedData

if TYPE_CHECKING:
    from typing import Any

SKIP = "skip"
WAYS = ("raise", SKIP)


def as_on_error(on_error: Any) -> str:
    """The way to treat bad records. Raises OptionError for an unknown one."""
    if on_error not in WAYS:
        raise OptionError(
            f"on_error={on_error!r:.40}: must be 'raise' (a bad record is an error) or 'skip' (it is left out and "
            "counted)",
            remedies=[{"on_error": way} for way in WAYS],
        )
    return str(on_error)


class BadRecords:
    """The bad records of a corpus: lines that are not JSON, rows without the column, nulls, ends of cut-off files."""

    def __init__(self, on_error: str = "raise") -> None:
        self.skips = on_error == SKIP
        self.n = 0
        self.first = ""

    def meet(self, error: Exception, number: int = 1) -> None:
        """Raise the error, or count its records and go on."""
        if not self.skips:
            raise error
        self.first = self.first or str(error)
        self.n += number

    @property
    def notes(self) -> tuple[str, ...]:
        """A note with their number and the first of them."""
        records = "1 record" if self.n == 1 else f"{self.n:,} records"
        return (f"{records} left out (on_error='skip'); the first: {self.first}",) if self.n else ()


def readable(reads: Iterable[bytes], bad: BadRecords) -> Iterator[bytes]:
    """Yield the parts of a file up to where its compressed data are damaged."""
    try:
        yield from reads
    except DamagedData as error:
        bad.meet(error)
