"""BPE merge by merge: which neighbours become one, in which order, until no two of them form a piece.

A plain account of `encode.segment.bpe` for short texts: it looks at all pairs for every merge.
Source: Sennrich et al. 2016.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.kinds import NORMAL, UNUSED
from spm_lite.pictures.diagram import NEW, NUMBER, PIECE, PLAIN, UNKNOWN, Box, Diagram, Row, runs, without_repeats
from spm_lite.pictures.units import MARK, Pieces, Unit, order, split, units_of

if TYPE_CHECKING:
    from spm_lite.pictures.tokens import Token

DEEPEST = 100  # splits of UNUSED pieces


class Merge(NamedTuple):
    """Two neighbours that became one: units[begin:middle] and units[middle:end]."""

    begin: int
    middle: int
    end: int
    piece_id: int
    number: int  # its place among the merges of the model, from 1


class Trace(NamedTuple):
    """All merges of some units, in order, and the parts that were left at the end."""

    merges: list[Merge]
    bounds: list[int]  # where the parts begin, and the end of the last one
    halves: dict[bytes, int]  # text of an UNUSED piece -> units of its first half
    beaten: list[tuple[Merge, Merge]]  # a merge, and one that it made impossible


def trace(units: Sequence[Unit], pieces: Pieces) -> Trace:
    """Merge the pair whose piece has the highest score, the leftmost of equal ones, until there is no such pair."""
    bounds = list(range(len(units) + 1))
    merges: list[Merge] = []
    halves: dict[bytes, int] = {}
    beaten: list[tuple[Merge, Merge]] = []

    def pair(k: int) -> tuple[int, int]:
        """The piece of part k and the next one, -1 for none, and its order."""
        if pieces.merges is not None:
            left, right = (pieces.find(units[bounds[i] : bounds[i + 1]]) for i in (k, k + 1))
            place, whole = pieces.merges.get((left, right), (0, -1))
            return whole, -place
        piece_id = pieces.find(units[bounds[k] : bounds[k + 2]])
        if piece_id >= 0 and pieces.type(piece_id) == UNUSED:
            halves[joined(units[bounds[k] : bounds[k + 2]])] = bounds[k + 1] - bounds[k]
        return piece_id, order(pieces.score(piece_id)) if piece_id >= 0 else -1

    def merge_at(k: int) -> Merge:
        """The merge of part k and the next one."""
        number = 1 - found[k][1] if pieces.merges is not None else pieces.merge_number(found[k][0])
        return Merge(bounds[k], bounds[k + 1], bounds[k + 2], found[k][0], number)

    found = [pair(k) for k in range(len(units) - 1)]
    while True:
        best = max(range(len(found)), key=lambda k: (found[k][0] >= 0, found[k][1], -k), default=-1)
        if best < 0 or found[best][0] < 0:
            return Trace(merges, bounds, halves, beaten)
        merges.append(merge_at(best))
        beaten += [(merges[-1], merge_at(k)) for k in (best - 1, best + 1) if 0 <= k < len(found) and found[k][0] >= 0]
        del bounds[best + 1]
        del found[best]
        for k in (best - 1, best):
            if 0 <= k < len(found):
                found[k] = pair(k)


def joined(units: Iterable[Unit]) -> bytes:
    """The text of units."""
    return b"".join(unit.text for unit in units)


def parts_given(
    units: Sequence[Unit], begin: int, end: int, found: Trace, pieces: Pieces, depth: int = 0
) -> Iterator[tuple[int, int, int]]:
    """Yield (begin, end, id) of the tokens of one part: an UNUSED piece is split as it came about; -1: no piece."""
    piece_id = pieces.find(units[begin:end])
    if piece_id < 0 or pieces.type(piece_id) != UNUSED or depth > DEEPEST:
        yield begin, end, piece_id
        return
    half = found.halves.get(joined(units[begin:end]), 0)
    if not half:
        yield begin, end, -1
        return
    yield from parts_given(units, begin, begin + half, found, pieces, depth + 1)
    yield from parts_given(units, begin + half, end, found, pieces, depth + 1)


def diagrams(tokens: Sequence[Token], pieces: Pieces, chunks: list[bytes] | None) -> Iterator[Diagram]:
    """Yield a diagram for each word. chunks: how a split pattern cuts the text; None: there is none."""
    if chunks is None:
        yield from diagrams_of(units_of(tokens, pieces, True), pieces)
        return
    vocab = pieces.vocab
    for chunk in chunks:
        parts = split(chunk, pieces, True)
        whole = pieces.ids.get(chunk, -1)
        looks_up = vocab.merge_list is None or vocab.merge_list.whole_pieces
        if looks_up and whole >= 0 and vocab.type(whole) == NORMAL and len(trace(parts, pieces).bounds) > 2:
            yield looked_up(parts, whole, pieces)
        else:
            yield from diagrams_of(parts, pieces)


def diagrams_of(units: list[Unit], pieces: Pieces) -> Iterator[Diagram]:
    """Yield the diagrams of units that may merge with each other."""
    found = trace(units, pieces)
    for first, last in stretches(units, found, pieces):
        yield diagram(units, first, last, found, pieces)


def stretches(units: list[Unit], found: Trace, pieces: Pieces) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of stretches to draw: a word, or as many parts as fit side by side."""
    bounds = found.bounds
    parts = list(pairwise(bounds))
    labels = (
        " ".join(ids_of(joined(units[begin:end]), piece_id, pieces)[0] for begin, end, piece_id in given)
        for given in (parts_given(units, *part, found, pieces) for part in parts)
    )
    cells = (pieces.cells_of(units[begin:end], label) for (begin, end), label in zip(parts, labels, strict=True))
    for first, last in runs(cells, (starts_word(units[begin]) for begin, _ in parts)):
        yield bounds[first], bounds[last]


def starts_word(unit: Unit) -> bool:
    """Whether a word begins with this unit."""
    return unit.text.startswith((MARK, b" "))


def diagram(units: list[Unit], first: int, last: int, found: Trace, pieces: Pieces) -> Diagram:
    """The merges within a stretch, row by row, and the ids at the end."""
    bounds = list(range(first, last + 1))
    rows = [Row(boxes(units, bounds, first, pieces), "each unit alone")]
    for merge in found.merges:
        if not first <= merge.begin < last:
            continue
        bounds.remove(merge.middle)
        caption = f"merge no. {merge.number:,}: {parts_of(merge, units, pieces)}"
        rows.append(Row(boxes(units, bounds, first, pieces, merge), caption))
    given = [part for begin, end in pairwise(bounds) for part in parts_given(units, begin, end, found, pieces)]
    if len(given) > len(bounds) - 1:
        after = [begin for begin, _, _ in given] + [last]
        rows.append(Row(boxes(units, after, first, pieces), "unused pieces are split again"))
    rows.append(Row(without_repeats(id_box(units, part, first, pieces) for part in given), "ids"))
    title = pieces.label_of(units[first:last])
    return Diagram(title, last - first, tuple(rows), why=why(units, first, last, found, pieces))


def why(units: list[Unit], first: int, last: int, found: Trace, pieces: Pieces) -> str:
    """A sentence: what decided where a stretch is cut."""
    cuts = [bound for bound in found.bounds if first < bound < last]
    if not cuts:
        return "The merges end in one piece." if last - first > 1 else ""
    across = [pair for pair in found.beaten if any(pair[1].begin < cut < pair[1].end for cut in cuts)]
    if not across:
        return "No merge of the model joins two of these pieces."
    winner, loser = min(across, key=lambda pair: (pair[1].number, pair[0].number))
    reason = f"{capital(named(winner, units, pieces))} came before {named(loser, units, pieces)}"
    if winner.number == loser.number:
        return f"{reason}: it is further left. No merge joins what is left."
    return f"{reason}; no merge joins what is left."


def named(merge: Merge, units: list[Unit], pieces: Pieces) -> str:
    """A merge by its number and its two parts."""
    return f"merge no. {merge.number:,} ({parts_of(merge, units, pieces)})"


def parts_of(merge: Merge, units: list[Unit], pieces: Pieces) -> str:
    """The two parts that a merge joins."""
    return " + ".join(
        pieces.label_of(units[begin:end]) for begin, end in ((merge.begin, merge.middle), (merge.middle, merge.end))
    )


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]


def boxes(
    units: list[Unit], bounds: list[int], first: int, pieces: Pieces, new: Merge | None = None
) -> tuple[Box, ...]:
    """A box for each part. new: the merge that the row shows."""
    found = []
    for begin, end in pairwise(bounds):
        is_new = new is not None and begin == new.begin
        found.append(Box(begin - first, end - first, pieces.label_of(units[begin:end]), NEW if is_new else PLAIN))
    return tuple(found)


def id_box(units: list[Unit], part: tuple[int, int, int], first: int, pieces: Pieces) -> Box:
    """The box of a part of the result, with its id, or the ids of its bytes."""
    begin, end, piece_id = part
    return Box(begin - first, end - first, *ids_of(joined(units[begin:end]), piece_id, pieces))


def ids_of(text: bytes, piece_id: int, pieces: Pieces) -> tuple[str, str]:
    """The label and the kind of the box of a token: its id, the ids of its bytes, or the id of the unknown piece."""
    vocab = pieces.vocab
    if piece_id >= 0 and pieces.type(piece_id) != UNUSED:
        return str(piece_id), NUMBER
    if vocab.byte_fallback:
        return " ".join(str(vocab.find_id(b"<0x%02X>" % byte)) for byte in text), NUMBER
    return (f"{vocab.unknown_index} unk" if vocab.unknown_index >= 0 else "unk"), UNKNOWN


def looked_up(units: list[Unit], piece_id: int, pieces: Pieces) -> Diagram:
    """The diagram of a chunk that is a piece as a whole, though merges would not make it."""
    n = len(units)
    shown = pieces.label_of(units)
    rows = (
        Row((Box(0, n, shown, PIECE),), "looked up"),
        Row((Box(0, n, str(piece_id), NUMBER),), "ids"),
    )
    return Diagram(shown, n, rows, why="The whole chunk is a piece, so no merges are tried.")
