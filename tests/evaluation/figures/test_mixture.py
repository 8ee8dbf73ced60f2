"""The mixture of weighted texts: shares, mistakes, and figures against a text that holds each text so many times."""

from fractions import Fraction
from math import inf, isclose, nan

import pytest

import spm_lite
from spm_lite import ArgumentTypeError, OptionError
from spm_lite.evaluation.figures.mixture import RATIOS, as_shares, flat, mixed_figures, with_mixture

COPIES = {"en": 1, "de": 3, "el": 2}
TEXTS = {
    "en": [f"The cat number {n} sat on the mat, and {n * 7} dogs ran." for n in range(60)],
    "de": [f"Die Katze {n} saß auf der Matte." for n in range(45)],
    "el": [f"Η γάτα {n} κάθισε" for n in range(30)],
}


@pytest.fixture(scope="module")
def tokenizers():
    every = [line for lines in TEXTS.values() for line in lines]
    return {
        "bpe": spm_lite.train(every, model_type="bpe", vocab_size=400, hard_vocab_limit=False),
        "latin": spm_lite.train(TEXTS["en"], vocab_size=60, hard_vocab_limit=False, byte_fallback=False),
        "bytes": spm_lite.as_tokenizer(lambda text: list(text.encode()), vocab_size=256),
    }


def test_figures_are_those_of_a_text_with_so_many_copies(tokenizers):
    """A text of 1 copy of en, 3 of de and 2 of el is the mixture whose shares are the bytes of the copies."""
    weights = {name: COPIES[name] * sum(len(line.encode()) for line in lines) for name, lines in TEXTS.items()}
    mixed = spm_lite.audit(tokenizers, TEXTS, weights=weights, orders=()).to_dict()
    copies = [line for name, lines in TEXTS.items() for line in lines * COPIES[name]]
    whole = spm_lite.audit(tokenizers, {"all": copies}, orders=()).to_dict()
    for tokenizer in tokenizers:
        ours, right = mixed["mixture"]["corpus"][tokenizer], whole["corpus"]["all"][tokenizer]
        for name in (*RATIOS, "fertility.value"):
            value, expected = flat(ours).get(name), flat(right).get(name)
            assert value == expected or isclose(value, expected, rel_tol=1e-12), (tokenizer, name)
        assert ours["fertility"]["unit"] == "word"
        costs, all_costs = (data["cost"]["texts"][text] for data, text in ((mixed, "mixture"), (whole, "all")))
        for size, cost in costs.items():
            assert isclose(cost[tokenizer]["against_first"], all_costs[size][tokenizer]["against_first"])
    assert mixed["mixture"]["shares"] == {
        name: float(Fraction(w, sum(weights.values()))) for name, w in weights.items()
    }
    assert mixed["mixture"]["corpus"]["latin"]["unknown"]["character_share"] > 0.1
    assert mixed["mixture"]["ngram"] == {"models": {}, "pairs": {}}


def test_means_by_hand():
    """Tokens for a byte are averaged with the shares; a share of the tokens is no mean of shares."""
    rows = {
        "en": {"bytes": 400, "tokens": 100, "unknown": {"tokens": 10}, "roundtrip": None, "texts": 4},
        "de": {"bytes": 300, "tokens": 150, "unknown": {"tokens": 0}, "roundtrip": {"same": 2}, "texts": 2},
    }
    found = mixed_figures(rows, {"en": 0.25, "de": 0.75})
    assert found["bytes_per_token"] == 1 / (0.25 / 4 + 0.75 / 2)
    assert isclose(found["unknown"]["token_share"], 0.25 * 0.025 / (0.25 * 0.25 + 0.75 * 0.5))
    assert found["roundtrip"]["rate"] is None
    assert found["letter_words"]["split_rate"] is None


def test_figures_that_have_no_sum():
    rows = {
        "en": {"bytes": 40, "tokens": 10, "words": 5, "fertility": {"unit": "word"}},
        "ja": {"bytes": 30, "tokens": 10, "words": 1, "fertility": {"unit": "grapheme"}},
    }
    found = mixed_figures(rows, {"en": 0.5, "ja": 0.5})
    assert found["fertility"] == {"unit": None, "value": None}
    assert found["bytes_per_token"] is not None
    empty = mixed_figures({"en": rows["en"], "none": {**rows["en"], "bytes": 0}}, {"en": 0.5, "none": 0.5})
    assert empty["bytes_per_token"] is None


def test_shares():
    assert as_shares(None, ["en"]) is None
    assert as_shares({"de": 1, "en": 3}, ["en", "de"]) == {"en": 0.75, "de": 0.25}
    assert list(as_shares({"de": 1, "en": 3}, ["en", "de"])) == ["en", "de"]
    assert as_shares({"en": 1e99, "de": 1e99, "fr": 1e99}, ["en", "de", "fr"])["de"] == 1 / 3


@pytest.mark.parametrize(
    ("weights", "names", "error", "message"),
    [
        ([1, 2], ["en", "de"], ArgumentTypeError, "weights is list: pass a dict of the names of texts and numbers"),
        ({"en": 1}, ["en"], OptionError, "weights is for two or more texts, not 1"),
        ({}, [], OptionError, "weights is for two or more texts, not 0"),
        ({"mixture": 1, "en": 1}, ["en", "mixture"], OptionError, "a text is named 'mixture', and weights adds a row"),
        ({"en": 1}, ["en", "de"], OptionError, "'de' has no weight: weights must name each text once"),
        ({"en": 1, "de": 1, "fr": 1}, ["en", "de"], OptionError, "'fr' has a weight but is not a text"),
        ({"en": 1, "de": "2"}, ["en", "de"], ArgumentTypeError, "the weight of 'de' is str"),
        ({"en": True, "de": 2}, ["en", "de"], ArgumentTypeError, "the weight of 'en' is bool"),
        ({"en": 1, "de": 0}, ["en", "de"], OptionError, "the weight of 'de' is 0: must be above 0; leave the text out"),
        ({"en": 1, "de": -1.5}, ["en", "de"], OptionError, "the weight of 'de' is -1.5"),
        ({"en": 1, "de": nan}, ["en", "de"], OptionError, "the weight of 'de' is nan"),
        ({"en": inf, "de": 1}, ["en", "de"], OptionError, "the weight of 'en' is inf"),
    ],
)
def test_mistakes(weights, names, error, message):
    with pytest.raises(error, match=message):
        as_shares(weights, names)


def test_sections_with_the_mixture():
    data = {"corpus": {"en": 1}}
    assert with_mixture(data, "corpus") is data["corpus"]
    assert list(with_mixture({**data, "mixture": {"corpus": 2}}, "corpus").items()) == [("en", 1), ("mixture", 2)]
