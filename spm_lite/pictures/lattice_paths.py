"""Unigram: the lattice of all pieces that fit, its best path, and the paths that come next.

A plain account of `encode.segment.unigram` and `lattice` for short texts. Source: Kudo 2018; Viterbi 1967.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from spm_lite.kinds import NORMAL, UNUSED, USER_DEFINED
from spm_lite.pictures.diagram import PIECE, PLAIN, RIVAL, UNKNOWN, Box, Diagram, Row, packed, without_repeats
from spm_lite.pictures.merges import ids_of, joined, starts_word

if TYPE_CHECKING:
    from spm_lite.pictures.units import Pieces, Unit

MOST_COLUMNS = 24  # of a diagram
MOST_EDGES = 80  # pieces of a lattice that are drawn
UNKNOWN_PENALTY = 10.0  # below the lowest score of a piece
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
            edges.insert(0, Edge(begin, begin + 1, -1, unknown_score(self.pieces)))
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


def unknown_score(pieces: Pieces) -> float:
    """The score of a character without a piece."""
    vocab = pieces.vocab
    if vocab.exact_scores:
        return min(memoryview(vocab.exact_scores).cast("d")) - UNKNOWN_PENALTY
    scores = (vocab.score(i) for i in range(vocab.size) if vocab.type(i) == NORMAL)
    return min(scores, default=0.0) - UNKNOWN_PENALTY


def log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b))"""
    high, low = max(a, b), min(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def diagrams(units: list[Unit], parts: Sequence[int], pieces: Pieces, n_rivals: int) -> Iterator[Diagram]:
    """Yield a diagram for each stretch that no piece crosses.

    parts: the number of units in each piece of the encoding, in order.
    """
    lattice = Lattice(units, pieces)
    bounds = [0, *accumulate(parts)]
    for begin, end in stretches(lattice, bounds):
        yield diagram(lattice, begin, end, [place for place in bounds if begin <= place <= end], n_rivals)


def stretches(lattice: Lattice, bounds: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of stretches: words if no piece crosses their ends, or as many pieces as can be drawn."""
    reach = first = 0
    for begin, end in pairwise(bounds):
        is_between_words = reach <= begin and starts_word(lattice.units[begin])
        if begin > first and (is_between_words or end - first > MOST_COLUMNS):
            yield first, begin
            first = begin
        reach = max(reach, *(edge.end for place in range(begin, end) for edge in lattice.starting[place]))
    if lattice.units:
        yield first, len(lattice.units)


def diagram(lattice: Lattice, begin: int, end: int, bounds: list[int], n_rivals: int) -> Diagram:
    """The best path, its rivals and the pieces that fit, in one stretch."""
    best = path_of(lattice, bounds)
    total, count = lattice.total(begin, end)
    paths = lattice.best_paths(begin, end, n_rivals + 1)
    rivals = [path for path in paths if path.edges != best.edges][:n_rivals]
    rows = [path_row(lattice, best, begin, total, PIECE)]
    rows += [path_row(lattice, rival, begin, total, RIVAL) for rival in rivals]
    on_best = set(best.edges)
    on_rivals = {edge for rival in rivals for edge in rival.edges}
    edges = [edge for place in range(begin, end) for edge in lattice.starting[place] if edge.end <= end]
    drawn = sorted(edges, key=lambda edge: (edge not in on_best, edge not in on_rivals, -edge.score))[:MOST_EDGES]
    kinds = {edge: PIECE if edge in on_best else RIVAL if edge in on_rivals else PLAIN for edge in drawn}
    if len(edges) > len(best.edges):
        lattice_rows = packed(edge_box(lattice, edge, begin, kinds[edge]) for edge in drawn)
        caption = (
            f"all {len(edges)} pieces that fit" if len(drawn) == len(edges) else f"{len(drawn)} of {len(edges)} pieces"
        )
        rows += [lattice_rows[0]._replace(caption=caption), *lattice_rows[1:]]
    rows.append(Row(without_repeats(id_box(lattice, edge, begin) for edge in best.edges), "ids"))
    ways = "1 way to cut it" if count == 1 else f"{count:,} ways to cut it, together {total:.2f}"
    return Diagram(lattice.pieces.label_of(lattice.units[begin:end]), end - begin, tuple(rows), ways)


def path_of(lattice: Lattice, bounds: list[int]) -> Path:
    """The path that cuts at these places."""
    edges = []
    for begin, end in pairwise(bounds):
        found = next((edge for edge in lattice.starting[begin] if edge.end == end), None)
        edges.append(found or Edge(begin, end, -1, unknown_score(lattice.pieces) * (end - begin)))
    return Path(math.fsum(edge.score for edge in edges), tuple(edges))


def path_row(lattice: Lattice, path: Path, first: int, total: float, kind: str) -> Row:
    """The row of a path: its pieces, its score, and its share of the probability of all paths."""
    share = math.exp(min(path.score - total, 0.0))
    name = "best" if kind == PIECE else "rival"
    boxes = tuple(edge_box(lattice, edge, first, kind) for edge in path.edges)
    shown = f"{share:.1%}" if share >= 0.001 else "below 0.1%"
    return Row(boxes, f"{name} {path.score:.2f}, probability {shown}")


def edge_box(lattice: Lattice, edge: Edge, first: int, kind: str) -> Box:
    """The box of a piece, with its score."""
    label = lattice.pieces.label_of(lattice.units[edge.begin : edge.end])
    return Box(
        edge.begin - first, edge.end - first, label, kind if edge.piece_id >= 0 else UNKNOWN, f"{edge.score:.2f}"
    )


def id_box(lattice: Lattice, edge: Edge, first: int) -> Box:
    """The box of a piece of the best path, with its id."""
    text = joined(lattice.units[edge.begin : edge.end])
    return Box(edge.begin - first, edge.end - first, *ids_of(text, edge.piece_id, lattice.pieces))
