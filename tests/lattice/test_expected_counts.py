"""Expected counts of long texts and odd scores; tests/lattice/test_distribution.py has the short texts."""

import math
import random

import pytest
from oracle.paths import expected_counts
from oracle.segmentation import NORMAL, UNKNOWN
from oracle.small_models import tokenizer_of


def make_tokenizer(scores):
    return tokenizer_of([(b"<unk>", 0.0, UNKNOWN), *((text.encode(), score, NORMAL) for text, score in scores.items())])


def counts_of(tok, text, alpha):
    return {tok.id_to_piece(i): count for i, count in tok.lattice.expected_counts(text, alpha=alpha).items()}


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 20.0, 1e3])
@pytest.mark.parametrize("length", [255, 256, 257, 3000])
def test_against_logarithms(alpha, length):
    rng = random.Random(length)
    scores = {c: -float(rng.randrange(1, 40)) for c in "abc"}
    while len(scores) < 30:
        scores["".join(rng.choices("abc", k=rng.randrange(2, 9)))] = -float(rng.randrange(1, 60)) / 4
    text = "".join(rng.choices("abc", k=length))
    found, wanted = counts_of(make_tokenizer(scores), text, alpha), expected_counts(scores, text, alpha)
    wanted = {piece: count for piece, count in wanted.items() if count > 1e-9}
    assert {piece: count for piece, count in found.items() if count > 1e-9} == pytest.approx(wanted, abs=1e-7)


def test_many_segmentations():
    """More than any float can count."""
    tok = make_tokenizer({"a" * (i + 1): -1.0 - i for i in range(20)})
    counts = counts_of(tok, "a" * 20_000, 0.0)
    assert math.fsum(len(piece) * count for piece, count in counts.items()) == pytest.approx(20_000)
    assert counts["a"] == pytest.approx(2 * counts["aa"], rel=1e-3)


@pytest.mark.parametrize("alpha", [1e6, 1e300, 1.7e308])
def test_only_the_best(alpha):
    tok = make_tokenizer({"a": -5.0, "b": -5.0, "ab": -2.0, "ba": -2.5})
    assert counts_of(tok, "abab" * 200, alpha) == {"ab": 400.0}


def test_many_bad_segmentations():
    """Beside the one good segmentation: more bad ones than floats tell apart, all by way of the other places."""
    tok = make_tokenizer({"a": -1000.0, "b": -1000.0, "ab": -1.0, "ba": -1.0, "baba": -2.0})
    for n in (1400, 1500, 4000):
        assert counts_of(tok, "ab" * n, 1.0)["ab"] == pytest.approx(n)
    assert counts_of(tok, "ab" * 8000, 1.0)["a"] == pytest.approx(1.0)
