"""The original's Unigram trainer in plain Python, slow: seeds from all substrings, lattices of listed nodes."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from oracle.validity import is_valid

from spm_lite.kinds import SPACE
from spm_lite.specs import TrainerSpec

F = np.float32
UNKNOWN = "\u2585"
Sentences = list[tuple[str, int]]  # in reading order, with UNKNOWN in place of what is outside the alphabet
Pieces = list[tuple[str, F]]


def is_continuation(byte: int | None) -> bool:
    return byte is not None and byte & 0xC0 == 0x80


def parts(sentences: Sentences, part_size: int) -> list[bytes]:
    """The texts in which seeds are looked for."""
    result, part = [], b""
    for text, count in sentences:
        for _ in range(count):
            part += text.encode() + b"\0"
            if len(part) >= part_size:
                result.append(part)
                part = b""
                break
    return result + ([part] if part else [])


def repeats(text: bytes, spec: TrainerSpec) -> Counter[str]:
    """What one text adds to the counts of strings."""
    found: dict[bytes, list[int | None]] = {}  # string -> the byte behind each occurrence
    for begin in range(len(text)):
        for end in range(begin + 2, min(len(text), begin + 4 * spec.max_sentencepiece_length + 2) + 1):
            found.setdefault(text[begin:end], []).append(text[end] if end < len(text) else None)
    counts: Counter[str] = Counter()
    for string, followers in found.items():
        if len(followers) < 2 or len(set(followers)) < 2:
            continue
        first = None if None in followers else min(byte for byte in followers if byte is not None)
        if is_continuation(string[0]) or is_continuation(first):
            continue
        piece = string.rstrip(b"\0").decode()
        if "\0" not in piece and len(piece) >= 2 and is_valid(piece, spec, True):
            counts[piece] += len(followers)
    return counts


def rank(item: tuple[str, int]) -> tuple[float, int, bytes]:
    return -seed_score(item), -len(item[0].encode()), item[0].encode()


def seed_score(item: tuple[str, int]) -> float:
    return float(F(item[1]) * F(len(item[0])))


def seeds(sentences: Sentences, spec: TrainerSpec, n_seeds: int, part_size: int = 500 << 20) -> list[tuple[str, float]]:
    """The strings of two characters and more, best first, with their scores."""
    counts: Counter[str] = Counter()
    for part in parts(sentences, part_size):
        counts += repeats(part, spec)
        if len(counts) > 16 * n_seeds:
            counts = Counter(dict(sorted(counts.items(), key=rank)[: 8 * n_seeds]))
    return [(piece, seed_score((piece, count))) for piece, count in sorted(counts.items(), key=rank)[:n_seeds]]


def words(sentences: Sentences, spec: TrainerSpec) -> Sentences:
    """The parts into which spaces cut the sentences, most frequent first."""
    counts: Counter[str] = Counter()
    for text, count in sentences:
        begin = 0
        for i in range(1, len(text)):
            left, right = text[i - 1] == SPACE, text[i] == SPACE
            is_run = left and right and spec.allow_whitespace_only_pieces
            if (left if spec.treat_whitespace_as_suffix else right) and not is_run:
                counts[text[begin:i]] += count
                begin = i
        counts[text[begin:]] += count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))


@dataclass
class Node:
    begin: int
    end: int
    piece_id: int
    score: F
    best: F = field(default_factory=F)
    before: Node | None = None


class NaiveLattice:
    """All nodes of a text by where they begin and where they end; the start and the end of the text are nodes, too."""

    def __init__(self, text: str, pieces: Pieces) -> None:
        self.ids = {piece: k for k, (piece, _) in enumerate(pieces)}
        unknown = F(min(score for _, score in pieces) - F(10))
        n = len(text)
        self.first, self.last = Node(-1, 0, -1, F(0)), Node(n, n + 1, -1, F(0))
        self.begins: list[list[Node]] = [[] for _ in range(n + 1)]
        self.ends: list[list[Node]] = [[] for _ in range(n + 1)]
        self.ends[0].append(self.first)
        for begin in range(n):
            for end in range(begin + 1, n + 1):
                if (k := self.ids.get(text[begin:end])) is not None:
                    self.add(Node(begin, end, k, pieces[k][1]))
            if text[begin] not in self.ids:
                self.add(Node(begin, begin + 1, 0, unknown))
        self.begins[n].append(self.last)

    def add(self, node: Node) -> None:
        self.begins[node.begin].append(node)
        self.ends[node.end].append(node)

    def fill_bests(self) -> F:
        """Fill the best way to each node; the best path's score is returned."""
        for place, nodes in enumerate(self.begins):
            for node in nodes:
                node.before = None
                for left in self.ends[place]:
                    score = F(left.best + node.score)
                    if node.before is None or score > node.best:
                        node.best, node.before = score, left
        return self.last.best

    def best_path(self) -> list[int]:
        self.fill_bests()
        path: list[int] = []
        node = self.last.before
        while node is not None and node is not self.first:
            path.insert(0, node.piece_id)
            node = node.before
        return path

    def two_best(self) -> list[list[int]]:
        """The two best paths, by A* from the end; the agenda is the original's heap."""
        heap: list[tuple[F, Node, F, list[int]]] = []
        push(heap, (self.fill_bests(), self.last, F(0), []))
        found: list[list[int]] = []
        while heap and len(found) < 2:
            _, node, onward, path = pop(heap)
            if node is self.first:
                found.append(path)
                continue
            for left in self.ends[node.begin]:
                longer = path if left is self.first else [left.piece_id, *path]
                push(heap, (F(left.best + onward), left, F(left.score + onward), longer))
        return found


def push(heap: list, entry: tuple) -> None:
    heap.append(entry)
    sift_up(heap, len(heap) - 1, entry)


def sift_up(heap: list, i: int, entry: tuple) -> None:
    while i > 0 and heap[(i - 1) // 2][0] < entry[0]:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = entry


def pop(heap: list) -> tuple:
    front, last, i = heap[0], heap.pop(), 0
    if heap:
        while 2 * i + 2 < len(heap):
            child = 2 * i + 1 if heap[2 * i + 2][0] < heap[2 * i + 1][0] else 2 * i + 2
            heap[i] = heap[child]
            i = child
        if 2 * i + 1 < len(heap):
            heap[i] = heap[2 * i + 1]
            i = 2 * i + 1
        sift_up(heap, i, last)
    return front


def log_add(x: F | None, y: F) -> F:
    if x is None:
        return y
    low, high = min(x, y), max(x, y)
    if high > F(low + F(50)):
        return high
    return F(float(high) + math.log1p(math.exp(float(F(low - high)))))


def in_lanes(sentences: Sentences, n_lanes: int, n_pieces: int, add) -> list[F]:
    """Sums for each piece: every lane by itself, then one lane after the other."""
    total = [F(0)] * n_pieces
    for lane in range(n_lanes):
        sums = [F(0)] * n_pieces
        for text, count in sentences[lane::n_lanes]:
            add(text, F(count), sums)
        total = [F(a + b) for a, b in zip(total, sums, strict=True)]
    return total


def expected(sentences: Sentences, pieces: Pieces, n_lanes: int) -> list[F]:
    """The E-step."""

    def add(text: str, count: F, sums: list[F]) -> None:
        lattice = NaiveLattice(text, pieces)
        n = len(text)
        forward: list[F] = []
        for place in range(n + 1):
            total: F | None = F(0) if place == 0 else None
            for left in lattice.ends[place] if place else []:
                total = log_add(total, F(left.score + forward[left.begin]))
            assert total is not None
            forward.append(total)
        backward = [F(0)] * (n + 1)
        for place in range(n - 1, -1, -1):
            total = None
            for right in lattice.begins[place]:
                total = log_add(total, F(right.score + backward[right.end]))
            assert total is not None
            backward[place] = total
        for place in range(n):
            for node in lattice.begins[place]:
                x = F(F(F(forward[place] + node.score) + backward[node.end]) - forward[n])
                sums[node.piece_id] = F(float(sums[node.piece_id]) + float(count) * math.exp(float(x)))

    return in_lanes(sentences, n_lanes, len(pieces), add)


def digamma(x: float) -> float:
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    a = (1 / x) * (1 / x)
    b = a * a
    return result + (math.log(x) + (1 / 24) * a - (7 / 960) * b + (31 / 8064) * b * a - (127 / 30720) * b * b)


def maximize(pieces: Pieces, counts: list[F]) -> Pieces:
    """The M-step."""
    kept = [(piece, count) for (piece, _), count in zip(pieces, counts, strict=True) if count >= F(0.5)]
    total = F(0)
    for _, count in kept:
        total = F(total + count)
    log_total = float(F(digamma(float(total))))
    return [(piece, F(digamma(float(count)) - log_total)) for piece, count in kept]


def prune(sentences: Sentences, pieces: Pieces, target: int, spec: TrainerSpec, n_lanes: int) -> Pieces:
    """The pieces that one round of pruning leaves."""

    def add(text: str, count: F, sums: list[F]) -> None:
        for piece_id in NaiveLattice(text, pieces).best_path():
            sums[piece_id] = F(sums[piece_id] + count)

    counts = in_lanes(sentences, n_lanes, len(pieces), add)
    total = F(sum(float(count) for count in counts))
    log_total = F(math.log(float(total)))
    kept: list[int] = []
    ranked: list[tuple[float, int]] = []
    for i, (piece, _) in enumerate(pieces):
        paths = NaiveLattice(piece, pieces).two_best() if counts[i] > 0 else []
        if len(paths) == 1:
            kept.append(i)
        if len(paths) < 2 or len(paths[0]) > 1:
            continue
        own = F(math.log(float(counts[i])) - float(log_total))
        other_total = F(math.log(float(F(total + F(counts[i] * F(len(paths[1]) - 1))))))
        others = F(0)
        for k in paths[1]:
            others = F(float(others) + (math.log(float(F(counts[k] + counts[i]))) - float(other_total)))
        ranked.append((-float(F(F(counts[i] / total) * F(own - others))), i))
    limit = max(target, int(F(F(spec.shrinking_factor) * F(len(pieces)))))
    for _, i in sorted(ranked):
        if len(kept) == limit:
            break
        kept.append(i)
    return [pieces[i] for i in kept]


def unshadowed(pieces: Pieces) -> Pieces:
    """The pieces whose own text has no better segmentation."""
    kept = []
    for i, (piece, score) in enumerate(pieces):
        lattice = NaiveLattice(piece, pieces)
        for node in lattice.begins[0]:
            if node.piece_id == i and node.end == len(piece):
                node.score = F(-math.inf)
        if not lattice.fill_bests() > score:
            kept.append((piece, score))
    return kept


def learn(
    sentences: Sentences, alphabet: list[tuple[str, int]], spec: TrainerSpec, n_pieces: int, n_lanes: int
) -> list[tuple[str, float]]:
    """The final pieces with their scores."""
    first = [(piece, float(F(count))) for piece, count in alphabet if count > 0]
    first += seeds(sentences, spec, spec.seed_sentencepiece_size)
    log_total = math.log(math.fsum(score for _, score in first))  # all whole numbers, so any sum is the exact one
    pieces = [(piece, F(math.log(score) - log_total)) for piece, score in first]
    if spec.split_by_whitespace:
        sentences = words(sentences, spec)
    target = int(1.1 * spec.vocab_size)
    while True:
        for _ in range(spec.num_sub_iterations):
            pieces = maximize(pieces, expected(sentences, pieces, n_lanes))
        pieces = prune(sentences, pieces, target, spec, n_lanes)
        if len(pieces) <= target:
            return finalize(unshadowed(pieces), alphabet, n_pieces)


def finalize(pieces: Pieces, alphabet: list[tuple[str, int]], n_pieces: int) -> list[tuple[str, float]]:
    """The alphabet, then the best of the others."""
    scores = dict(pieces)
    least, extra = min(scores.values()), F(0)
    chosen: dict[str, F] = {}
    for character, _ in alphabet:
        if character in scores:
            chosen[character] = scores[character]
        else:
            chosen[character] = F(least + extra)
            extra = F(extra + F(0.0001))
    for piece, score in sorted(pieces, key=lambda item: (-item[1], item[0].encode())):
        if len(chosen) == n_pieces:
            break
        chosen.setdefault(piece, score)
    order = sorted(chosen, key=lambda piece: (-chosen[piece], piece.encode()))
    return [(piece, float(chosen[piece])) for piece in order]
