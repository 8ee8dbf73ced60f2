"""Files of a model that are not written yet, and the comparison that comes first; a split pattern with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import Conversion, prove
from spm_lite.formats.proof.partner_programs import Partner

FILE = ""  # the name of a file that stands alone: its path is what the caller gives


@dataclass(frozen=True)
class Outgoing:
    """The files of a model in a format. files: name -> content, `FILE` for one that stands alone.

    make_partner: gives the program that reads these files; None: it is not installed.
    make_own: gives the Tokenizer that we read of them, for a comparison without that program.
    pattern: the split pattern that goes with the files, if they do not hold it.
    """

    format: str
    files: Mapping[str, bytes]
    findings: Findings
    make_partner: Callable[[], Partner | None]
    make_own: Callable[[], Any]
    pattern: str | None = None

    def prove(self, tok: Any, place: str, verify: str | PathLike[str] | Iterable[str | bytes] = ()) -> Conversion:
        """Compare the ids of the model with the ids that the files give. Raises OptionError; see `proof.prove`."""
        from spm_lite.formats.proof.partner_programs import made, of_own

        partner = made(self.make_partner, self.format) or of_own(self.make_own(), self.format)
        return prove(tok, partner, self.findings, verify, place, self.format, self.pattern)


class SplitPattern(str):
    """A split pattern: a str with the Conversion of the files that it goes with.

    Attributes:
        conversion: the Conversion: the texts that were compared, and the conditions that a text must meet.
    """

    __module__ = "spm_lite"  # where users find it
    conversion: Conversion

    def __new__(cls, pattern: str, conversion: Conversion) -> SplitPattern:
        found = super().__new__(cls, pattern)
        found.conversion = conversion
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitPattern, (str(self), self.conversion)
