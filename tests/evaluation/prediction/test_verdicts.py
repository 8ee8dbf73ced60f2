"""Errors by hand, and the rules of the verdicts on cases written down by hand."""

from math import erfc, sqrt

import numpy as np
import pytest

from spm_lite.evaluation.prediction import paired
from spm_lite.evaluation.prediction.bootstrap_draws import Draws
from spm_lite.evaluation.prediction.held_out import Predicted
from spm_lite.evaluation.prediction.paired import (
    Pair,
    add_holm,
    compare,
    difference_figures,
    drawn_ratios,
    holm,
    token_figures,
)
from spm_lite.evaluation.prediction.verdicts import bits_verdict, p_words, summary, tokens_verdict


def predicted(share=0.0, fill=40.0, bits=(100.0, 100.0), tokens=1000.0, unknown_tokens=0):
    arrays = {name: np.array([value]) for name, value in zip(("n2", "n3"), bits, strict=True)}
    return Predicted({}, arrays, np.array([tokens]), share, unknown_tokens, fill, 32000, int(fill * 32000))


def pair_of(d=0.05, half=None, mean=2.0, width=0.01, p=1e-9, n3=None, log_ratio=0.1, se=0.001, p_tokens=1e-9):
    """A pair whose second is better by `d` bits per byte."""
    n2 = {"difference": d, "relative": d / mean, "ci95": [d - width, d + width], "p_holm": p, "p": p}
    n2["half"] = d if half is None else half
    figures = {"n2": n2, "tokens": {"log_ratio": log_ratio, "se": se, "p_holm": p_tokens, "p": p_tokens}}
    if n3 is not None:
        figures["n3"] = {"difference": n3, "p_holm": 1e-9, "p": 1e-9}
    return Pair("de", "a", "b", figures)


BOTH = {"a": predicted(), "b": predicted()}
CASES = {
    "better": (
        pair_of(),
        BOTH,
        100,
        "b",
        "b better than a: 2.5 % fewer bits per byte (95 %: 2-3), p < .001; 9.52 % fewer tokens",
    ),
    "better, the first": (
        pair_of(-0.05),
        BOTH,
        100,
        "a",
        "a better than b: 2.5 % fewer bits per byte (95 %: 2-3), p < .001; 10.5 % more tokens",
    ),
    "loses text": (
        pair_of(),
        {"a": predicted(0.945), "b": predicted()},
        100,
        None,
        "no contest: a loses 94.5 % of the characters",
    ),
    "loses text, both": (
        pair_of(),
        {"a": predicted(0.02), "b": predicted(0.011)},
        5,
        None,
        "no contest: a loses 2 % of the characters, b loses 1.1 % of the characters",
    ),
    "loses text, by tokens": (
        pair_of(),
        {"a": predicted(None, unknown_tokens=2), "b": predicted()},
        100,
        None,
        "no contest: a loses text",
    ),
    "too few documents": (pair_of(), BOTH, 19, None, "not judged: 19 documents held out, 20 needed"),
    "too little text": (
        pair_of(),
        {"a": predicted(), "b": predicted(fill=1.25)},
        100,
        None,
        "not judged: 40,000 training tokens for 32,000 pieces (1.2 each; 4 needed). By tokens: b 9.5 % shorter than a",
    ),
    "same": (pair_of(0.004, width=0.005), BOTH, 100, None, "no difference that matters: a and b within 0.5 % (95 %)"),
    "orders disagree": (
        pair_of(n3=-0.1),
        {"a": predicted(bits=(100, 98)), "b": predicted(bits=(98, 102))},
        100,
        None,
        "cannot tell: b ahead by 2.5 % with one token of context, a by 4 % with two",
    ),
    "depends on the amount of text": (
        pair_of(0.05, half=0.12),
        BOTH,
        100,
        None,
        "b ahead by 2.5 %, but less so with more training text: give more",
    ),
    "undecided": (pair_of(0.006, width=0.012, p=0.3), BOTH, 100, None, "cannot tell: 0.3 % ± 0.6 %"),
    "undecided, disagreement without confidence": (
        pair_of(p=0.02, n3=-0.1),
        BOTH,
        100,
        None,
        "cannot tell: 2.5 % ± 0.5 %",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bits(case):
    pair, both, n_documents, winner, words = CASES[case]
    verdict = bits_verdict(pair, both, n_documents)
    assert verdict.verdict == case.partition(",")[0]
    assert (verdict.winner, verdict.words) == (winner, words)
    assert verdict.to_dict()["relative"] == pair.figures["n2"]["relative"]


@pytest.mark.parametrize(
    ("pair", "verdict", "winner", "words"),
    [
        (pair_of(), "shorter", "b", "b shorter than a: 9.52 % fewer tokens, p < .001"),
        (pair_of(log_ratio=-0.1), "shorter", "a", "a shorter than b: 9.52 % fewer tokens, p < .001"),
        (pair_of(log_ratio=0.005), "same", None, "as many tokens: a and b within 1 % (95 %)"),
        (pair_of(log_ratio=0.02, se=0.01, p_tokens=0.05), "undecided", None, "cannot tell by tokens: 2 % ± 2 %"),
    ],
)
def test_tokens(pair, verdict, winner, words):
    found = tokens_verdict(pair, BOTH, 100)
    assert (found.verdict, found.winner, found.words) == (verdict, winner, words)


def test_tokens_without_contest():
    assert tokens_verdict(pair_of(), {"a": predicted(0.5), "b": predicted()}, 100).verdict == "loses text"
    assert tokens_verdict(pair_of(), BOTH, 5).verdict == "too few documents"


def test_difference():
    """By hand: d = 3/4; the rests are 1 - 3/2, 2 - 3/2; se = sqrt(2 · (1/4 + 1/4)) / 4."""
    figures = difference_figures(np.array([1.0, 2.0]), np.array([2.0, 2.0]), None)
    assert figures["difference"] == 0.75
    assert figures["se"] == pytest.approx(0.25)
    assert figures["p"] == pytest.approx(erfc(3 / sqrt(2)))
    assert figures["ci95"] == pytest.approx([0.75 - 1.959964 * 0.25, 0.75 + 1.959964 * 0.25])
    assert difference_figures(np.array([1.0]), np.array([2.0]), None)["difference"] is None


def test_token_ratio():
    figures = token_figures(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    assert figures["log_ratio"] == 0
    assert figures["se"] == pytest.approx(sqrt(2 * (0.25**2 + 0.25**2)))


@pytest.mark.parametrize("n", [2, 3, 7, 64, 1001])
def test_draws(monkeypatch, n):
    """Draws are those of numpy's generator in one piece, however many are made at once."""
    differences, sizes = [np.arange(n, dtype=float), np.arange(n, dtype=float) ** 2], np.arange(n) + 1.0
    rows = np.random.Generator(np.random.PCG64(5)).integers(0, n, (2000, n))
    expected = np.stack([one[rows].sum(1) for one in differences], 1) / sizes[rows].sum(1)[:, None]
    assert (drawn_ratios(differences, sizes, 5) == expected).all()  # sums of whole numbers are exact
    monkeypatch.setattr(paired, "DRAWN_AT_ONCE", 40)
    assert (drawn_ratios(differences, sizes, 5) == expected).all()


def test_too_few_and_too_many_documents_are_not_drawn():
    for n in (1, paired.MOST_DOCUMENTS + 1):
        assert drawn_ratios([np.ones(n)], np.ones(n), 0) is None
    with pytest.raises(ValueError, match="3 values of 1 quantities"):
        Draws(np.random.PCG64(0), 4).fill_sums(np.ones((1, 3)), np.ones((2, 1)))


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    pairs = [pair_of(p=0.01), pair_of(p=0.2)]
    add_holm(pairs)
    assert [pair.figures["n2"]["p_holm"] for pair in pairs] == [0.02, 0.2]


def test_against_itself():
    """A tokenizer against itself is always a tie."""
    n_bytes = np.arange(1.0, 51.0)
    one = Predicted({}, dict.fromkeys(("n2", "n3", "half", "quarter"), n_bytes * 2), n_bytes, 0.0, 0, 9.0, 10, 90)
    pairs = compare("x", n_bytes, {"a": one, "b": one}, (2, 3), 0)
    add_holm(pairs)
    assert bits_verdict(pairs[0], {"a": one, "b": one}, 50).verdict == "same"
    assert tokens_verdict(pairs[0], {"a": one, "b": one}, 50).verdict == "same"


def test_summary():
    verdicts = [bits_verdict(pair, both, n) for pair, both, n, _, _ in CASES.values()]
    found = summary(verdicts, "bits per byte")
    assert found["wins"] == {"a": 1, "b": 1}
    assert found["others"]["loses text"] == 3
    assert [p_words(p) for p in (0.0, 0.0042, 0.5)] == ["p < .001", "p = .004", "p = .500"]
