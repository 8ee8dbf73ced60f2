"""LockCheck: what a comparison with a lock has found, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from spm_lite.printable import visible

SHOWN = 4  # differences in the report for people: the first of each suite and cause
SHOWN_IDS = 8  # ids from the first one that differs
NAMES = {
    "hard": "hard texts",
    "characters": "texts of all characters",
    "tokens": "blocks of texts with special tokens",
    "pieces": "blocks of strings of pieces",
    "texts": "texts of yours",
}


@dataclass(frozen=True)
class LockDifference:
    """A text, or a block of texts with one digest, that is not what was locked.

    Attributes:
        suite: "hard", "characters", "tokens", "pieces" or "texts" (yours).
        number: of the text in its suite, from 1; of a block, that of its first text.
        n_texts: the texts of the block; 1: it is one text.
        text: the text, or the first of the block.
        mode: "ids"; "special": the ids where texts spell special tokens; "decoded": the text of the ids.
        ids, pieces: the ids that were locked, and their pieces; None: the lock has digests alone, or the piece is
            another one now.
        other_ids, other_pieces: those of the program that was checked; a str: what it says instead.
        first: the place of the first id that differs; None: it is not known.
        cause: the likely cause.
        is_known: whether a conversion, or a condition of the file, explains it.
    """

    __module__ = "spm_lite"  # where users find it

    suite: str
    number: int
    n_texts: int
    text: str
    mode: str
    ids: list[int] | None
    pieces: list[str | None] | None
    other_ids: list[int] | str
    other_pieces: list[str | None] | None
    first: int | None
    cause: str
    is_known: bool

    def _lines(self) -> Iterator[str]:
        """The difference for people, in lines without an end."""
        name = NAMES[self.suite].replace("texts", "text").replace("blocks", "block")
        which = (
            f"{name} {self.number:,}" if self.n_texts == 1 else f"one of {self.n_texts} of {name}, from {self.number:,}"
        )
        what = {"ids": "", "special": ", with special tokens", "decoded": ", decoded"}[self.mode]
        yield f"{which}{what}: {shown(self.text)}"
        yield f"  {'known' if self.is_known else 'cause'}: {self.cause}"
        if isinstance(self.other_ids, str):
            yield f"  here: {shown(self.other_ids)}"
            return
        if self.first is not None and self.ids is not None:
            yield f"  from id {self.first} on:"
        begin = self.first or 0
        if self.ids is not None:
            yield f"    locked: {shown_ids(self.ids, self.pieces, begin)}"
        yield f"    here:   {shown_ids(self.other_ids, self.other_pieces, begin)}"


def shown(text: str) -> str:
    """A text between quotation marks, with what cannot be seen escaped, and not too long."""
    quoted = repr(text)
    return quoted if len(quoted) <= 70 else f"{quoted[:66]} ..."


def shown_ids(ids: list[int], pieces: list[str | None] | None, begin: int) -> str:
    """The first ids from a place on, each with its piece, or a question mark where it is not known."""
    names = [None] * len(ids) if pieces is None else pieces
    found = [f"{i} {'?' if name is None else name}" for i, name in zip(ids, names, strict=True)][begin:]
    return " | ".join([*found[:SHOWN_IDS], *(["..."] if len(found) > SHOWN_IDS else [])]) or "nothing"


@dataclass(frozen=True)
class LockCheck:
    """The result of `Lock.check`. `str(result)` is a report for people.

    Attributes:
        same: whether nothing differs that counts; with `strict` also nothing that is known.
        name: the file that was checked.
        program: the program that gave the ids, and its version.
        compared: suite -> the texts or blocks that were compared.
        differ: suite -> how many of them differ, without those that are known.
        known: suite -> how many differ as a conversion or a condition of the file says.
        differences: the first LockDifferences, those that are not known before others.
        changes: what the tokenizer itself has changed, as sentences.
        known_changes: what a conversion is known to change.
        notes: what was not compared, and what is only said in another way.
    """

    __module__ = "spm_lite"  # where users find it

    same: bool
    name: str
    program: str
    compared: Mapping[str, int]
    differ: Mapping[str, int]
    known: Mapping[str, int]
    differences: list[LockDifference]
    changes: list[str]
    known_changes: list[str]
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        """The result in types that JSON has.

        Returns:
            A dict with the attributes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> spm_lite.lock(tok).check(tok).to_dict()["differ"]["hard"]
        0
        """
        return {**asdict(self), **{name: dict(getattr(self, name)) for name in ("compared", "differ", "known")}}

    def _lines(self) -> Iterator[str]:
        """The report for people, in lines without an end; those that go on begin with spaces."""
        yield f"{self.name}: {'the same' if self.same else 'differs from the lock'} ({self.program})"
        for suite, n in self.compared.items():
            differ, known = self.differ[suite], self.known[suite]
            told = f"{differ:,} differ" if differ else "all the same" if not known else "no others differ"
            yield f"  {n:,} {NAMES[suite]}: {told}{f', {known:,} as known' if known else ''}"
        for title, sentences in (("changed", self.changes), ("known", self.known_changes), ("note", self.notes)):
            yield from (f"  {title}: {sentence}" for sentence in sentences)
        firsts: dict[tuple[str, str], LockDifference] = {}
        for difference in self.differences:
            firsts.setdefault((difference.suite, difference.cause), difference)
        for difference in [*firsts.values()][:SHOWN]:
            yield ""
            yield from difference._lines()

    def __str__(self) -> str:
        return "\n".join(map(visible, self._lines()))
