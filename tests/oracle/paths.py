"""All segmentations of a short text under a Unigram or BPE vocabulary, and what follows from their scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

from oracle.segmentation import NORMAL, USER_DEFINED, Pieces, f32, match, plain_ids, priority, unknown_id

Path = tuple[int, ...]


def unigram_scores(pieces: Pieces) -> tuple[dict[int, float], float]:
    """Scores of the pieces that can be given out, and of an unknown character."""
    scores = {i: f32(score) for i, (_, score, kind) in enumerate(pieces) if kind == NORMAL}
    unknown = f32(min(scores.values(), default=3.4028234663852886e38) - 10.0)
    for i, (text, _, kind) in enumerate(pieces):
        if kind == USER_DEFINED:
            scores[i] = f32(0.1 * (len(text.decode()) - 1))
    return scores, unknown


def rank_scores(pieces: Pieces) -> tuple[dict[int, float], float]:
    """(score by id, score of unknown text) of BPE: the piece that merges first has rank 0."""
    normal = [i for i, (_, _, kind) in enumerate(pieces) if kind == NORMAL]
    normal.sort(key=lambda i: (-priority(pieces[i][1]), i))
    scores = {i: f32(-math.log(2.0 + rank)) for rank, i in enumerate(normal)}
    unknown = f32(-math.log(2.0 + len(normal)) - 10.0)
    scores.update((i, 0.0) for i, (_, _, kind) in enumerate(pieces) if kind == USER_DEFINED)
    return scores, unknown


def all_paths(pieces: Pieces, text: str, is_bpe: bool = False) -> list[tuple[Path, list[float]]]:
    """(ids, scores) of every segmentation; where the next piece differs, the longer one comes first."""
    scores, unknown = rank_scores(pieces) if is_bpe else unigram_scores(pieces)
    ids = {piece.decode(): i for piece, i in plain_ids(pieces).items() if i in scores}
    units = [text] if is_bpe else []

    def symbol_at(begin: int) -> str | None:
        size, found = match(pieces, text[begin:].encode())
        return text[begin:].encode()[:size].decode() if found else None

    def edges(begin: int) -> Iterator[tuple[int, int, float]]:
        limit = len(text)
        if units:
            symbol = symbol_at(begin)
            if symbol is not None:
                yield begin + len(symbol), ids[symbol], 0.0
                return
            limit = next((k for k in range(begin + 1, limit) if symbol_at(k) is not None), limit)
        is_covered = False
        for end in range(limit, begin, -1):
            piece = ids.get(text[begin:end])
            if piece is not None and not (is_bpe and pieces[piece][2] == USER_DEFINED):
                is_covered |= end == begin + 1
                yield end, piece, scores[piece]
        if not is_covered:
            yield begin + 1, unknown_id(pieces), unknown

    def extend(begin: int) -> Iterator[tuple[Path, list[float]]]:
        if begin == len(text):
            yield (), []
            return
        for end, piece, score in edges(begin):
            for path, path_scores in extend(end):
                yield (piece, *path), [score, *path_scores]

    return list(extend(0))


def probabilities(paths: list[tuple[Path, list[float]]], alpha: float) -> dict[Path, float]:
    """exp(alpha * score), made to add up to 1."""
    logs = [alpha * math.fsum(scores) for _, scores in paths]
    greatest = max(logs)
    total = math.fsum(math.exp(log - greatest) for log in logs)
    return {path: math.exp(log - greatest) / total for (path, _), log in zip(paths, logs, strict=True)}


def entropy(distribution: dict[Path, float]) -> float:
    """In nats."""
    return -math.fsum(p * math.log(p) for p in distribution.values() if p > 0)


def log_sum(logs: list[float]) -> float:
    """The logarithm of a sum of exponentials."""
    greatest = max(logs)
    return greatest + math.log(math.fsum(math.exp(log - greatest) for log in logs))


def expected_counts(scores: dict[str, float], text: str, alpha: float) -> dict[str, float]:
    """How often each piece is expected in a text of any length; all its characters are pieces."""
    longest, n = max(map(len, scores)), len(text)
    edges = [
        (begin, end, text[begin:end])
        for begin in range(n)
        for end in range(begin + 1, min(begin + longest, n) + 1)
        if text[begin:end] in scores
    ]
    forward: list[list[float]] = [[] for _ in range(n + 1)]
    backward: list[list[float]] = [[] for _ in range(n + 1)]
    before, after = [0.0] * (n + 1), [0.0] * (n + 1)
    for begin, end, piece in edges:
        before[begin] = log_sum(forward[begin]) if begin else 0.0
        forward[end].append(before[begin] + alpha * scores[piece])
    for begin, end, piece in reversed(edges):
        after[end] = log_sum(backward[end]) if end < n else 0.0
        backward[begin].append(after[end] + alpha * scores[piece])
    total = log_sum(forward[n])
    counts: dict[str, float] = {}
    for begin, end, piece in edges:
        p = math.exp(before[begin] + alpha * scores[piece] + after[end] - total)
        counts[piece] = counts.get(piece, 0.0) + p
    return counts


def chi_square(counts: dict[Path, int], expected: dict[Path, float], n_draws: int) -> float:
    """In standard deviations from its mean; paths expected less than 5 times are counted together."""
    rare = [path for path, p in expected.items() if p * n_draws < 5]
    cells = [(counts.get(path, 0), p * n_draws) for path, p in expected.items() if p * n_draws >= 5]
    if rare:
        cells.append((sum(counts.get(path, 0) for path in rare), max(1e-9, sum(expected[r] for r in rare) * n_draws)))
    if len(cells) < 2:
        return 0.0
    total = math.fsum((seen - wanted) ** 2 / wanted for seen, wanted in cells if wanted > 0.5)
    return (total - (len(cells) - 1)) / math.sqrt(2 * (len(cells) - 1))
