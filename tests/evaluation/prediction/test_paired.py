"""Differences on a mixture against sums by hand, against draws of documents, and against those of a single text."""

from math import isclose, sqrt

import numpy as np
import pytest

from spm_lite.evaluation.prediction.held_out import Predicted
from spm_lite.evaluation.prediction.paired import Strata, Stratum, compare

SHARES = (0.2, 0.5, 0.3)
NAMES = ("n2", "n3", "half", "quarter")


def made(seed, n, is_parallel=False, common=None):
    """Random documents of a text, and what two tokenizers make of them. common: what parallel ones have in common."""
    generator = np.random.Generator(np.random.PCG64(seed))
    n_bytes = generator.integers(20, 90, n).astype(float)
    both = n_bytes * generator.uniform(1.5, 2.5, n)
    moved = np.zeros(n) if common is None else common
    predicted = {}
    for name, factor in (("a", 1.0), ("b", 1.1)):
        bits = {order: factor * both + generator.normal(0, 5, n) + (moved if name == "a" else 0) for order in NAMES}
        means = {"bits_per_byte": float(bits["n2"].sum() / n_bytes.sum()) - 0.1}
        means["bits_per_byte_spelled"] = means["bits_per_byte"] + 0.1
        tokens = np.round(factor * n_bytes / 3) + generator.integers(0, 4, n)
        report = {"unknown_character_share": 0.02 * seed, "n2": means}
        predicted[name] = Predicted(report, bits, tokens, 0.02 * seed, seed, 10.0 * seed, 100, 1000 * seed)
    return Stratum(predicted, np.arange(5, n + 5), n_bytes, int(n_bytes.sum()) // 2, is_parallel)


@pytest.fixture(scope="module")
def texts():
    return [made(1, 300), made(2, 80), made(3, 150)]


def compared(texts, shares):
    strata = Strata(texts, shares)
    predicted = {name: strata.predicted(name) for name in ("a", "b")}
    (pair,) = strata.compare(predicted, (2, 3))
    return predicted, pair


def test_sums_by_hand(texts):
    predicted, pair = compared(texts, SHARES)
    assert (pair.text, pair.first, pair.second) == ("mixture", "a", "b")
    difference = variance = rates = 0.0
    unknown = characters = 0.0
    for text, share in zip(texts, SHARES, strict=True):
        a, b = (text.predicted[name] for name in ("a", "b"))
        total, n = text.n_bytes.sum(), len(text.documents)
        d = (a.bits["n2"] - b.bits["n2"]).sum() / total
        rest = a.bits["n2"] - b.bits["n2"] - d * text.n_bytes
        difference += share * d
        variance += share**2 * n / (n - 1) * (rest**2).sum() / total**2
        rates += share * a.report["n2"]["bits_per_byte"]
        unknown += share * a.unknown_share * text.n_characters / total
        characters += share * text.n_characters / total
    n2 = pair.figures["n2"]
    assert isclose(n2["difference"], difference, rel_tol=1e-12)
    assert isclose(n2["se"], sqrt(variance), rel_tol=1e-12)
    assert isclose(n2["ci95"][1] - n2["ci95"][0], 2 * 1.959963984540054 * sqrt(variance), rel_tol=1e-12)
    a = predicted["a"]
    assert isclose(a.report["n2"]["bits_per_byte"], rates, rel_tol=1e-12)
    assert isclose(a.unknown_share, unknown / characters, rel_tol=1e-12)
    assert (a.fill, a.training_tokens) == (10.0, 1000)  # of the text with the least
    assert isclose(sum(a.tokens), sum(s * t.predicted["a"].tokens.sum() / t.n_bytes.sum()
                                      for t, s in zip(texts, SHARES, strict=True)))  # fmt: skip


def test_a_text_alone(texts):
    """All weight on one text gives the figures of that text, except intervals, which are of the error."""
    text = texts[0]
    (right,) = compare("x", text.n_bytes, text.predicted, (2, 3), 0)
    _, pair = compared([text], [1.0])
    for name, figures in right.figures.items():
        for key, value in figures.items():
            if not key.startswith("ci"):
                assert isclose(pair.figures[name][key], value, rel_tol=1e-9), (name, key)


def drawn(texts, seed):
    """The same texts with documents drawn from each; parallel ones by the same draw."""
    generator = np.random.Generator(np.random.PCG64(seed))
    shared = None
    result = []
    for text in texts:
        chosen = generator.integers(0, len(text.documents), len(text.documents))
        if text.is_parallel:
            shared = chosen = chosen if shared is None else shared
        predicted = {
            name: Predicted(one.report, {k: v[chosen] for k, v in one.bits.items()}, one.tokens[chosen],
                            one.unknown_share, one.unknown_tokens, one.fill, one.size, one.training_tokens)
            for name, one in text.predicted.items()
        }  # fmt: skip
        result.append(Stratum(predicted, text.documents, text.n_bytes[chosen], text.n_characters, text.is_parallel))
    return result


@pytest.mark.parametrize("are_parallel", [False, True])
def test_errors_are_those_of_drawn_documents(texts, are_parallel):
    """The deviation over 600 draws; parallel texts that vary together have the larger error."""
    if are_parallel:
        common = np.random.Generator(np.random.PCG64(9)).normal(0, 20, 120)
        texts = [made(4, 120, True, common), made(5, 120, True, common), made(3, 150)]
    _, pair = compared(texts, SHARES)
    found = [compared(drawn(texts, seed), SHARES)[1].figures for seed in range(600)]
    for name, key in (("n2", "difference"), ("tokens", "log_ratio")):
        deviation = np.std([figures[name][key] for figures in found])
        assert isclose(pair.figures[name]["se"], deviation, rel_tol=0.1), name
    if are_parallel:
        for text in texts:
            text.is_parallel = False
        _, apart = compared(texts, SHARES)
        assert apart.figures["n2"]["se"] < 0.85 * pair.figures["n2"]["se"]
        assert apart.figures["n2"]["difference"] == pair.figures["n2"]["difference"]


def test_what_cannot_be_computed(texts):
    single = made(6, 1)
    _, pair = compared([texts[0], single], (0.5, 0.5))
    assert pair.figures["n2"]["difference"] is None
    assert pair.figures["tokens"]["log_ratio"] is None
    assert Strata([texts[0], single], (0.5, 0.5)).n_documents == 1
    single.predicted["a"].unknown_share = None  # the places of its tokens are not known
    predicted, _ = compared([texts[0], single], (0.5, 0.5))
    assert predicted["a"].unknown_share is None
    assert predicted["b"].unknown_share is not None
