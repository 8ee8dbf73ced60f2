"""The comparison of a tokenizer with a lock: its rows, its parts, and what of it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.errors import ModelError, OptionError
from spm_lite.evaluation.locks.lock_causes import Change, cause_of, changes_of
from spm_lite.evaluation.locks.lock_data import MOST_UNPACKED, from_base_64, parts_of_json
from spm_lite.evaluation.locks.lock_digests import SHORT, bytes_of, digest, joined_bytes, unpack
from spm_lite.evaluation.locks.lock_programs import Other
from spm_lite.evaluation.locks.lock_result import LockCheck, LockDifference
from spm_lite.evaluation.locks.lock_rows import (
    DECODED,
    HARD,
    IDS,
    NORMALIZED,
    SPECIAL,
    Digests,
    Row,
    key_of,
    rows_of,
)
from spm_lite.evaluation.locks.lock_texts import piece_blocks
from spm_lite.evaluation.locks.model_parts import names_of, parts_of
from spm_lite.formats.proof.conversion import texts_of_caller, unmarked

if TYPE_CHECKING:
    from spm_lite.evaluation.locks.lock_file import Lock
    from spm_lite.formats.proof.conditions import Condition

KEPT = 20  # differences of each suite, known and others, besides the first of each cause
NO_TEXT = "a digest of all texts differs, and those of single texts do not tell which one"


def compared(
    lock: Lock, other: Any, texts: Any, program: str | None, strict: bool, allow: str | Iterable[str],
    options: Mapping[str, Any],
) -> LockCheck:  # fmt: skip
    """The comparison. The arguments are those of `Lock.check`."""
    strict = as_flag(strict, "strict")
    found = Other(other, allow, options)
    check = Check(lock._data, found)
    check.compare_rows(given_texts(lock._data, texts), program)
    return check.result(strict)


def given_texts(data: Mapping[str, Any], texts: Any) -> list[str] | None:
    """The texts of the caller. Raises OptionError unless they are those that were locked."""
    if texts is None:
        return None
    given = list(texts_of_caller(texts, "texts"))
    locked = data["texts"]
    if len(given) != locked["n"] or digest(joined_bytes(map(bytes_of, given))).hex() != locked["digest"]:
        raise OptionError(
            f"texts: these {len(given):,} texts are not the {locked['n']:,} that were locked: give the same ones in "
            "the same order, or leave texts out"
        )
    return given


class Check:
    """A comparison under way. data: of the lock."""

    def __init__(self, data: Mapping[str, Any], other: Other) -> None:
        self.data, self.other, self.tok = data, other, other.tok
        self.ours = ours = parts_of_json(data["parts"])
        theirs = parts_of(self.tok, ours.pieces.n, ours.weights.n)
        name = "" if other.entry is None else other.entry.name
        self.expected: Mapping[str, Any] = data["conversions"].get(name, {})
        self.changes = changes_of(ours, theirs, self.tok, self.expected.get("parts", {}))
        self.changed_ids = {*ours.pieces.differing(theirs.pieces), *range(theirs.pieces.n, ours.pieces.n)}
        self.plain = unpack(data["ids"], None, MOST_UNPACKED)
        special = unpack(data["special_ids"], None, MOST_UNPACKED)
        self.special = {i: ids for i, *ids in filter(None, special)}
        self.locked = {key: from_base_64(row["each"]) for key, row in data["rows"].items()}
        self.found: dict[bool, list[LockDifference]] = {False: [], True: []}
        self.causes: set[str] = set()
        self.counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        self.compared: Counter[str] = Counter()
        self.notes: list[str] = []

    @cached_property
    def conditions(self) -> list[Condition]:
        """What a text must meet in another program than ours; found only where a text differs."""
        return self.other.conditions() if self.is_other_program else []

    def compare_rows(self, texts: list[str] | None, program: str | None) -> None:
        """Compare all rows. texts: of the caller; None: they are left out."""
        n_texts = self.data["texts"]["n"]
        side = self.other.side(program)
        self.is_other_program = program is not None
        self.program = side.name
        if n_texts and texts is None:
            self.notes.append(f"the {n_texts:,} texts of yours that were locked are not compared: give them as texts")
        if side.special is None:
            self.notes.append(f"{side.name} has no call that finds special tokens in texts: these ids are not compared")
        seen, differ = Digests(), set[str]()
        strings = piece_blocks(self.tok, self.data["model"]["size"])
        for row in rows_of(side, self.tok, names_of(self.ours), strings, texts or [], self.data["corpus"]):
            self.compared[row.suite] += 1
            shorts = {mode: seen.add(key_of(row.suite, mode), row.item(mode)) for mode in row.found}
            wrong = [mode for mode in shorts if shorts[mode] != self.short(row, mode)]
            differ |= {key_of(row.suite, mode) for mode in wrong}
            if mode := next((mode for mode in wrong if mode != NORMALIZED), None):
                self.add(row, mode, shorts[mode], NORMALIZED not in wrong if NORMALIZED in shorts else None)
        for key, shorts_of_key in seen.shorts.items():
            if len(shorts_of_key) != len(self.locked.get(key, b"")):
                raise ModelError(f"the lock is damaged: its digests {key} are not one for each text. Lock again")
            if key not in differ and seen.whole(key).hex() != self.data["rows"][key]["all"]:
                self.counts[False][key.partition(".")[0]] += 1
                self.notes.append(f"{key}: {NO_TEXT}")

    def short(self, row: Row, mode: str) -> bytes:
        """The digest of a row that was locked."""
        begin = row.number * SHORT
        return self.locked.get(key_of(row.suite, mode), b"")[begin : begin + SHORT]

    def add(self, row: Row, mode: str, short: bytes, is_normalized: bool | None) -> None:
        """Count a row that differs, and keep it if it is one of the first, of all or of its cause."""
        known = self.known_cause(row, mode, short)
        is_known = bool(known)
        self.counts[is_known][row.suite] += 1
        ids = self.locked_ids(row, mode)
        made = unmarked(row.found[IDS if mode == DECODED else mode][0])
        first = None
        if ids is not None and not isinstance(made, str) and mode != DECODED:
            n = min(len(ids), len(made))
            first = next((i for i in range(n) if ids[i] != made[i]), n)
        others = () if isinstance(made, str) else made
        has_changed_id = bool(self.changed_ids) and any(
            i in self.changed_ids for i in (*(ids or ())[first or 0 :][:8], *others[first or 0 :][:8])
        )
        cause = known or cause_of(self.changes, mode, is_normalized, has_changed_id)
        if self.counts[is_known][row.suite] > KEPT and cause in self.causes:
            return
        self.causes.add(cause)
        self.found[is_known].append(
            LockDifference(
                row.suite, row.first + 1, len(row.texts), row.texts[0], mode, ids, self.pieces(ids, True),
                unmarked(row.found[DECODED][0]) if mode == DECODED else made,
                None if mode == DECODED else self.pieces(made, False), first, cause, is_known,
            )
        )  # fmt: skip

    def known_cause(self, row: Row, mode: str, short: bytes) -> str:
        """The sentence that explains a difference; "": nothing does."""
        entry = self.expected.get("rows", {}).get(key_of(row.suite, mode), {}).get(str(row.number))
        if entry is not None and entry[0] == short.hex():
            number = entry[1]
            return self.expected["conditions"][number] if number >= 0 else "the conversion to this format changes it"
        for one in self.conditions:
            is_about_names = one.name == "special"  # text spells special tokens: there they are found, as here
            if not (is_about_names and mode == SPECIAL) and any(not one.is_met(text) for text in row.texts):
                return one.sentence
        return ""

    def locked_ids(self, row: Row, mode: str) -> list[int] | None:
        """The ids that were locked; None: the lock has their digest alone."""
        if row.suite != HARD or row.number >= len(self.plain):
            return None
        return self.special.get(row.number, self.plain[row.number]) if mode == SPECIAL else self.plain[row.number]

    def pieces(self, ids: Any, are_locked: bool) -> list[str | None] | None:
        """The pieces of ids. are_locked: an id whose piece has changed since has none."""
        if ids is None or isinstance(ids, str):
            return None
        lost = self.changed_ids if are_locked else ()
        return [self.tok.id_to_piece(i) if i < len(self.tok) and i not in lost else None for i in ids]

    def result(self, strict: bool) -> LockCheck:
        """What was found. strict: what is known counts too."""
        changes = [one for one in self.changes if one.counts and not one.is_known]
        known = [one for one in self.changes if one.is_known]
        others = [one for one in self.changes if not one.counts and not one.is_known]
        is_same = not changes and not self.counts[False].total()
        if strict and (known or self.counts[True].total()):
            is_same = False
        return LockCheck(
            is_same, self.other.name, self.program,
            dict(self.compared), counted(self.counts[False], self.compared), counted(self.counts[True], self.compared),
            [*self.found[False], *self.found[True]], sentences(changes), sentences(known),
            [*self.notes, *(f"in another form, {sentence}" for sentence in sentences(others))],
        )  # fmt: skip


def counted(counts: Counter[str], suites: Iterable[str]) -> dict[str, int]:
    """How many there are of each suite, 0 included."""
    return {suite: counts[suite] for suite in suites}


def sentences(changes: list[Change]) -> list[str]:
    """What some changes are, for people."""
    return [change.sentence for change in changes]
