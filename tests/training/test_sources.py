"""Several sources: shares by whole factors of the counts, and the same model however the text comes."""

import random
from fractions import Fraction

import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.training.sources import MOST_STEPS, TOLERANCE, whole_factors

SMALL = {"model_type": "bpe", "vocab_size": 290, "num_threads": 1}
EN = ["the mill turns the wheel"] * 40
DE = ["die Mühle dreht das Rad", "das Rad"] * 5


def test_counts_are_those_of_repeated_text():
    """The naive twin: texts that are there as often as the factor says."""
    tok = spm_lite.train(sources={"en": EN, "de": DE}, weights={"en": 1, "de": 1}, **SMALL)
    factors = {name: figures.factor for name, figures in tok.report.sources.items()}
    assert factors["de"] > factors["en"]
    whole = spm_lite.train(EN * factors["en"] + DE * factors["de"], **SMALL)
    assert tok.to_bytes() == whole.to_bytes()
    assert sum(figures.share for figures in tok.report.sources.values()) == pytest.approx(1)


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "byte_bpe", "wordpiece", "char", "word"])
def test_the_same_model_in_any_form(tmp_path, model_type):
    options = {"model_type": model_type, "vocab_size": 300, "hard_vocab_limit": False, "temperature": 0.4}
    for name, texts in (("en", EN), ("de", DE)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    counts = CountTable.count(DE, model_type=model_type)
    forms = [
        {"en": EN, "de": DE},
        {"de": iter(DE), "en": tmp_path / "en.txt"},
        {"en": str(tmp_path / "en.txt"), "de": counts},
        {"de": [CountTable.count([text], model_type=model_type) for text in DE], "en": iter(EN)},
    ]
    models = {spm_lite.train(sources=form, num_threads=n + 1, **options).to_bytes() for n, form in enumerate(forms)}
    limited = spm_lite.train(sources={"en": EN, "de": DE}, memory_limit="1GB", **options)
    assert models == {limited.to_bytes()}


def test_shares():
    for arguments, expected in (
        ({}, None),
        ({"weights": {"a": 3, "b": 1}}, 0.75),
        ({"weights": {"a": 0.1, "b": 0.1}}, 0.5),
        ({"temperature": 0}, 0.5),
        ({"temperature": 1}, None),
    ):
        report = spm_lite.train(sources={"a": EN, "b": DE}, **arguments, **SMALL).report
        sizes = {name: figures.bytes_used for name, figures in report.sources.items()}
        assert report.sources["a"].share == pytest.approx(expected or sizes["a"] / sum(sizes.values()), rel=0.01)
        assert "source a" in str(report)
        assert report.lines_used == len(EN) + len(DE)


@pytest.mark.parametrize("seed", range(30))
def test_factors_are_near_and_small(seed):
    rng = random.Random(seed)
    wanted = {str(i): Fraction(10 ** rng.uniform(-9, 0)) for i in range(rng.randrange(1, 6))}
    try:
        factors = whole_factors(wanted)
    except OptionError:
        assert max(wanted.values()) / min(wanted.values()) > 10**7
        return
    least = min(wanted, key=lambda name: (wanted[name], name))
    for name, factor in factors.items():
        ratio = wanted[name] / min(wanted.values())
        assert abs(Fraction(factor, factors[least]) - ratio) <= ratio * max(TOLERANCE, Fraction(1, 2 * MOST_STEPS))
    assert min(factors.values()) <= MOST_STEPS


def test_memory_limit_leaves_out_once():
    texts = [f"word{i} word{i % 7}" for i in range(3000)]
    counts = CountTable.count(texts)
    doubled = counts.chunks.scaled(2)
    assert doubled.items() == [(text, 2 * count) for text, count in counts.chunks.items()]
    with pytest.raises(TrainingError, match="limit"):
        counts.chunks.scaled(2**63)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, OptionError, "nothing to learn from"),
        ({"input": ["a"], "sources": {"a": ["a"]}}, OptionError, "give one of them"),
        ({"sources": {}}, OptionError, "at least one"),
        ({"sources": [["a"]]}, ArgumentTypeError, "dict of names"),
        ({"sources": {3: ["a"]}}, ArgumentTypeError, "name is a str"),
        ({"sources": {"a": ["ab"]}, "weights": {"b": 1}}, OptionError, "'a' has no weight"),
        ({"sources": {"a": ["ab"]}, "weights": {"a": 1, "b": 1}}, OptionError, "'b' has a weight but is not a source"),
        ({"sources": {"a": ["ab"]}, "weights": {"a": -1}}, OptionError, "above 0"),
        ({"sources": {"a": ["ab"]}, "weights": {"a": float("nan")}}, OptionError, "above 0"),
        ({"sources": {"a": ["ab"]}, "weights": {"a": "1"}}, ArgumentTypeError, "is a number"),
        ({"sources": {"a": ["ab"]}, "weights": {"a": 1}, "temperature": 1}, OptionError, "give one of them"),
        ({"sources": {"a": ["ab"]}, "temperature": 1.5}, OptionError, "from 0"),
        ({"sources": {"a": ["ab"]}, "temperature": True}, ArgumentTypeError, "number"),
        ({"sources": {"a": ["ab"], "b": [""]}}, TrainingError, "source 'b' has no text"),
        ({"sources": {"a": ["ab"]}, "checkpoint": "x"}, OptionError, "checkpoint and sources"),
        ({"sources": {"a": ["ab"]}, "reference_rules": True}, OptionError, "reference_rules"),
        ({"input": ["ab"], "weights": {"a": 1}}, OptionError, "several sources"),
        ({"sources": {"a": ["a"], "b": ["b" * 99]}, "weights": {"a": 1e9, "b": 1e-9}}, OptionError, "too little text"),
    ],
)
def test_mistakes(arguments, error, message):
    with pytest.raises(error, match=message):
        spm_lite.train(vocab_size=300, **arguments)


def test_a_file_in_two_sources(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("some text\n")
    with pytest.raises(OptionError, match="named twice"):
        spm_lite.train(sources={"a": path, "b": [path]}, vocab_size=300)
