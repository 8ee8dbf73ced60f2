"""Naive twins of the steps of the Unigram trainer: every substring is counted, every segmentation written out."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from oracle import graphemes
from oracle.validity import is_valid

from spm_lite.specs import TrainerSpec

UNKNOWN_PENALTY = 10.0


def segments(items: list[tuple[str, int]], alphabet: str) -> list[tuple[str, int]]:
    """The texts cut at characters outside the alphabet."""
    result = []
    for text, count in items:
        kept = "".join(c if c in alphabet and c != "\0" else "\0" for c in text)
        result += [(part, count) for part in kept.split("\0") if part]
    return result


def seeds(
    items: list[tuple[str, int]],
    alphabet: str,
    spec: TrainerSpec,
    n_seeds: int,
    *,
    least: int = 2,
    n_needed: int = 0,
    rarest: int = 1,
    occurrences: list[int] | None = None,
) -> dict[str, float]:
    """All substrings with their scores, as `spm_lite.training.unigram.seeds` defines them.

    least: occurrences of each. While there are fewer than `n_needed`, the best of those with `rarest` occurrences or
    more fill up. occurrences: of each text, in place of its count.
    """
    longest = spec.max_sentencepiece_length
    in_place: Counter[str] = Counter()  # the counts, and the occurrences; with `graphemes`, those in place
    found: Counter[str] = Counter()
    followers: defaultdict[str, set[str]] = defaultdict(set)
    n_ends = 0
    for (text, count), n in zip(items, occurrences or [count for _, count in items], strict=True):
        bounds = {*graphemes.begins(text)} if spec.graphemes else {*range(len(text) + 1)}
        known = [c in alphabet and c != "\0" for c in text]
        for begin in range(len(text)):
            for end in range(begin + 1, min(begin + longest, len(text)) + 1):
                if not all(known[begin:end]):
                    break
                part = text[begin:end]
                n_ends += 1
                # An end of text differs from every other follower, other ends too only if it stops the string.
                followers[part].add(text[end] if end < len(text) and known[end] else f"end {n_ends}")
                if graphemes.is_in_place(bounds, begin, end):
                    in_place[part] += count
                    found[part] += n
    chains = defaultdict(list)  # strings with the same occurrences, by the longest of them
    for text in followers:
        last = text
        while len(followers[last]) == 1 and len(last) < longest and len(next(iter(followers[last]))) == 1:
            last += next(iter(followers[last]))
        if len(text) > 1 and is_valid(text, spec):
            chains[last].append(text)

    def best_of_chains(least: int) -> dict[str, float]:
        """The string of the best score of each chain, of those that occur often enough; the longer one of equals."""
        enough = [[text for text in chain if found[text] >= least] for chain in chains.values()]
        best = [max(chain, key=lambda text: (in_place[text] * len(text), len(text))) for chain in enough if chain]
        return {text: float(in_place[text] * len(text)) for text in best}

    chosen = best_of_chains(least)
    if len(chosen) < n_needed and rarest < least:
        chosen = best_of_chains(rarest)
    order = sorted(chosen, key=lambda text: (-chosen[text], -len(text), text))
    best = [text for text in order if found[text] >= least]
    best += [text for text in order if rarest <= found[text] < least][: max(n_needed - len(best), 0)]
    best = best[:n_seeds]
    result = {c: float(sum(t.count(c) * n for t, n in segments(items, alphabet))) for c in alphabet if c != "\0"}
    return result | {text: chosen[text] for text in best}


def with_rare(scores: dict[str, float | None]) -> dict[str, float]:
    least = min([0.0, *(score for score in scores.values() if score is not None)])
    return {piece: least - UNKNOWN_PENALTY if score is None else score for piece, score in scores.items()}


def segmentations(text: str, scores: dict[str, float]) -> Iterator[list[str]]:
    """Every way to write `text` as pieces."""
    if not text:
        yield []
    for end in range(1, len(text) + 1):
        if text[:end] in scores:
            for rest in segmentations(text[end:], scores):
                yield [text[:end], *rest]


def expected_counts(items: list[tuple[str, int]], scores: dict[str, float | None]) -> tuple[dict[str, float], float]:
    known = with_rare(scores)
    expected = dict.fromkeys(scores, 0.0)
    log_likelihood = 0.0
    for text, count in segments(items, "".join(piece for piece in scores if len(piece) == 1)):
        paths = list(segmentations(text, known))
        weights = [math.exp(math.fsum(known[piece] for piece in path)) for path in paths]
        total = math.fsum(weights)
        log_likelihood += count * math.log(total)
        for path, weight in zip(paths, weights, strict=True):
            for piece in path:
                expected[piece] += count * weight / total
    return expected, log_likelihood


def digamma(x: float) -> float:
    """By the recurrence and two terms of the asymptotic series, far out."""
    shift = sum(1 / (x + k) for k in range(1000))
    x += 1000
    return math.log(x) - 1 / (2 * x) - 1 / (12 * x * x) - shift


def alternative(piece: str, scores: dict[str, float]) -> tuple[float, list[str]]:
    """The best segmentation of a piece's text that is not the piece: (score, path)."""
    paths = (path for path in segmentations(piece, scores) if len(path) > 1)
    return max(((sum(scores[p] for p in path), path) for path in paths), key=lambda item: item[0])


def has_ties(scores: dict[str, float | None]) -> bool:
    """Whether some piece has two best alternatives, so that its loss depends on which of them is taken."""
    known = with_rare(scores)
    for piece in scores:
        paths = [path for path in segmentations(piece, known) if len(path) > 1]
        best, *others = sorted((sum(known[p] for p in path) for path in paths), reverse=True) or [0.0]
        if others and others[0] > best - 1e-9:
            return True
    return False


def losses(counts: dict[str, int], scores: dict[str, float | None]) -> dict[str, float | None]:
    """Each piece's loss by the formula of the original; None: useless. Single characters are left out."""
    known = with_rare(scores)
    total = sum(counts.values())
    result: dict[str, float | None] = {}
    for piece in scores:
        if len(piece) == 1:
            continue
        score, path = alternative(piece, known)
        count = counts[piece]
        if count == 0 or score > known[piece]:
            result[piece] = None
            continue
        new_total = total + count * (len(path) - 1)
        new = sum(math.log((counts[p] + count) / new_total) for p in path)
        result[piece] = count / total * (math.log(count / total) - new)
    return result
