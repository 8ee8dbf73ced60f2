"""Seeds, E-step, M-step and pruning against naive twins and worked numbers."""

import math
import random
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import native
from oracle import unigram_trainer as oracle
from oracle.piece_rules import PIECE_RULES
from oracle.weighted_counts import Weighted, weighted_sum

from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable

CHARACTERS = "ab\u2581,あ\u03017😀"
Items = dict[str, int]

specs = st.builds(TrainerSpec, **PIECE_RULES)
items_of = st.dictionaries(st.text(CHARACTERS + "\0", min_size=1, max_size=14), st.integers(1, 4), max_size=8)
scores_of = st.dictionaries(st.text("abc", min_size=2, max_size=6), st.floats(-9, -0.01), max_size=20).flatmap(
    lambda pieces: st.fixed_dictionaries({c: st.none() | st.floats(-9, -0.01) for c in "abc"}).map(
        lambda characters: characters | pieces
    )
)
texts_of = st.dictionaries(st.text("abcx", min_size=1, max_size=9), st.integers(1, 5), max_size=6)


def table(items: Items) -> ChunkTable:
    return ChunkTable.from_items((text.encode(), count) for text, count in items.items())


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(items_of, specs, st.integers(0, 40), st.booleans())
def test_seeds_equal_naive(items: Items, spec: TrainerSpec, n_seeds: int, leaves_out: bool) -> None:
    alphabet = CHARACTERS[1:] if leaves_out else CHARACTERS
    found = native.find_seeds(table(items), alphabet, spec, n_seeds, 2)
    assert dict(found) == oracle.seeds(list(items.items()), alphabet, spec, n_seeds)
    texts = [text for text, _ in found]
    assert texts == sorted(alphabet) + sorted(texts[len(alphabet) :])


def test_seed_of_text_that_goes_on_alike_is_the_longest() -> None:
    # 今日 is always followed by characters that share their first byte, yet are not the same.
    seeds = dict(
        native.find_seeds(table({"今日は": 1, "今日も": 1, "明日の": 2}), "今日は明も日の", TrainerSpec(), 100)
    )
    assert {text: score for text, score in seeds.items() if len(text) > 1} == {"今日": 4, "明日の": 6, "日の": 4}


def test_lone_characters_do_not_count_for_what_follows() -> None:
    assert "qu" not in dict(native.find_seeds(table({"q": 100, "qu": 1}), "qu", TrainerSpec(), 100))


def test_bytes_that_are_not_text_cut() -> None:
    counts = ChunkTable.from_items([(b"ab\xffab", 1), (b"\xff", 3), (b"a\xe3\x81", 2), (b"\xed\xa0\x80ab", 1)])
    assert dict(native.find_seeds(counts, "ab", TrainerSpec(), 100)) == {"a": 5, "b": 3, "ab": 6}


def test_seeds_are_the_same_on_any_number_of_threads() -> None:
    items = {f"{i * 7919 % 1000:b}"[k:]: i % 5 + 1 for i in range(400) for k in range(3) if f"{i * 7919 % 1000:b}"[k:]}
    spec = TrainerSpec(split_digits=False, split_by_number=False)
    first = native.find_seeds(table(items), "01", spec, 50, 1)
    assert len(first) == 52
    assert all(native.find_seeds(table(items), "01", spec, 50, threads) == first for threads in (2, 7))


limits_of = st.fixed_dictionaries(
    {"least": st.integers(1, 8), "n_needed": st.integers(0, 30), "rarest": st.integers(1, 4)}
)


@settings(max_examples=150, deadline=None)
@given(items_of, specs, st.integers(0, 40), limits_of, st.integers(1, 5))
def test_rarer_seeds_fill_up(
    items: Items, spec: TrainerSpec, n_seeds: int, limits: dict[str, int], divisor: int
) -> None:
    """Of a divided table, the occurrences are those before the division."""
    counts = table({text: count * divisor for text, count in items.items()}).divided(divisor)
    found = native.find_seeds(counts, CHARACTERS, spec, n_seeds, 2, **limits)
    occurrences = [count * divisor for count in items.values()]
    expected = oracle.seeds(list(items.items()), CHARACTERS, spec, n_seeds, **limits, occurrences=occurrences)
    assert dict(found) == expected
    texts = [text for text, _ in found]
    assert texts == sorted(CHARACTERS) + sorted(texts[len(CHARACTERS) :])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(items_of.filter(bool), st.integers(1, 20)), min_size=1, max_size=3),
    specs,
    st.integers(0, 40),
    limits_of,
)
def test_seeds_of_several_sources(
    parts: list[tuple[Items, int]], spec: TrainerSpec, n_seeds: int, limits: dict[str, int]
) -> None:
    """Occurrences before weights decide which strings are seeds; their scores are of weighted counts."""
    encoded: list[Weighted] = [
        ({text.encode(): count for text, count in items.items()}, factor, source)
        for source, (items, factor) in enumerate(parts)
    ]
    rows = weighted_sum(encoded)
    counts = ChunkTable.sum(table(items).weighted(factor, source) for source, (items, factor) in enumerate(parts))
    found = native.find_seeds(counts, CHARACTERS, spec, n_seeds, 2, **limits)
    assert dict(found) == oracle.seeds(
        [(text.decode(), count) for text, count, _, _ in rows], CHARACTERS, spec, n_seeds, **limits,
        occurrences=[n for _, _, n, _ in rows],
    )  # fmt: skip


def test_seeds_that_fill_up_come_after_all_others() -> None:
    """`cdefgh` would have the best score, but stands only once."""
    items = {"ab": 2, "abx": 2, "cdefgh": 1, "zy": 1}
    often = {"ab": 8, "abx": 6, "bx": 4}
    for n_needed, expected in (
        (0, often),
        (3, often),
        (4, often | {"cdefgh": 6}),
        (5, often | {"cdefgh": 6, "defgh": 5}),
    ):
        seeds = dict(native.find_seeds(table(items), "abcdefghxyz", TrainerSpec(), 100, n_needed=n_needed))
        assert {text: score for text, score in seeds.items() if len(text) > 1} == expected
    seeds = dict(native.find_seeds(table(items), "abcdefghxyz", TrainerSpec(), 100, n_needed=9, rarest=2))
    assert {text for text in seeds if len(text) > 1} == {*often}
    seeds = dict(native.find_seeds(table(items), "abcdefghxyz", TrainerSpec(), 2, n_needed=9))
    assert {text for text in seeds if len(text) > 1} == {"ab", "abx"}


PLAY = {"p": 0.05, "l": 0.05, "a": 0.05, "y": 0.05, "pl": 0.1, "la": 0.08, "ay": 0.12, "play": 0.5}


def test_expected_counts_worked_example() -> None:
    scores = {piece: math.log(p) for piece, p in PLAY.items()}
    expected, log_likelihood = native.expected_counts(table({"play": 1}), scores)
    assert log_likelihood == pytest.approx(math.log(0.51275625), rel=1e-14)
    assert round(expected["play"], 6) == 0.975122
    assert round(expected["pl"], 6) == 0.023890  # (.012 + .00025) / Z
    assert round(expected["ay"], 6) == 0.023988  # (.012 + .0003) / Z


def test_every_segmentation_counts_once() -> None:
    """All substrings of a word of n characters as pieces of probability 1: 2^(n - 1) segmentations."""
    word = "abcdefghijklmnopqrst"
    scores = {word[i:j]: 0.0 for i in range(20) for j in range(i + 1, 21)}
    _, log_likelihood = native.expected_counts(table({word: 1}), scores)
    assert log_likelihood == pytest.approx(math.log(524_288), rel=1e-14)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts_of, scores_of)
def test_expected_counts_equal_naive(items: Items, scores: dict[str, float | None]) -> None:
    expected, log_likelihood = native.expected_counts(table(items), scores, 2)
    naive, naive_likelihood = oracle.expected_counts(list(items.items()), scores)
    assert expected == pytest.approx(naive, rel=1e-9, abs=1e-12)
    assert log_likelihood == pytest.approx(naive_likelihood, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_long_text_does_not_underflow(scale: float) -> None:
    """(a | b | ab)* with known sums, far below the least double."""
    n = 20_000
    scores = {"a": math.log(1e-9 * scale), "b": math.log(1e-12 * scale), "ab": math.log(1e-15 * scale)}
    expected, log_likelihood = native.expected_counts(table({"ab" * n: 3}), scores)
    apart, together = 1e-21 * scale**2, 1e-15 * scale
    assert log_likelihood == pytest.approx(3 * n * math.log(apart + together), rel=1e-12)
    assert expected["ab"] == pytest.approx(3 * n * together / (apart + together), rel=1e-9)
    assert expected["a"] == pytest.approx(3 * n * apart / (apart + together), rel=1e-9)


def test_long_pieces_over_improbable_characters() -> None:
    """The places inside a long piece are reached with probabilities that a double cannot hold."""
    word = "abcdefgh" * 64
    scores: dict[str, float | None] = dict.fromkeys("bcdefgh")
    scores |= {"a": -30.0, word: -1.0}
    expected, log_likelihood = native.expected_counts(table({word: 2, word * 3: 1}), scores)
    assert expected[word] == pytest.approx(5)
    assert log_likelihood == pytest.approx(-5.0)
    assert all(0 <= expected[c] < 1e-30 for c in "abcdefgh")


def test_unknown_character_is_chosen_where_nothing_else_is() -> None:
    expected, log_likelihood = native.expected_counts(table({"ab": 2}), {"a": -1.0, "b": None, "ba": -4.0})
    assert expected == {"a": 2.0, "b": 2.0, "ba": 0.0}
    assert log_likelihood == pytest.approx(2 * (-1 - 14))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts_of, scores_of, st.integers(0, 30))
def test_maximization(items: Items, scores: dict[str, float | None], floor: int) -> None:
    expected, _ = oracle.expected_counts(list(items.items()), scores)
    assume(all(abs(count - 0.5) > 1e-6 for count in expected.values()))
    result = native.maximized(table(items), scores, floor)
    kept = {piece for piece in scores if len(piece) == 1 or expected[piece] >= 0.5}
    if len(kept) >= floor:
        assert set(result) == kept
        alive = {piece: expected[piece] for piece in kept if expected[piece] >= 0.5}
        total = oracle.digamma(sum(alive.values())) if alive else 0
        assert {piece: score for piece, score in result.items() if score is not None} == pytest.approx(
            {piece: oracle.digamma(count) - total for piece, count in alive.items()}, abs=1e-6
        )
    else:
        assert len(result) == min(floor, len(scores))
        others = {piece: expected[piece] for piece in scores if len(piece) > 1}
        left_out = [count for piece, count in others.items() if piece not in result]
        assert max(left_out, default=0) <= min((expected[p] for p in result if len(p) > 1), default=0) + 1e-9


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts_of, scores_of)
def test_best_counts_are_those_of_a_best_path(items: Items, scores: dict[str, float | None]) -> None:
    known = oracle.with_rare(scores)
    counts = native.best_counts(table(items), scores, 2)
    parts = oracle.segments(list(items.items()), "abc")
    best = sum(n * max(sum(known[p] for p in path) for path in oracle.segmentations(text, known)) for text, n in parts)
    assert sum(known[piece] * count for piece, count in counts.items()) == pytest.approx(best)
    assert sum(len(piece) * count for piece, count in counts.items()) == sum(len(text) * n for text, n in parts)


def test_ties_take_the_longer_first_piece() -> None:
    """`cat s` and `ca ts` have equal scores."""
    scores = {"c": -2.5, "a": -2.25, "t": -2.5, "s": -2.5, "ca": -1.75, "cat": -1.25, "at": -2.0, "ts": -2.0}
    counts = native.best_counts(table({"cats": 1}), scores)
    assert {piece for piece, count in counts.items() if count} == {"cat", "s"}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts_of, scores_of, st.integers(1, 12), st.sampled_from([0.5, 0.75, 0.95]), st.integers(0, 12))
def test_pruning_keeps_the_greatest_losses(
    items: Items, scores: dict[str, float | None], target: int, factor: float, floor: int
) -> None:
    assume(not oracle.has_ties(scores))
    counts = native.best_counts(table(items), scores)
    losses = oracle.losses(counts, scores)
    kept = native.pruned(table(items), scores, target, factor, floor, 2)
    n_rare = sum(score is None for score in scores.values())
    limit = max(target, int(factor * (len(scores) - n_rare))) + n_rare
    useful = {piece: loss for piece, loss in losses.items() if loss is not None}
    n_expected = max(min(limit, 3 + len(useful)), min(floor, len(scores)), 3)
    assert len(kept) == n_expected
    assert set("abc") <= kept
    kept_losses = [useful.get(piece, -1e9) for piece in kept if len(piece) > 1]
    lost = [useful.get(piece, -1e9) for piece in losses if piece not in kept]
    assert max(lost, default=-1e9) <= min(kept_losses, default=1e9) + 1e-9


@settings(max_examples=150, deadline=None)
@given(scores_of)
def test_shadowed_pieces(scores: dict[str, float | None]) -> None:
    known = oracle.with_rare(scores)
    gaps = {p: oracle.alternative(p, known)[0] - known[p] for p in scores if len(p) > 1}
    assume(all(abs(gap) > 1e-9 for gap in gaps.values()))
    kept = native.unshadowed(table({"abc": 1}), scores)
    assert kept == {p for p in scores if gaps.get(p, -1) < 0}
    assert native.unshadowed(table({"abc": 1}), scores, len(scores)) == set(scores)


def test_long_segments_are_cut_where_no_piece_lies() -> None:
    source = random.Random(3)
    text = "".join(source.choices("abc", k=50_000))
    scores = {"a": -1.0, "b": -1.5, "c": -1.2, "ab": -2.0, "aab": -2.5, "ba": -3.0, "cc": -2.2}
    lengths = native.cut_lengths(table({text: 1, "abc" * 100: 2}), scores)
    assert sum(lengths) == len(text) + 300
    assert 300 in lengths
    assert 1024 <= max(lengths) < 2000
    whole, likelihood = native.expected_counts(table({text: 1}), scores)
    cut, cut_likelihood = native.expected_counts(table({text: 1}), scores, is_cut=True)
    assert cut == pytest.approx(whole, rel=1e-12)
    assert cut_likelihood == pytest.approx(likelihood, rel=1e-12)
    assert native.cut_lengths(table({text: 1}), scores | {"".join(p): -9.0 for p in product("abc", repeat=2)}) == [
        len(text)
    ]


@settings(max_examples=50, deadline=None)
@given(texts_of, scores_of)
def test_counts_above_32_bits(texts: Items, scores: dict[str, float | None]) -> None:
    """Weights are 2^40 times as large, and so is all that is counted."""
    scale = 1 << 40
    large = {text: count * scale for text, count in texts.items()}
    expected, likelihood = native.expected_counts(table(texts), scores)
    scaled, scaled_likelihood = native.expected_counts(table(large), scores)
    assert scaled == {piece: count * scale for piece, count in expected.items()}  # powers of two do not round
    assert scaled_likelihood == likelihood * scale
    best, scaled_best = (native.best_counts(table(items), scores) for items in (texts, large))
    assert scaled_best == {piece: count * scale for piece, count in best.items()}


WIDE = "a\u2581\u0301漢😀\U0010ffff"
wide_scores_of = st.dictionaries(st.text(WIDE, min_size=2, max_size=5), st.floats(-9, -0.01), max_size=20).flatmap(
    lambda pieces: st.fixed_dictionaries({c: st.floats(-9, -0.01) for c in WIDE}).map(lambda letters: letters | pieces)
)
wide_texts_of = st.dictionaries(st.text(WIDE + "x\0", min_size=1, max_size=9), st.integers(1, 5), max_size=6)


@settings(max_examples=100, deadline=None)
@given(wide_texts_of, wide_scores_of)
def test_given_pieces_are_found_at_every_place(items: Items, scores: dict[str, float | None]) -> None:
    """Pieces of any characters, nested in each other, in any order."""
    shuffled = dict(random.Random(len(scores)).sample(list(scores.items()), len(scores)))
    expected, log_likelihood = native.expected_counts(table(items), shuffled, 2)
    naive, naive_likelihood = oracle.expected_counts(list(items.items()), scores)
    assert expected == pytest.approx(naive, rel=1e-9, abs=1e-12)
    assert log_likelihood == pytest.approx(naive_likelihood, rel=1e-12, abs=1e-12)


def test_a_chain_of_given_pieces() -> None:
    """Each of 512 pieces is a prefix of all longer ones."""
    scores: dict[str, float | None] = {"a" * n: -1.0 for n in range(1, 513)}
    counts = native.best_counts(table({"a" * 512: 1, "a" * 500: 2, "a" * 513: 1}), scores)
    assert counts["a" * 512] == 1 + 1
    assert counts["a" * 500] == 2
    assert counts["a"] == 1
    assert sum(counts.values()) == 5


def test_many_given_pieces_over_much_text() -> None:
    """More places than one task looks at."""
    draw = random.Random(1)
    texts = {"".join(draw.choices("abcd", k=1000)): 1 for _ in range(150)}
    pieces = {"".join(draw.choices("abcd", k=draw.randint(2, 6))) for _ in range(3000)}
    scores: dict[str, float | None] = dict.fromkeys("abcd", -20.0) | dict.fromkeys(sorted(pieces), -30.0)
    counts = native.best_counts(table(texts), scores, 2)
    assert sum(len(piece) * count for piece, count in counts.items()) == 150_000
    by_length = [sum(counts[piece] for piece in counts if len(piece) == n) for n in range(1, 7)]
    assert by_length[5] > by_length[0]
    # With equal scores, the best path has the fewest pieces: that of a search by length.
    best = 0
    for text in texts:
        fewest = [0.0] + [math.inf] * 1000
        for begin in range(1000):
            for end in range(begin + 1, min(begin + 6, 1000) + 1):
                score = scores.get(text[begin:end])
                if score is not None:
                    fewest[end] = min(fewest[end], fewest[begin] - score)
        best += int(fewest[-1])
    assert sum(-(scores[piece] or 0) * count for piece, count in counts.items()) == best


def test_pieces_that_cannot_be_given() -> None:
    with pytest.raises(KeyError, match="x"):
        native.best_counts(table({"ab": 1}), {"a": -1.0, "b": -1.0, "ax": -1.0})
    with pytest.raises(ValueError, match="a piece of 513 characters: 512 is the limit"):
        native.best_counts(table({"ab": 1}), {"a": -1.0, "b": -1.0, "a" * 513: -1.0})
