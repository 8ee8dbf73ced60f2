"""Unigram: the lattice of all pieces that fit, its best path, and the paths that come next.

A plain account of `encode.segment.unigram` and `lattice` for short texts. Source: Kudo 2018; Viterbi 1967.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.kinds import UNUSED, USER_DEFINED
from spm_lite.pictures.diagram import PIECE, PLAIN, RIVAL, UNKNOWN, Box, Diagram, Row, packed, runs, without_repeats
from spm_lite.pictures.merges import ids_of, joined, starts_word

if TYPE_CHECKING:
    from spm_lite.pictures.units import Pieces, Unit

MOST_EDGES = 80  # pieces of a lattice that are drawn
USER_DEFINED_SCORE = 0.1  # for each byte but the first


class Edge(NamedTuple):
    """A piece that fits: units[begin:end]."""

    begin: int
    end: int
    piece_id: int  # -1: unknown
    score: float


class Path(NamedTuple):
    """Edges from one end to the other, and the sum of their scores."""

    score: float
    edges: tuple[Edge, ...]


class Lattice:
    """All pieces that fit somewhere in some units."""

    def __init__(self, units: Sequence[Unit], pieces: Pieces) -> None:
        self.units = units
        self.pieces = pieces
        self.starting: list[list[Edge]] = [self.edges_from(begin) for begin in range(len(units))]

    def edges_from(self, begin: int) -> list[Edge]:
        """The pieces that fit from a place on; a character without a piece is unknown."""
        edges = []
        size = 0
        for end in range(begin + 1, len(self.units) + 1):
            size += len(self.units[end - 1].text)
            if size > self.pieces.longest:
                break
            piece_id = self.pieces.find(self.units[begin:end])
            if piece_id >= 0 and self.pieces.type(piece_id) != UNUSED:
                edges.append(Edge(begin, end, piece_id, self.score_of(piece_id, size)))
        if not edges or edges[0].end > begin + 1:
            edges.insert(0, Edge(begin, begin + 1, -1, self.pieces.unknown_score))
        return edges

    def score_of(self, piece_id: int, size: int) -> float:
        """The score of a piece of so many bytes."""
        is_user_defined = self.pieces.type(piece_id) == USER_DEFINED
        return USER_DEFINED_SCORE * (size - 1) if is_user_defined else self.pieces.score(piece_id)

    def best_paths(self, begin: int, end: int, n: int) -> list[Path]:
        """The n best paths between two places, best first; paths that leave this stretch are not among them."""
        found: list[list[Path]] = [[] for _ in range(end - begin + 1)]
        found[0] = [Path(0.0, ())]
        for place in range(begin, end):
            for edge in self.starting[place]:
                if edge.end <= end:
                    more = [Path(path.score + edge.score, (*path.edges, edge)) for path in found[place - begin]]
                    both = found[edge.end - begin] + more
                    found[edge.end - begin] = heapq.nlargest(n, both, key=lambda path: path.score)
        return found[-1]

    def total(self, begin: int, end: int) -> tuple[float, int]:
        """The logarithm of the sum over all paths of a stretch, and how many there are."""
        sums, counts = [-math.inf] * (end - begin + 1), [0] * (end - begin + 1)
        sums[0], counts[0] = 0.0, 1
        for place in range(begin, end):
            for edge in self.starting[place]:
                if edge.end <= end:
                    k = edge.end - begin
                    sums[k] = log_add(sums[k], sums[place - begin] + edge.score)
                    counts[k] += counts[place - begin]
        return sums[-1], counts[-1]


def log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b))"""
    high, low = max(a, b), min(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def diagrams(units: list[Unit], parts: Sequence[int], pieces: Pieces, n_rivals: int) -> Iterator[Diagram]:
    """Yield a diagram for each stretch that no piece crosses.

    parts: the number of units in each piece of the encoding, in order.
    """
    lattice = Lattice(units, pieces)
    best = path_of(lattice, [0, *accumulate(parts)])
    for first, last in stretches(lattice, best):
        edges = best.edges[first:last]
        yield diagram(lattice, Path(math.fsum(edge.score for edge in edges), edges), n_rivals)


def stretches(lattice: Lattice, best: Path) -> Iterator[tuple[int, int]]:
    """Yield (first, last) edges of stretches: words if no piece crosses their ends, or what fits side by side."""
    starts, cells = [], []
    reach = 0
    for edge in best.edges:
        units = lattice.units[edge.begin : edge.end]
        starts.append(reach <= edge.begin and starts_word(units[0]))
        cells.append(lattice.pieces.cells_of(units, id_box(lattice, edge, 0).label))
        reach = max(reach, *(one.end for place in range(edge.begin, edge.end) for one in lattice.starting[place]))
    return runs(cells, starts)


def diagram(lattice: Lattice, best: Path, n_rivals: int) -> Diagram:
    """The best path, its rivals and the pieces that fit, in one stretch."""
    begin, end = best.edges[0].begin, best.edges[-1].end
    total, count = lattice.total(begin, end)
    paths = lattice.best_paths(begin, end, n_rivals + 1)
    rivals = [path for path in paths if path.edges != best.edges][:n_rivals]
    ids = Row(without_repeats(id_box(lattice, edge, begin) for edge in best.edges), "ids")
    rows = [path_row(lattice, best, begin, total, PIECE), ids]
    rows += [path_row(lattice, rival, begin, total, RIVAL) for rival in rivals]
    if rivals:
        rows[0] = rows[0]._replace(heading="best way")
        rows[2] = rows[2]._replace(heading="rivals" if len(rivals) > 1 else "rival")
    edges = [edge for place in range(begin, end) for edge in lattice.starting[place] if edge.end <= end]
    if len(edges) > len(best.edges):
        rows += lattice_rows(lattice, edges, set(best.edges), {edge for rival in rivals for edge in rival.edges})
    title = lattice.pieces.label_of(lattice.units[begin:end])
    ways = "1 way to cut it" if count == 1 else f"{count:,} ways to cut it"
    return Diagram(title, end - begin, tuple(rows), ways, why=why(lattice, best, rivals))


def lattice_rows(lattice: Lattice, edges: list[Edge], on_best: set[Edge], on_rivals: set[Edge]) -> list[Row]:
    """All pieces that fit in a stretch, packed into rows."""
    first = min(edge.begin for edge in edges)
    drawn = sorted(edges, key=lambda edge: (edge not in on_best, edge not in on_rivals, -edge.score))[:MOST_EDGES]
    kinds = {edge: PIECE if edge in on_best else RIVAL if edge in on_rivals else PLAIN for edge in drawn}
    rows = packed(edge_box(lattice, edge, first, kinds[edge]) for edge in drawn)
    all_of = f"all {len(edges)}" if len(drawn) == len(edges) else f"{len(drawn)} of {len(edges)}"
    return [rows[0]._replace(heading=f"{all_of} pieces that fit"), *rows[1:]]


def why(lattice: Lattice, best: Path, rivals: list[Path]) -> str:
    """A sentence or two: why this path is the best."""
    begin, end = best.edges[0].begin, best.edges[-1].end
    missing = " ".join(dict.fromkeys(label_of(lattice, edge) for edge in best.edges if edge.piece_id < 0))
    reason = f"No piece fits {missing}. " if missing else ""
    if not rivals:
        return reason.strip() or "No other pieces fit here."
    next_one = f"the next way is {less_likely(best.score - rivals[0].score)}."
    longer = longer_edges(lattice, best)
    inside = [edge for edge in longer if begin <= edge.begin and edge.end <= end]
    if inside:
        score, edge = max((best_with(lattice, edge, begin, end), edge) for edge in inside)
        odds = less_likely(best.score - score)
        shorter = next(one for one in best.edges if edge.begin <= one.begin and one.end <= edge.end)
        names = label_of(lattice, edge), label_of(lattice, shorter)
        return f"{reason}{names[0]} is longer than {names[1]}, but the best way with it is {odds}."
    if longer:
        return reason + next_one[0].upper() + next_one[1:]
    if len(best.edges) == 1:
        return f"{reason}The whole is one piece; {next_one}"
    return f"{reason}No longer piece exists here; {next_one}"


def path_of(lattice: Lattice, bounds: list[int]) -> Path:
    """The path that cuts at these places."""
    edges = []
    for begin, end in pairwise(bounds):
        found = next((edge for edge in lattice.starting[begin] if edge.end == end), None)
        edges.append(found or Edge(begin, end, -1, lattice.pieces.unknown_score * (end - begin)))
    return Path(math.fsum(edge.score for edge in edges), tuple(edges))


def path_row(lattice: Lattice, path: Path, first: int, total: float, kind: str) -> Row:
    """The row of a path: its pieces, its score, and its share of the probability of all paths."""
    share = math.exp(min(path.score - total, 0.0))
    boxes = tuple(edge_box(lattice, edge, first, kind) for edge in path.edges)
    shown = f"{share:.1%}" if share >= 0.001 else "below 0.1%"
    return Row(boxes, f"sum {path.score:.2f}, {shown}")


def longer_edges(lattice: Lattice, best: Path) -> list[Edge]:
    """The pieces that fit and hold a piece of the path; some may leave the stretch."""
    spans = [(edge.begin, edge.end) for edge in best.edges]
    return [
        edge
        for place in range(spans[-1][1])
        for edge in lattice.starting[place]
        if any(
            edge.begin <= begin and end <= edge.end and (edge.begin, edge.end) != (begin, end) for begin, end in spans
        )
    ]


def best_with(lattice: Lattice, edge: Edge, begin: int, end: int) -> float:
    """The score of the best path of a stretch that takes this edge."""
    before, after = lattice.best_paths(begin, edge.begin, 1), lattice.best_paths(edge.end, end, 1)
    return before[0].score + edge.score + after[0].score


def less_likely(difference: float) -> str:
    """How much less likely a path is whose score is lower by so much.

    >>> less_likely(math.log(3)), less_likely(0.01), less_likely(99)
    ('3.0 times less likely', 'about as likely', 'over a million times less likely')
    """
    ratio = math.exp(min(difference, 99.0))
    if ratio < 1.05:
        return "about as likely"
    shown = f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}" if ratio < 1e6 else "over a million"
    return f"{shown} times less likely"


def label_of(lattice: Lattice, edge: Edge) -> str:
    """The text of a piece as people see it."""
    return lattice.pieces.label_of(lattice.units[edge.begin : edge.end])


def edge_box(lattice: Lattice, edge: Edge, first: int, kind: str) -> Box:
    """The box of a piece, with its score."""
    shown = kind if edge.piece_id >= 0 else UNKNOWN
    return Box(edge.begin - first, edge.end - first, label_of(lattice, edge), shown, f"{edge.score:.2f}")


def id_box(lattice: Lattice, edge: Edge, first: int) -> Box:
    """The box of a piece of the best path, with its id."""
    text = joined(lattice.units[edge.begin : edge.end])
    return Box(edge.begin - first, edge.end - first, *ids_of(text, edge.piece_id, lattice.pieces))
