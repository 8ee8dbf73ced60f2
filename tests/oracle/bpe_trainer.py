"""BPE training, naive: every step counts all pairs anew."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from oracle import graphemes
from oracle.validity import is_valid

from spm_lite.specs import TrainerSpec

NAME_OF_OUTSIDER = None  # a symbol outside the alphabet


def learn(
    items: list[tuple[str, int]],
    alphabet: list[str],
    spec: TrainerSpec,
    n_merges: int,
    zero_frequency: bool = False,
    least: int = 1,
    origins: list[tuple[int, int]] | None = None,
    made: dict[str, tuple[int, int]] | None = None,
) -> list[str]:
    """The texts of the merges, in order.

    items: (chunk, count), no chunk twice. A symbol is a pair of symbols or a character, so equal texts of
    different splits are different symbols.
    zero_frequency: the rules of the original, in which pairs that no longer occur are merged too.
    least: occurrences of a merge. origins: (occurrences, bit set of sources) of each chunk, in place of its count.
    made: takes the occurrences and sources of each merge, as they were when it was made.
    """
    origins = origins or [(count, 0) for _, count in items]
    words = [([c if c in alphabet else NAME_OF_OUTSIDER for c in text], count) for text, count in items]
    bounds = [{*graphemes.begins(text)} if spec.graphemes else None for text, _ in items]
    merges: list[str] = []
    spent: set[tuple[object, object]] = set()  # pairs accepted, or discarded because their text was there
    seen: set[tuple[object, object]] = set()
    while len(merges) < n_merges:
        counts: Counter[tuple[object, object]] = Counter()
        for (word, count), places in zip(words, bounds, strict=True):
            for pair in counted_pairs(word, places):
                if None not in pair and is_valid(text_of(pair), spec, zero_frequency):
                    counts[pair] += count
        seen.update(counts)
        candidates = (seen if zero_frequency else set(counts)) - spent
        if not candidates:
            break
        best = min(
            candidates,
            key=lambda pair: (-counts[pair], len(text_of(pair)), text_of(pair), len(text_of(pair[0]))),
        )
        spent.add(best)
        occurrences, sources = origin_of(best, words, origins, bounds)
        if text_of(best) in merges or (occurrences < least and not zero_frequency):
            continue
        if made is not None:
            made[text_of(best)] = occurrences, sources
        merges.append(text_of(best))
        for word, _ in words:
            merge(word, best, seen, spec, zero_frequency)
    return merges


def counted_pairs(word: list[object], places: set[int] | None) -> list[tuple[object, object]]:
    """The pairs of neighbours that count: with `graphemes`, those that are in place. places: where clusters begin."""
    sizes = [1 if part is None else len(text_of(part)) for part in word]
    return [
        pair
        for i, pair in enumerate(pairwise(word))
        if places is None or graphemes.is_in_place(places, sum(sizes[:i]), sum(sizes[: i + 2]))
    ]


def origin_of(
    pair: object,
    words: list[tuple[list[object], int]],
    origins: list[tuple[int, int]],
    bounds: list[set[int] | None],
) -> tuple[int, int]:
    """How often a pair of neighbours occurs before weights, and the bit set of the sources that hold it."""
    occurrences = sources = 0
    for (word, _), (n, bits), places in zip(words, origins, bounds, strict=True):
        n_pairs = counted_pairs(word, places).count(pair)  # type: ignore[arg-type]
        occurrences += n * n_pairs
        sources |= bits if n_pairs else 0
    return occurrences, sources


def merge(
    word: list[object],
    pair: tuple[object, object],
    seen: set[tuple[object, object]],
    spec: TrainerSpec,
    reference_rules: bool,
) -> None:
    """Replace the pair from left to right; pairs that exist only for a moment in between count as seen."""
    i = 0
    while i + 1 < len(word):
        if (word[i], word[i + 1]) == pair:
            word[i : i + 2] = [pair]
            for near in (tuple(word[max(0, i - 1) : i + 1]), tuple(word[i : i + 2])):
                if len(near) == 2 and None not in near and is_valid(text_of(near), spec, reference_rules):
                    seen.add(near)
        i += 1


def text_of(symbol: object) -> str:
    return symbol if isinstance(symbol, str) else "".join(map(text_of, symbol))  # type: ignore[call-overload]
