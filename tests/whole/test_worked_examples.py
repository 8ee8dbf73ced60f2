"""Small examples of the subword methods whose numbers were worked out by hand."""

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from oracle.segmentation import NORMAL, UNKNOWN
from oracle.small_models import tokenizer_of

import spm_lite
from spm_lite.errors import OptionError, TextError

LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
SUFFIX = {
    "model_type": "bpe", "treat_whitespace_as_suffix": True, "byte_fallback": False, "lossless": False,
    "normalization": "identity", "hard_vocab_limit": False,
}  # fmt: skip


def lines(counts):
    return [word for word, count in counts.items() for _ in range(count)]


def pair_counts(counts, end):
    """How often each pair of neighbours stands in the words, each of which ends with a mark."""
    pairs = Counter()
    for word, count in counts.items():
        marked = word + end
        for left, right in pairwise(marked):
            pairs[left + right] += count
    return pairs


def merges_of(counts, n):
    """The first `n` merges of BPE in which a mark ends each word."""
    n_letters = len(set("".join(counts))) + 1
    tok = spm_lite.train(lines(counts), vocab_size=3 + n_letters + n, **SUFFIX)
    pieces = [tok.id_to_piece(i) for i in range(len(tok))]
    return [piece for piece in pieces[3:] if len(piece) > 1][:n], tok


def test_bpe_with_an_end_of_word_mark():
    pairs = pair_counts(LOW, "_")
    assert [pairs[pair] for pair in ("es", "st", "t_", "we", "lo", "ow", "ne", "ew")] == [9, 9, 9, 8, 7, 7, 6, 6]
    merges, _ = merges_of(LOW, 1)
    assert merges == ["es"]
    merges, _ = merges_of(LOW, 2)
    assert merges == ["es", "t\u2581"]  # both pairs count 9: fewer characters first
    merges, tok = merges_of(LOW, 5)
    assert {"est\u2581", "low"} <= set(merges)
    assert tok.pieces("lowest") == ["low", "est\u2581"]


def test_bpe_of_a_quiz():
    first = {"low": 5, "lowest": 1, "newest": 6, "wider": 3, "new": 2}
    found = pair_counts(first, "")
    assert [found[pair] for pair in ("ne", "ew", "we", "es", "st", "lo", "ow", "er")] == [8, 8, 7, 7, 7, 6, 6, 3]
    found = pair_counts({**{word: count for word, count in first.items() if word != "newest"}, "newer": 6}, "")
    assert [found[pair] for pair in ("ne", "ew", "we", "er")] == [8, 8, 7, 9]
    # The word "new" ends in a mark of its own here, which the table of the quiz lacks.
    merges, _ = merges_of(first, 1)
    assert merges == ["ew"]


CATS = {"c": -2.5, "a": -2.3, "t": -2.4, "s": -2.6, "ca": -1.8, "cat": -1.2, "at": -1.9, "ats": -2.1, "ts": -2.0}


def unigram(scores):
    pieces = [(text.encode(), score, NORMAL) for text, score in scores.items()]
    return tokenizer_of([(b"<unk>", 0.0, UNKNOWN), *pieces], "unigram", add_dummy_prefix=False)


def test_the_best_path():
    assert unigram({**CATS, "cats": -3.0}).pieces("cats") == ["cats"]
    # "cat s" and "ca ts" are both -3.8: of equal sums the longer last piece wins, in single precision too.
    tok = unigram(CATS)
    assert tok.pieces("cats") == ["ca", "ts"]
    best = tok.nbest("cats", 2)
    assert [round(one.score, 5) for one in best] == [-3.8, -3.8]


PLAY = {"p": 0.05, "l": 0.05, "a": 0.05, "y": 0.05, "pl": 0.10, "la": 0.08, "ay": 0.12, "play": 0.50}


@pytest.mark.slow
def test_expected_counts():
    tok = unigram({text: math.log(probability) for text, probability in PLAY.items()})
    total = 0.51275625
    assert math.exp(tok.lattice.log_prob("play")) == pytest.approx(total, rel=1e-6)
    found = tok.lattice.expected_counts("play")
    expected = {"play": 0.975122, "pl": 0.023890, "ay": 0.023988}
    for text, count in expected.items():
        assert found[tok.piece_to_id(text)] == pytest.approx(count, abs=1e-6)
    paths = [["play"], ["pl", "ay"], ["p", "l", "ay"], ["pl", "a", "y"], ["p", "la", "y"], ["p", "l", "a", "y"]]
    weights = [0.5, 0.012, 0.0003, 0.00025, 0.0002, 0.00000625]
    listed = tok.nbest("play", 10)
    assert [[tok.id_to_piece(i) for i in one.ids] for one in listed] == paths
    assert [math.exp(one.score) for one in listed] == pytest.approx(weights, rel=1e-5)
    n = 60_000
    drawn = Counter(tuple(one.ids) for one in tok.lattice.samples("play", n, alpha=1.0, seed=3))
    for one, weight in zip(listed[:3], weights, strict=False):
        share = weight / total
        assert drawn[tuple(one.ids)] / n == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / n))
    drawn = Counter(tuple(one.ids) for one in tok.lattice.samples("play", n, alpha=0.0, seed=3))
    assert all(drawn[tuple(one.ids)] / n == pytest.approx(1 / 6, abs=0.008) for one in listed)


@pytest.mark.parametrize(("length", "number"), [(10, 512), (20, 524_288)])
def test_number_of_segmentations(length, number):
    word = "".join(chr(0x61 + i) for i in range(length))
    parts = {word[i:j]: 0.0 for i in range(length) for j in range(i + 1, length + 1)}
    tok = unigram(parts)  # every segmentation has the weight 1
    assert round(math.exp(tok.lattice.log_prob(word))) == number


WORDPIECE_PAIRS = [
    ("ratio", (500_000, 400_000, 10_000, 1), 5.0e-8),
    ("ratio", (200, 180, 50, 1), 1.389e-3),
]


@pytest.mark.parametrize(("objective", "counts", "score"), WORDPIECE_PAIRS)
def test_wordpiece_ratio(objective, counts, score):
    left, right, both, _ = counts
    assert both / (left * right) == pytest.approx(score, rel=1e-3)


@pytest.mark.parametrize(
    ("left", "right", "both", "count", "score"),
    [(0.016, 0.040, 0.010, 500, 1374.4), (0.013, 0.012, 0.012, 600, 2605.7)],
)
def test_wordpiece_likelihood(left, right, both, count, score):
    """f(ab) log(f(ab) N / (f(a) f(b))), by the probabilities."""
    assert count * math.log(both / (left * right)) == pytest.approx(score, abs=0.05)


def test_wordpiece_objectives_choose_the_pair():
    """x, z rare but always together; t, h frequent: ratio takes the first, frequency the second."""
    texts = ["xz"] * 5 + ["th"] * 10 + ["tt"] * 50 + ["hh"] * 40
    options = {"model_type": "wordpiece", "normalization": "identity", "hard_vocab_limit": False}
    for objective, first in (("ratio", "xz"), ("frequency", "tt")):
        tok = spm_lite.train(texts, vocab_size=12, objective=objective, **options)
        assert tok.id_to_piece(11) == first, objective


def test_byte_level_examples():
    tok = spm_lite.byte_tokenizer([], unk_piece="")
    assert bytes(tok.encode("é")) == bytes([0xC3, 0xA9])
    assert bytes(tok.encode("世")) == bytes([0xE4, 0xB8, 0x96])
    assert bytes(tok.encode("🌍")) == bytes([0xF0, 0x9F, 0x8C, 0x8D])
    assert bytes(tok.encode("cafe\u0301")) == bytes([0x63, 0x61, 0x66, 0x65, 0xCC, 0x81])
    tok = spm_lite.train(["the", "the", "th"], model_type="byte_bpe", vocab_size=260)
    assert [tok.decode([i]) for i in (256, 257)] == ["th", "the"]
    assert tok.encode("the") == [257]


def test_byte_models():
    tok = spm_lite.byte_tokenizer()
    assert (len(tok), tok.pad_id, tok.eos_id, tok.unk_id) == (259, 0, 1, 2)
    assert tok.encode("a") == [ord("a") + 3]
    assert spm_lite.Batch.from_lists([list(range(3, 13))], tok.pad_id).patches(8).tolist() == [
        [*range(3, 11)],
        [11, 12, 0, 0, 0, 0, 0, 0],
    ]


def test_unknown_words():
    tok = spm_lite.train(["the cat"] * 9, model_type="word", vocab_size=5, byte_fallback=False)
    assert tok.encode("the dog") == [tok.piece_to_id("\u2581the"), tok.unk_id]
    with pytest.raises(TextError, match="'dog' at position 4"):
        tok.encode("the dog", unknown="raise")
    with pytest.raises(TextError, match="'dog' at position 4"):
        tok.encode("the dog bit", unknown="raise")
    with pytest.raises(OptionError, match="no byte pieces"):
        tok.encode("the dog", unknown="bytes")
    with_bytes = spm_lite.train(["the cat"] * 9, model_type="word", vocab_size=270, hard_vocab_limit=False)
    in_bytes = [with_bytes.piece_to_id(f"<0x{byte:02X}>") for byte in "\u2581dog".encode()]
    assert with_bytes.encode("the dog", unknown="bytes")[1:] == in_bytes
    more = tok.add_pieces(["\u2581dog"])
    assert more.encode("the dog") == [tok.piece_to_id("\u2581the"), len(tok)]
    assert tok.encode("the dog")[1] == tok.unk_id


def test_cost():
    """Attention grows with the square of the tokens; the vocabulary holds V times d parameters."""
    assert [n**2 for n in (4, 21)] == [16, 441]
    assert 100_000 * 4_096 == 409_600_000


TEXTS = [
    "Deep learning with PyTorch.", "electroencephalography", "get_user_profile_by_id(user_id)", "Xin chào thế giới.",
    "東京で機械学習を勉強しています。", "price = $123,456.78", "a == b != c <= d >= e -> f => g :: h := i",
    "def f(x):\n    return x  # camelCase and snake_case\n\tpass",
]  # fmt: skip


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "byte_bpe"])
def test_texts_for_the_eye_come_back(model_type):
    rng = random.Random(2)
    texts = [*TEXTS * 9, *(rng.choice(TEXTS) for _ in range(50))]
    tok = spm_lite.train(texts, model_type=model_type, vocab_size=420, hard_vocab_limit=False)
    assert all(tok.decode(tok.encode(text)) == text for text in TEXTS)
