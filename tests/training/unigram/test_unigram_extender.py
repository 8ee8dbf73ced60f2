"""New pieces of Unigram models against the naive twin, and a piece that the text stops using."""

import random

import pytest
from oracle.extended_unigram import extended
from oracle.slow import slow_after

from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.unigram.unigram_extender import UnigramExtender

PLAIN_MEAN = 1.25  # of `count_unit`


def extend(chunks, old, characters, seeds, n):
    table = ChunkTable.from_items((text.encode(), count) for text, count in chunks)
    made = UnigramExtender().extend(table, old, characters, seeds, n, {one for text, _ in chunks for one in text})
    return made, table.low_means()[0] / PLAIN_MEAN


@pytest.mark.parametrize("seed", slow_after(30, range(400)))
def test_equals_naive(seed) -> None:
    rng = random.Random(seed)
    letters = "abก\u2581"
    words = {"".join(rng.choices(letters, k=rng.randrange(1, 8))) for _ in range(rng.randrange(1, 9))}
    chunks = [(word, rng.randrange(1, 9)) for word in sorted(words)]
    parts = {word[i:k] for word in words for i in range(len(word)) for k in range(i + 2, len(word) + 1)}
    old = {one: rng.uniform(-9, -2) for one in rng.sample("ab\u2581", rng.randrange(1, 4))}
    old |= {part: rng.uniform(-9, -2) for part in sorted(parts) if rng.random() < 0.2}
    characters = [one for one in "ก" if any(one in word for word in words) and rng.random() < 0.7]
    seeds = [part for part in sorted(parts - old.keys()) if rng.random() < 0.7]
    n = len(characters) + rng.randrange(1, 9)
    made, unit = extend(chunks, old, characters, seeds, n)
    expected = extended(chunks, old, characters, seeds, n, unit)
    assert len(made) <= max(n, len(characters))
    if not expected.has_ties:
        assert made == pytest.approx(expected.new)


def test_no_new_score_is_below_the_old_ones() -> None:
    made, _ = extend([("ab" * 500, 1), ("ac", 1)], {"a": -1.0, "b": -1.0, "c": -2.0}, [], ["ac"], 1)
    assert made == {"ac": -2.0}
    assert extend([("ab", 1)], {"a": 0.0, "b": 0.0}, [], ["ab"], 1)[0] == {}  # its parts are never worse
