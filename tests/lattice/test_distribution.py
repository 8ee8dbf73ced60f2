"""N-best lists, samples and numbers against all segmentations of short texts, for Unigram and BPE vocabularies."""

import math
import random as std_random
from collections import Counter

import pytest
from oracle.paths import all_paths, chi_square, entropy, probabilities
from oracle.random_models import random_pieces
from oracle.segmentation import NORMAL, SEGMENTERS, UNKNOWN
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

from spm_lite.base.structures.random import Random
from spm_lite.errors import OptionError
from spm_lite.lattice.distribution import Distribution
from spm_lite.lattice.path_batch import (
    entropy_batch,
    expected_counts_batch,
    log_prob_batch,
    log_prob_of_batch,
    nbest_batch,
    sample_batch,
    samples_batch,
)
from spm_lite.texts.object_texts import ObjectTexts

TYPES = ["unigram", "bpe"]
LETTERS = "abcéx漢"
PLAY = [(b"<unk>", 0.0, UNKNOWN)] + [
    (text.encode(), math.log(p), NORMAL)
    for text, p in [
        ("p", 0.05), ("l", 0.05), ("a", 0.05), ("y", 0.05), ("pl", 0.1), ("la", 0.08), ("ay", 0.12), ("play", 0.5)
    ]
]  # fmt: skip


def emitted(pieces, path, text_bytes=None):
    """Ids as they come out: a run of unknown characters is one id."""
    unknown = next(i for i, piece in enumerate(pieces) if piece[2] == UNKNOWN)
    return tuple(i for k, i in enumerate(path) if i != unknown or k == 0 or path[k - 1] != unknown)


def cases(model_type, seed, n=6, longest=12):
    rng = std_random.Random(f"{model_type} {seed}")
    pieces = random_pieces(rng, False)
    tok = tokenizer_of(pieces, model_type)
    for _ in range(n):
        text = "".join(rng.choices(LETTERS, k=rng.randint(1, longest)))
        yield rng, pieces, tok, text, all_paths(pieces, text, model_type == "bpe")


def ranked(pieces, paths, plain):
    """All paths as they must be listed; `all_paths` has the longer first piece first."""
    best = sorted(paths, key=lambda path: -math.fsum(path[1]))
    first = next((path for path in best if path[0] == plain), None)
    if first is not None:
        best.remove(first)
        best.insert(0, first)
    return [(list(emitted(pieces, ids)), math.fsum(scores)) for ids, scores in best]


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", range(30))
def test_nbest(model_type, seed):
    for rng, pieces, tok, text, paths in cases(model_type, seed):
        plain = tuple(i for _, i in SEGMENTERS[model_type](pieces, text.encode()))
        expected = ranked(pieces, paths, plain)
        distribution = Distribution(tok._encoder)
        for n in (1, 2, rng.randrange(1, 50), 10_000):
            found = distribution.nbest(text, n)
            assert [ids for ids, _ in found] == [ids for ids, _ in expected[:n]]
            assert [score for _, score in found] == pytest.approx([score for _, score in expected[:n]], abs=1e-9)
        assert found[0][0] == tok.encode(text)


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", range(30))
def test_numbers(model_type, seed):
    for rng, pieces, tok, text, paths in cases(model_type, seed):
        distribution = Distribution(tok._encoder)
        total = math.log(math.fsum(math.exp(math.fsum(scores)) for _, scores in paths))
        assert distribution.log_prob(text) == pytest.approx(total, abs=1e-6)
        alpha = rng.choice([0.0, 0.5, 1.0])
        expected = probabilities(paths, alpha)
        assert distribution.entropy(text, alpha) == pytest.approx(entropy(expected), abs=1e-6)
        counts = Counter()
        for path, p in expected.items():
            for i in path:
                counts[i] += p
        found = distribution.expected_counts(text, alpha)
        assert found == pytest.approx({i: found.get(i, 0.0) for i in {*found, *counts}} | dict(counts), abs=1e-6)
        sums = Counter()
        for ids, scores in paths:
            sums[emitted(pieces, ids)] += math.exp(math.fsum(scores))
        for ids, p in list(sums.items())[:20]:
            assert distribution.log_prob_of(text, list(ids)) == pytest.approx(math.log(p), abs=1e-6)
            assert distribution.log_prob_of(text, [*ids, 1]) == -math.inf
            assert distribution.log_prob_of(text, list(ids)[:-1]) == -math.inf


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", slow_after(2, range(6)))
def test_samples(model_type, seed):
    for rng, pieces, tok, text, paths in cases(model_type, seed, 2):
        alpha = rng.choice([0.0, 0.5, 1.0])
        distribution, random = Distribution(tok._encoder), Random(seed)
        expected = Counter()
        for path, p in probabilities(paths, alpha).items():
            expected[emitted(pieces, path)] += p
        found = Counter(tuple(ids) for ids, _ in distribution.samples(text, 20_000, alpha, True, random))
        assert chi_square(found, expected, 20_000) < 5
        one = Counter(tuple(distribution.sample(text, alpha, False, random)) for _ in range(2000))
        assert chi_square(one, expected, 2000) < 5
        different = distribution.samples(text, 10**6, alpha, False, random)
        assert len(different) == len(paths)


@pytest.mark.slow
def test_a_million_draws():
    distribution = Distribution(tokenizer_of(PLAY)._encoder)
    for alpha in (0.0, 1.0):
        expected = probabilities(all_paths(PLAY, "playplay"), alpha)
        found = Counter(tuple(ids) for ids, _ in distribution.samples("playplay", 10**6, alpha, True, Random(1)))
        assert chi_square(found, expected, 10**6) < 4


def test_worked_example():
    distribution = Distribution(tokenizer_of(PLAY)._encoder)
    counts = distribution.expected_counts("play", 1.0)
    assert counts[8] == pytest.approx(0.975122, abs=1e-6)
    assert counts[5] == pytest.approx(0.023890, abs=1e-6)
    assert counts[7] == pytest.approx(0.023988, abs=1e-6)
    assert distribution.log_prob("play") == pytest.approx(math.log(0.51275625), abs=1e-6)
    assert [ids for ids, _ in distribution.nbest("play", 6)] == [
        [8], [5, 7], [1, 2, 7], [5, 3, 4], [1, 6, 4], [1, 2, 3, 4],
    ]  # fmt: skip


def test_worked_best_path():
    scores = {
        "c": -2.5, "a": -2.3, "t": -2.4, "s": -2.6, "ca": -1.8, "cat": -1.2, "at": -1.9, "ats": -2.1, "ts": -2.0,
    }  # fmt: skip
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), score, NORMAL) for text, score in scores.items())]
    tok = tokenizer_of([*pieces, (b"cats", -3.0, NORMAL)])
    assert tok.pieces("cats") == ["cats"]
    assert tok.nbest("cats", 1)[0].score == -3.0
    tok = tokenizer_of(pieces)
    found = tok.nbest("cats", 3)
    assert [[tok.id_to_piece(i) for i in one.ids] for one in found[:2]] == [["ca", "ts"], ["cat", "s"]]
    assert [one.score for one in found] == pytest.approx([-3.8, -3.8, -4.6])


def test_number_of_segmentations():
    pieces = [(b"<unk>", 0.0, UNKNOWN)] + [(b"a" * (i + 1), -1.0, NORMAL) for i in range(20)]
    distribution = Distribution(tokenizer_of(pieces)._encoder)
    for length in (1, 2, 10, 20):
        assert distribution.entropy("a" * length, 0.0) == pytest.approx((length - 1) * math.log(2))
    assert len(distribution.nbest("a" * 10, 10_000)) == 512
    assert len(distribution.samples("a" * 10, 10_000, 0.7, False, Random(1))) == 512


def test_listed_samples():
    distribution, random = Distribution(tokenizer_of(PLAY)._encoder), Random(2)
    found = Counter(tuple(distribution.sample_listed("play", 2, 0.1, random)) for _ in range(20_000))
    weights = {(8,): 0.5**0.1, (5, 7): 0.012**0.1}
    assert chi_square(found, {path: w / sum(weights.values()) for path, w in weights.items()}, 20_000) < 4


def test_byte_pieces():
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((b"<0x%02X>" % byte, 0.0, 6) for byte in range(256)), (b"a", -1.0, NORMAL)]
    distribution = Distribution(tokenizer_of(pieces, "unigram", True)._encoder)
    [(ids, score)] = distribution.nbest("éa", 5)
    assert ids == [1 + 0xC3, 1 + 0xA9, 257]
    assert score == distribution.log_prob_of("éa", ids) == distribution.log_prob("éa") == -12.0
    assert distribution.log_prob_of("éa", [1 + 0xC3, 1 + 0xA8, 257]) == -math.inf
    assert distribution.expected_counts("éé", 1.0) == {0: 2.0}


@pytest.mark.slow
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_batches(model_type, num_threads):
    rng = std_random.Random(model_type)
    distribution = Distribution(tokenizer_of(random_pieces(rng, False), model_type)._encoder)
    texts = tuple("".join(rng.choices(LETTERS, k=rng.randrange(40))) * rng.choice([1, 30]) for _ in range(300))
    items = ObjectTexts(texts)
    assert nbest_batch(distribution, items, 3, num_threads) == [distribution.nbest(text, 3) for text in texts]
    assert entropy_batch(distribution, items, 0.3, num_threads) == [distribution.entropy(text, 0.3) for text in texts]
    assert log_prob_batch(distribution, items, num_threads) == [distribution.log_prob(text) for text in texts]
    for drops_merges in (False, True)[: 1 + (model_type == "bpe")]:
        ids, offsets = sample_batch(distribution, items, 0, 0.3, drops_merges, Random(7), num_threads, -1, -1)
        random = Random(7)
        expected = [distribution.sample(text, 0.3, drops_merges, random) for text in texts]
        assert list(memoryview(ids)) == [i for one in expected for i in one]
        assert list(memoryview(offsets))[-1] == len(ids)
    ids, _ = sample_batch(distribution, items, 4, 0.3, False, Random(8), num_threads, -1, -1)
    random = Random(8)
    assert list(memoryview(ids)) == [i for text in texts for i in distribution.sample_listed(text, 4, 0.3, random)]
    for replace in (True, False):
        random = Random(9)
        assert samples_batch(distribution, items, 3, 0.3, replace, Random(9), num_threads) == [
            distribution.samples(text, 3, 0.3, replace, random) for text in texts
        ]
    assert expected_counts_batch(distribution, items, 0.3, num_threads) == [
        distribution.expected_counts(text, 0.3) for text in texts
    ]
    wanted = [distribution.nbest(text, 2)[-1][0] for text in texts]
    assert log_prob_of_batch(distribution, items, wanted, num_threads) == [
        distribution.log_prob_of(text, ids) for text, ids in zip(texts, wanted, strict=True)
    ]
    assert (
        nbest_batch(distribution, ObjectTexts(()), 3, num_threads)
        == log_prob_batch(distribution, ObjectTexts(()), num_threads)
        == []
    )


def test_empty_text():
    for model_type in TYPES:
        distribution = Distribution(tokenizer_of(PLAY, model_type)._encoder)
        assert distribution.nbest("", 5) == [([], 0.0)]
        assert distribution.sample("", 1.0, False, Random(1)) == []
        assert distribution.samples("", 2, 1.0, False, Random(1)) == [([], 0.0)]
        assert distribution.log_prob("") == distribution.log_prob_of("", []) == distribution.entropy("", 1.0) == 0.0
        assert distribution.expected_counts("", 1.0) == {}


def test_long_text_is_linear():
    """Its paths are deep: no recursion, no memory that grows with the square."""
    pieces = [(b"<unk>", 0.0, UNKNOWN)] + [(b"a" * (i + 1), -1.0 - i, NORMAL) for i in range(3)]
    for model_type in TYPES:
        distribution = Distribution(tokenizer_of(pieces, model_type)._encoder)
        found = distribution.nbest("a" * 200_000, 10)
        assert len({tuple(ids) for ids, _ in found}) == 10
        assert len(distribution.sample("a" * 200_000, 0.0, False, Random(1))) > 66_666


def test_papers_dropout():
    """Dropped merges come back: with one possible merge it is made unless it is dropped, and nothing else happens."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), (b"ab", -0.0, NORMAL), (b"bc", -1.0, NORMAL), (b"a", -2.0, NORMAL)]
    pieces += [(b"b", -3.0, NORMAL), (b"c", -4.0, NORMAL), (b"d", -5.0, NORMAL), (b"cd", -6.0, NORMAL)]
    distribution, random, p = Distribution(tokenizer_of(pieces, "bpe")._encoder), Random(3), 0.4
    found = Counter(tuple(distribution.sample("abcd", p, True, random)) for _ in range(50_000))
    # The first turn: ab, else bc, else cd, else none. After ab, cd has its turn (again); after cd, ab.
    expected = {
        (1, 7): (1 - p) * (1 - p) + p * p * (1 - p) * (1 - p),
        (1, 5, 6): (1 - p) * p,
        (3, 2, 6): p * (1 - p),
        (3, 4, 7): p * p * (1 - p) * p,
        (3, 4, 5, 6): p * p * p,
    }
    assert sum(expected.values()) == pytest.approx(1)
    assert chi_square(found, expected, 50_000) < 4


def test_types_without_segmentations():
    distribution = Distribution(tokenizer_of(PLAY, "word")._encoder)
    with pytest.raises(OptionError, match="one segmentation"):
        distribution.nbest("a", 2)
    with pytest.raises(OptionError, match="one segmentation"):
        log_prob_batch(distribution, ObjectTexts(("a",)), 1)
    with pytest.raises(OptionError, match="only BPE"):
        Distribution(tokenizer_of(PLAY)._encoder).sample("a", 0.1, True, Random(1))
