"""WordPiece, naive: MaxMatch by trying every end, and training by counting all pairs anew for every merge."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from oracle import graphemes


def segment(word: str, pieces: set[str], prefix: str = "##", by_char: bool = False, longest: int = 100) -> list[str]:
    """The pieces of a word, with "?" for what is unknown."""
    if len(word) > longest:
        return ["?"]
    found, begin = [], 0
    while begin < len(word):
        ends = range(len(word), begin, -1)
        end = next((end for end in ends if (prefix if begin else "") + word[begin:end] in pieces), 0)
        if end:
            found.append((prefix if begin else "") + word[begin:end])
        elif by_char:
            found.append("?")
            end = begin + 1
        else:
            return ["?"]
        begin = end
    return found


def score(pair: tuple, pairs: Counter, symbols: Counter, objective: str) -> float:
    """What the trainer maximizes: by objective the count, the count over the product, or the G-test's term."""
    count, both = pairs[pair], symbols[pair[0]] * symbols[pair[1]]
    if objective == "frequency":
        return float(count)
    if objective == "ratio":
        return count / both
    return count * math.log(count * sum(symbols.values()) / both)


def learn(
    words: dict[str, int],
    n_merges: int,
    objective: str,
    min_count: int,
    longest: int = 16,
    prefix: str = "##",
    occurrences: dict[str, int] | None = None,
    made: Counter | None = None,
    by_graphemes: bool = False,
) -> list[str]:
    """The merges in order. A symbol is (text, whether it stands inside a word).

    min_count: occurrences of a merge. occurrences: of each word, in place of its count.
    made: takes the occurrences of each merge, as they were when it was made; of several with one text, their sum.
    by_graphemes: pairs count in place only.
    """
    bounds = [{*graphemes.begins(word)} if by_graphemes else None for word in words]
    times = list((occurrences or words).values())
    splits = [([(char, i > 0) for i, char in enumerate(word)], count) for word, count in words.items()]
    known = {symbol for symbols, _ in splits for symbol in symbols}
    merges: list[tuple[str, bool]] = []
    while len(merges) < n_merges:
        pairs: Counter = Counter()
        symbols: Counter = Counter()
        found: Counter = Counter()  # occurrences of each pair
        for (parts, count), n, places in zip(splits, times, bounds, strict=True):
            for symbol in parts:
                symbols[symbol] += count
            sizes = [len(text) for text, _ in parts]
            for i, pair in enumerate(pairwise(parts)):
                if places is None or graphemes.is_in_place(places, sum(sizes[:i]), sum(sizes[: i + 2])):
                    pairs[pair] += count
                    found[pair] += n
        allowed = [pair for pair in pairs if found[pair] >= min_count and len(pair[0][0]) + len(pair[1][0]) <= longest]
        if not allowed:
            break
        best = min(
            allowed,
            key=lambda pair: (
                -score(pair, pairs, symbols, objective), len(pair[0][0] + pair[1][0]), pair[0][0] + pair[1][0],
                pair[0][1], len(pair[0][0]),
            ),
        )  # fmt: skip
        joined = (best[0][0] + best[1][0], best[0][1])
        if joined not in known:
            known.add(joined)
            merges.append(joined)
        if made is not None:
            made[prefix + joined[0] if joined[1] else joined[0]] += found[best]
        for parts, _ in splits:
            i = 0
            while i + 1 < len(parts):
                if (parts[i], parts[i + 1]) == best:
                    parts[i : i + 2] = [joined]
                i += 1
    return [prefix + text if inside else text for text, inside in merges]
