"""Samples, entropy and inclusion probabilities against all segmentations of short texts."""

import math
import random as std_random
from collections import Counter

import pytest
from oracle.paths import all_paths, chi_square, entropy, probabilities
from oracle.random_models import random_pieces
from oracle.segmentation import NORMAL, UNKNOWN, UNUSED, bpe
from oracle.slow import slow_after
from oracle.small_models import small_model, tokenizer_of

from spm_lite import Tokenizer
from spm_lite.base.structures.random import Random
from spm_lite.errors import OptionError
from spm_lite.lattice.reference_paths import ReferencePaths

PLAY = [(b"<unk>", 0.0, UNKNOWN)] + [
    (text.encode(), math.log(p), NORMAL)
    for text, p in [
        ("p", 0.05), ("l", 0.05), ("a", 0.05), ("y", 0.05), ("pl", 0.1), ("la", 0.08), ("ay", 0.12), ("play", 0.5)
    ]
]  # fmt: skip
LETTERS = "abcéx漢"


def make_paths(pieces, model_type="unigram"):
    return ReferencePaths(tokenizer_of(pieces, model_type)._encoder)


def draw(paths, text, n_draws, nbest_size, alpha, seed):
    random = Random(seed)
    return Counter(tuple(paths.sample_ids(text, nbest_size, alpha, random, 0)) for _ in range(n_draws))


def merged(distribution):
    """ReferencePaths as they come out: a run of unknown characters is one id."""
    out = Counter()
    for path, p in distribution.items():
        out[tuple(i for k, i in enumerate(path) if i or k == 0 or path[k - 1])] += p
    return dict(out)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", slow_after(2, [0.0, 0.1, 1.0, 3.0]))
def test_worked_example(alpha):
    paths = make_paths(PLAY)
    segmentations = all_paths(PLAY, "play")
    assert len(segmentations) == 6
    expected = probabilities(segmentations, alpha)
    assert paths.entropy("play", alpha) == pytest.approx(entropy(expected), abs=1e-9)
    for nbest_size in (-1, 512):
        assert chi_square(draw(paths, "play", 200_000, nbest_size, alpha, 1), expected, 200_000) < 4
    three = dict(sorted(expected.items(), key=lambda item: -item[1])[:3]) if alpha else {}
    if three:
        three = {path: p / sum(three.values()) for path, p in three.items()}
        assert chi_square(draw(paths, "play", 100_000, 3, alpha, 2), three, 100_000) < 4


@pytest.mark.parametrize("seed", range(12))
def test_all_paths_of_random_models(seed):
    rng = std_random.Random(seed)
    pieces = random_pieces(rng, False)
    paths = make_paths(pieces)
    for k in range(3):
        text = "".join(rng.choices(LETTERS, k=rng.randrange(1, 10)))
        alpha = rng.choice([0.0, 0.3, 1.0, 2.0])
        expected = probabilities(all_paths(pieces, text), alpha)
        assert paths.entropy(text, alpha) == pytest.approx(entropy(expected), abs=1e-6)
        assert chi_square(draw(paths, text, 20_000, -1, alpha, seed + k), merged(expected), 20_000) < 5


def test_scores_of_independent_samples():
    paths, expected = make_paths(PLAY), probabilities(all_paths(PLAY, "play"), 0.5)
    samples = paths.sample_scored("play", 500, 0.5, False, False, Random(3))
    assert len(samples) == 500
    for found, score in samples:
        assert score == pytest.approx(math.log(expected[tuple(found.ids())]), abs=1e-9)
    assert paths.sample_scored("play", 0, 0.5, False, False, Random(3)) == []
    assert paths.sample_scored("play", -5, 0.5, True, True, Random(3)) == []
    assert [(found.ids(), score) for found, score in paths.sample_scored("", 2, 0.5, False, False, Random(3))] == [
        ([], 0.0), ([], 0.0),
    ]  # fmt: skip


def test_samples_without_replacement():
    """The first of them is an ordinary sample, each pair is drawn like two in succession, weighted counts are right."""
    paths, alpha = make_paths(PLAY), 0.3
    expected = probabilities(all_paths(PLAY, "play"), alpha)
    random, n_draws = Random(4), 30_000
    firsts, pairs, totals = Counter(), Counter(), Counter()
    for _ in range(n_draws):
        found = [(tuple(one.ids()), score) for one, score in paths.sample_scored("play", 3, alpha, True, False, random)]
        assert len({path for path, _ in found}) == 3
        firsts[found[0][0]] += 1
        pairs[(*found[0][0], -1, *found[1][0])] += 1
        for path, score in found:
            assert score <= 0
            totals[path] += expected[path] / math.exp(score)  # Horvitz and Thompson: unbiased
    assert chi_square(firsts, expected, n_draws) < 4
    in_succession = {(*a, -1, *b): p * q / (1 - p) for a, p in expected.items() for b, q in expected.items() if a != b}
    assert chi_square(pairs, in_succession, n_draws) < 4
    for path, p in expected.items():
        assert totals[path] / n_draws == pytest.approx(p, rel=0.1)


def test_more_samples_than_segmentations_are_all_there_are():
    paths = make_paths(PLAY)
    for include_best in (False, True):
        found = paths.sample_scored("play", 1000, 1.0, True, include_best, Random(1))
        assert {tuple(one.ids()) for one, _ in found} == {path for path, _ in all_paths(PLAY, "play")}
        assert len(found) == 6
        assert [score for _, score in found] == [0.0] * 6


def test_best_comes_first():
    paths, random = make_paths(PLAY), Random(2)
    for _ in range(200):
        found = [tuple(one.ids()) for one, _ in paths.sample_scored("play", 3, 0.0, True, True, random)]
        assert found[0] == (8,)
        assert len(set(found)) == 3
    assert [score for _, score in paths.sample_scored("play", 1, 0.0, True, True, random)] == [0.0]


def test_reproducible():
    paths = make_paths(PLAY)
    assert draw(paths, "playplay", 50, -1, 0.1, 9) == draw(paths, "playplay", 50, -1, 0.1, 9)
    random = Random(9)
    assert len({tuple(paths.sample_limited("playplay", -1, 0.0, random, 0).ids()) for _ in range(50)}) > 10
    one, two = Random(11), Random(11)
    for _ in range(20):
        assert paths.sample_limited("playplay", -1, 0.0, one, 0).ids() == paths.sample_ids("playplay", -1, 0.0, two, 0)


@pytest.mark.parametrize("alpha", [math.nan, math.inf, -math.inf, 1e300, -1e300, -1.0])
@pytest.mark.parametrize("score", [-1.0, -3e38, 3e38, math.nan, math.inf])
def test_strange_numbers_do_no_harm(alpha, score):
    pieces = [(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL), (b"aa", score, NORMAL), (b"aaa", -1.0, NORMAL)]
    for model_type in ("unigram", "bpe") if math.isfinite(score) else ("bpe",):
        paths = make_paths(pieces, model_type)
        for nbest_size in (-1, 0, 1, 2, 10**6):
            assert paths.sample_limited("aaaab", nbest_size, alpha, Random(1), 5).surfaces()
        if paths.can_list:
            assert len(paths.sample_scored("aaaab", 3, alpha, False, False, Random(1))) == 3
            assert len(paths.sample_scored("aaaab", 3, alpha, True, True, Random(1))) >= 1
            assert isinstance(paths.entropy("aaaab", alpha), float)
            assert paths.nbest_limited("aaaab", 10**9, 5)


def test_empty_text():
    paths = make_paths(PLAY)
    assert paths.sample_ids("", -1, 0.1, Random(1), 0) == []
    assert paths.sample_ids("", 5, 0.1, Random(1), 0) == []
    assert paths.entropy("", 0.1) == 0.0


def test_types_without_paths():
    paths = make_paths(PLAY, "char")
    for call in (
        lambda: paths.nbest_limited("a", 2, 0),
        lambda: paths.sample_limited("a", 2, 0.1, Random(1), 0),
        lambda: paths.sample_ids("a", 2, 0.1, Random(1), 0),
        lambda: paths.sample_scored("a", 2, 0.1, False, False, Random(1)),
        lambda: paths.entropy("a", 0.1),
    ):
        with pytest.raises(OptionError, match="one segmentation of a text only"):
            call()


def dropout_distribution(pieces, text, alpha):
    """All that merging with dropped candidates can make of a text, with probabilities; slow and plain."""
    ids = {piece: i for i, (piece, _, kind) in enumerate(pieces) if kind == NORMAL}
    result = Counter()

    def run(symbols, waiting, p):
        """symbols: (first character, text); waiting: candidates as (score, left, text of both, left text)."""
        waiting = sorted(
            (c for c in waiting if any(
                s[0] == c[1] and s[1] == c[3] and k + 1 < len(symbols) and s[1] + symbols[k + 1][1] == c[2]
                for k, s in enumerate(symbols)
            )),
            key=lambda c: (-c[0], c[1]),
        )  # fmt: skip
        if not waiting:
            result[tuple(ids.get(s, 0) for _, s in symbols)] += p
            return
        best, rest = waiting[0], waiting[1:]
        run(symbols, rest, p * alpha)
        k = next(k for k, s in enumerate(symbols) if s[0] == best[1])
        after = [*symbols[:k], (best[1], best[2]), *symbols[k + 2 :]]
        run(after, rest + candidates(after, [k - 1, k]), p * (1 - alpha))

    def candidates(symbols, places):
        found = []
        for k in places:
            if 0 <= k < len(symbols) - 1 and symbols[k][1] + symbols[k + 1][1] in ids:
                both = symbols[k][1] + symbols[k + 1][1]
                found.append((pieces[ids[both]][1], symbols[k][0], both, symbols[k][1]))
        return found

    symbols = [(k, text[k : k + 1]) for k in range(len(text))]
    run(symbols, candidates(symbols, range(len(symbols) - 1)), 1.0)
    return dict(result)


MERGES = [(b"<unk>", 0.0, UNKNOWN)] + [
    (text, -float(i), NORMAL) for i, text in enumerate([b"ab", b"bc", b"abc", b"ca", b"abca", b"a", b"b", b"c"])
]


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_dropout(alpha):
    paths = make_paths(MERGES, "bpe")
    for text in (b"abc", b"abcab", b"cabcab"):
        expected = dropout_distribution(MERGES, text, alpha)
        assert sum(expected.values()) == pytest.approx(1)
        assert chi_square(draw(paths, text, 50_000, 7, alpha, 5), expected, 50_000) < 4


def test_dropout_of_none_and_all():
    paths = make_paths(MERGES, "bpe")
    for text in (b"abcabc", b"bcabbca", b"xaabc"):
        plain = [i for _, i in bpe(MERGES, text)]
        for alpha in (0.0, -1.0, math.nan):
            assert paths.sample_ids(text, -1, alpha, Random(1), 0) == plain
        for alpha in (1.0, 2.0, math.inf):
            ids = [{"a": 6, "b": 7, "c": 8}.get(chr(c), 0) for c in text]
            assert paths.sample_ids(text, -1, alpha, Random(1), 0) == ids


def test_dropout_takes_unused_pieces_apart():
    pieces = [(t, s, UNUSED if t == b"ab" else k) for t, s, k in MERGES]
    paths = make_paths(pieces, "bpe")
    assert paths.sample_ids("ab", -1, 0.0, Random(1), 0) == [6, 7]
    found = draw(paths, "abc", 1000, -1, 0.3, 1)
    assert set(found) == {(3,), (6, 2), (6, 7, 8)}


def test_an_empty_text_has_one_segmentation():
    tok = Tokenizer.load(small_model())
    for without_replacement, include_best in ((False, False), (True, False), (True, True)):
        found = ReferencePaths(tok._encoder).sample_scored("", 3, 0.5, without_replacement, include_best, Random(1))
        assert [result.ids() for result, _ in found] == [[]] * len(found)
