"""The documents of one shard beside those that its sources give, and what explains each difference.

As long as documents are equal, whole blocks are compared. At a difference, `explanation` looks at the next documents
of both sides: one may be missing, too many, in another place, or cut elsewhere. Then the comparison goes on after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.files.written_ids import WrittenIds
    from spm_lite.tokenizer.tokenizer import Tokenizer

AHEAD = 64  # documents that an explanation looks at
RUN = 16  # documents that agree after an explanation: more do not make it better
MOST_EXPLAINED = 1000  # problems of a shard; later ones are counted document by document
MOST_IDS = 1 << 22  # of a document that is longer than all that are expected: so many are read
COUNTED = 1 << 18  # ids and documents that are counted at once
SHOWN = 20  # problems that a result keeps
DIFFERENT, MISSING, EXTRA, SWAPPED, MOVED, JOINED, CUT = range(7)
GIVEN, NORMALIZED, LOST = range(3)  # what decoding gives: the text, its normalized form, or another text


class Problem(NamedTuple):
    """Something that is wrong in a shard; `str(problem)` is a sentence.

    Attributes:
        shard: the number of the shard, from 0.
        document: the number of the document in the shard, from 0; -1: the files of the shard are meant.
        place: where the document is in its source, such as "'a.txt', line 7"; "": it has none.
        message: what is wrong, and what was expected.
    """

    shard: int
    document: int
    place: str
    message: str

    def __str__(self) -> str:
        document = f", document {self.document:,}" if self.document >= 0 else ""
        return f"shard {self.shard:,}{document}{f' ({self.place})' if self.place else ''}: {self.message}"


class Block(NamedTuple):
    """Some documents of a source: what the shard must have."""

    ids: NDArray[Any]  # int32, of all documents
    bounds: NDArray[Any]  # int64; document i has ids[bounds[i] : bounds[i + 1]]
    outcomes: bytearray  # of each document: GIVEN, NORMALIZED or LOST
    faults: dict[int, str]  # document -> how a lossless model did not give it back
    place: Callable[[int], str]  # names a document; called in their order


class Waiting(NamedTuple):
    """A document of a source that is not compared yet."""

    ids: bytes  # int64
    block: Block
    place: int


def explanation(expected: Sequence[bytes], found: Sequence[bytes]) -> tuple[int, int]:
    """Why two sequences of documents differ at their beginning: (kind, n). The best lets most documents agree after it.

    n: of MISSING and EXTRA, how many documents; of SWAPPED, how far away the other one is; else 1.

    >>> explanation([b"a", b"b", b"c"], [b"b", b"c"]) == (MISSING, 1)
    True
    """
    if not expected or not found:
        return (EXTRA if found else MISSING), 1
    later = next((i for i in range(1, len(expected)) if expected[i] == found[0]), 0)
    other = next((i for i in range(1, len(found)) if found[i] == expected[0]), 0)
    ways: list[tuple[int, int, Sequence[bytes], Sequence[bytes]]] = []  # kind, n, and what is left on both sides
    if later and found[later : later + 1] == [expected[0]]:
        ways.append((SWAPPED, later, expected[1:], [*found[1:later], found[0], *found[later + 1 :]]))
    for kind, i, j in ((MOVED, 2, 2), (JOINED, 2, 1), (CUT, 1, 2)):
        sides = [*expected[:i], *found[:j]]
        if len(sides) == i + j and all(sides) and b"".join(expected[:i]) == b"".join(found[:j]):
            ways.append((kind, 1, expected[i:], found[j:]))
    ways.append((DIFFERENT, 1, expected[1:], found[1:]))
    if later:
        ways.append((MISSING, later, expected[later:], found))
    if other:
        ways.append((EXTRA, other, expected, found[other:]))
    return max(ways, key=lambda way: run_of(way[2], way[3]))[:2]  # of equal ones the first


def run_of(expected: Sequence[bytes], found: Sequence[bytes]) -> int:
    """How many documents agree from the beginning on, at most RUN; RUN if all do."""
    for i in range(RUN):
        pair = expected[i : i + 1], found[i : i + 1]
        if not pair[0] and not pair[1]:
            break
        if pair[0] != pair[1]:
            return i
    return RUN


class Comparison:
    """Compares the documents of one shard with those of its sources, which come in order; counts and problems grow."""

    def __init__(self, shard: int, found: WrittenIds, tok: Tokenizer) -> None:
        self.shard, self.found, self.tok = shard, found, tok
        self.problems: list[Problem] = []
        self.wrong = 0
        self.outcomes = [0, 0, 0]
        self.documents = self.ids = self.begins = self.ends = self.empty = self.outside = 0
        self.counts: Any = 0  # by id
        self._n_expected = self._cursor = 0  # documents of both sides that are done
        self._waiting: deque[Waiting] = deque()
        self._swapped: dict[int, bytes] = {}  # documents of the shard that are taken for others
        self._read: dict[int, bytes] = {}  # documents of the shard that were looked at
        self._uncounted: list[tuple[Any, Any]] = []  # ids and lengths
        self._n_uncounted = 0

    def take(self, block: Block) -> None:
        """Compare the next documents of the sources."""
        n, i, step = len(block.bounds) - 1, 0, AHEAD
        while i < n:
            if not self._waiting:
                last = min(i + step, n)
                i += self.take_equal(block, i, last)
                step = step * 2 if i == last else AHEAD
                if i == last:
                    continue
            last = min(i + 2 * AHEAD, n)
            self._waiting += [Waiting(ids_of(block, k).tobytes(), block, k) for k in range(i, last)]
            i = last
            self.explain(False)

    def take_at(self, block: Block, number: int) -> None:
        """Compare one document of the sources, which has this number in the shard."""
        wanted = Waiting(ids_of(block, 0).tobytes(), block, 0)
        self._waiting.append(wanted)
        self._n_expected = self._cursor = number
        there = self.document(number)
        if there == wanted.ids:
            self.accept()
            return
        self.note(number, wanted, lambda: missing(wanted.ids) if there is None else self.difference(wanted.ids, there))
        self.drop(1)
        if there is not None:
            self.advance()

    def finish(self) -> None:
        """Compare what waits, and count what is left in the shard."""
        self.explain(True)
        while self._cursor < self.found.n_documents:
            self.refuse_extra()
        self.count()

    def take_equal(self, block: Block, first: int, last: int) -> int:
        """Take the equal documents from `first` on, and return how many there are."""
        import numpy as np

        count = min(last - first, self.found.n_documents - self._cursor)
        if count <= 0 or self._swapped:
            return 0
        bounds = block.bounds[first : first + count + 1] - block.bounds[first]
        lengths = bounds[1:] - bounds[:-1]
        longer = np.flatnonzero(lengths != self.found.lengths(self._cursor, self._cursor + count))
        n = int(longer[0]) if len(longer) else count
        ids = self.found.ids(self._cursor, self._cursor + n)
        differs = ids != block.ids[block.bounds[first] : block.bounds[first + n]]
        if differs.any():
            n = int(np.searchsorted(bounds, differs.argmax(), "right")) - 1
        self.keep(ids[: bounds[n]], lengths[:n])
        for outcome in (GIVEN, NORMALIZED, LOST):
            self.outcomes[outcome] += block.outcomes.count(outcome, first, first + n)
        for i in range(first, first + n if block.faults else first):
            if i in block.faults:
                self.note(self._n_expected + i - first, Waiting(b"", block, i), partial(block.faults.__getitem__, i))
        self._n_expected += n
        self._cursor += n
        self._read.clear()
        return n

    def explain(self, is_end: bool) -> None:
        """Compare documents that wait, as long as enough of them are left to explain a difference."""
        while self._waiting:
            first = self._waiting[0]
            if self.document(self._cursor) == first.ids:
                self.accept()
            elif len(self._waiting) < AHEAD and not is_end:
                return
            else:
                self.diagnose(first)

    def diagnose(self, first: Waiting) -> None:
        """Note why the first document that waits differs, and go on after it."""
        ahead = AHEAD if self.wrong < MOST_EXPLAINED else 1
        expected = [one.ids for one in islice(self._waiting, ahead)]
        last = min(self._cursor + ahead, self.found.n_documents)
        there = [self.document(i) or b"" for i in range(self._cursor, last)]
        kind, n = explanation(expected, there)
        number, beside = self._n_expected, self._n_expected + n
        if kind == EXTRA:
            for _ in range(n):
                self.refuse_extra()
        elif kind == MISSING:
            for _ in range(n):
                one = self._waiting[0]
                self.note(self._n_expected, one, partial(missing, one.ids))
                self.drop(1)
        elif kind == SWAPPED:
            self.note(number, first, lambda: f"it is swapped with document {beside:,} of the shard")
            self._swapped |= {self._cursor: there[n], self._cursor + n: there[0]}
        else:
            self.note(number, first, lambda: self.message(kind, expected, there))
            self.drop(2 if kind in (MOVED, JOINED) else 1)
            for _ in range(2 if kind in (MOVED, CUT) else 1):
                self.advance()

    def message(self, kind: int, expected: Sequence[bytes], found: Sequence[bytes]) -> str:
        """What is wrong with the first document."""
        sizes = f"it has {len(found[0]) // 8:,} ids, expected {len(expected[0]) // 8:,}"
        if kind == MOVED:
            return f"the boundary after it is moved: {sizes}"
        if kind == JOINED:
            return f"the boundary after it is missing: {sizes}"
        return f"it is cut in two: {sizes}" if kind == CUT else self.difference(expected[0], found[0])

    def difference(self, expected: bytes, found: bytes) -> str:
        """Where the ids of a document differ first."""
        import numpy as np

        wanted, there = np.frombuffer(expected, "int64"), np.frombuffer(found, "int64")
        shorter = min(len(wanted), len(there))
        differs = wanted[:shorter] != there[:shorter]
        i = int(differs.argmax()) if differs.any() else shorter
        if i == len(there):
            return f"it ends after {i:,} ids, expected id {self.named(wanted[i])} next, and {len(wanted):,} ids"
        if i == len(wanted):
            return f"it goes on with id {self.named(there[i])}, expected its end after {i:,} ids"
        return f"id number {i:,} is {self.named(there[i])}, expected {self.named(wanted[i])}"

    def named(self, piece_id: int) -> str:
        """An id with its piece, for messages; or that it has none."""
        if not 0 <= piece_id < self.tok.vocab_size:
            return f"{piece_id}, which is outside the vocabulary of {self.tok.vocab_size:,} pieces"
        return f"{piece_id} {self.tok.id_to_piece(int(piece_id))!r:.60}"

    def refuse_extra(self) -> None:
        """Note that the next document of the shard is too many."""
        ids = self.document(self._cursor) or b""
        self.note(self._cursor, None, lambda: f"it is too many: no source has it there; it has {len(ids) // 8:,} ids")
        self.advance()

    def accept(self) -> None:
        """Take the first document that waits: it is equal."""
        one = self._waiting[0]
        self.outcomes[one.block.outcomes[one.place]] += 1
        if one.place in one.block.faults:
            self.note(self._n_expected, one, lambda: one.block.faults[one.place])
        self.drop(1)
        self.advance()

    def drop(self, n: int) -> None:
        """Go on after documents that wait."""
        for _ in range(n):
            self._waiting.popleft()
        self._n_expected += n

    def advance(self) -> None:
        """Go on after a document of the shard, which is counted."""
        import numpy as np

        ids = np.frombuffer(self.document(self._cursor) or b"", "int64")
        self.keep(ids, np.array([len(ids)]))
        self._swapped.pop(self._cursor, None)
        self._read.pop(self._cursor, None)
        self._cursor += 1

    def document(self, number: int) -> bytes | None:
        """The ids of a document of the shard; None: it has no such document. A very long one is cut."""
        if number >= self.found.n_documents:
            return None
        if number in self._swapped:
            return self._swapped[number]
        if number not in self._read:
            most = MOST_IDS + (len(self._waiting[0].ids) // 8 if self._waiting else 0)
            ids = self.found.ids(number, number + 1, most)
            if len(ids) == most:
                return ids.tobytes()  # documents that wait later may be longer
            self._read[number] = ids.tobytes()
        return self._read[number]

    def note(self, document: int, one: Waiting | None, message: Callable[[], str]) -> None:
        """Count a problem, and keep it if it is among the first."""
        self.wrong += 1
        if len(self.problems) < SHOWN:
            place = one.block.place(one.place) if one is not None else ""
            self.problems.append(Problem(self.shard, document, place, message()))

    def keep(self, ids: Any, lengths: Any) -> None:
        """Count some documents of the shard, soon."""
        self._uncounted.append((ids, lengths))
        self._n_uncounted += len(ids) + len(lengths)
        self.documents += len(lengths)
        self.ids += len(ids)
        if self._n_uncounted >= COUNTED:
            self.count()

    def count(self) -> None:
        """Count what was kept."""
        import numpy as np

        if not self._uncounted:
            return
        ids, lengths = (np.concatenate(arrays) for arrays in zip(*self._uncounted, strict=True))
        self._uncounted, self._n_uncounted = [], 0
        size = self.tok.vocab_size
        inside = ids[(ids >= 0) & (ids < size)]
        self.counts = self.counts + np.bincount(inside, minlength=size)
        self.outside += len(ids) - len(inside)
        lengths, n_empty = lengths[lengths > 0], int((lengths == 0).sum())
        ends = np.cumsum(lengths)
        bos = (ids[ends - lengths] == self.tok.bos_id) & (self.tok.bos_id >= 0)
        eos = (ids[ends - 1] == self.tok.eos_id) & (self.tok.eos_id >= 0)
        self.begins += int(bos.sum())
        self.ends += int(eos.sum())
        self.empty += n_empty + int((lengths <= bos.astype("int64") + eos).sum())


def ids_of(block: Block, i: int) -> NDArray[Any]:
    """The ids of a document, as int64."""
    found: NDArray[Any] = block.ids[block.bounds[i] : block.bounds[i + 1]].astype("int64")
    return found


def missing(ids: bytes) -> str:
    """What is wrong with a document that the shard does not have."""
    return f"it is missing, expected with its {len(ids) // 8:,} ids"
