"""Requirements on figures, and what has moved since an earlier audit."""

import pickle

import pytest

import spm_lite
from spm_lite.errors import OptionError

LINES = [f"line {n} of a small text" for n in range(300)]


def train(**options):
    return spm_lite.train(LINES, hard_vocab_limit=False, num_threads=1, **options)


@pytest.fixture(scope="module")
def report():
    tokenizers = {"a": train(vocab_size=300), "b.c": train(vocab_size=284, model_type="bpe")}
    return spm_lite.audit(tokenizers, {"en": LINES}, parallel={"x": LINES[:50], "y.z": LINES[50:100]}, orders=())


@pytest.mark.parametrize(
    "rule",
    ["unreachable<=0", "size>100", "roundtrip>=1", "en.roundtrip == 1", "unknown<=0", "a:en.fertility<9",
     "b.c:y.z.fertility < 9", "y.z.premium<2", "premium.max<=2", "gini<1", "junk.control<=5", "en.bytes_per_token>1"],
)  # fmt: skip
def test_met(report, rule):
    assert report.unmet(rule) == []


def test_failures_are_pickled(report):
    failures = report.unmet("en.fertility<0")
    assert failures and pickle.loads(pickle.dumps(failures)) == failures


def test_unmet(report):
    found = report.unmet("roundtrip>=1", "b.c:en.fertility<0.5", "size<1")
    assert [(one.tokenizer, one.text, one.figure) for one in found] == [
        ("b.c", "en", "fertility"), ("a", None, "size"), ("b.c", None, "size"),
    ]  # fmt: skip
    assert "but b.c:en.fertility<0.5 is required" in str(found[0])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("fertilty<2", "did you mean 'fertility'"),
        ("de.fertility<2", "there is no figure 'de.fertility'"),
        ("c:fertility<2", "there is no figure"),
        ("en.size<2", "a figure of a tokenizer, not of a text"),
        ("fertility", "not of the form"),
        ("fertility<x", "not of the form"),
        ("", "not of the form"),
        ("fertility=<2", "there is no figure 'fertility='"),
    ],
)
def test_mistakes(report, rule, message):
    with pytest.raises(OptionError, match=message):
        report.unmet(rule)


def test_lost_text_is_no_gain():
    lossy = spm_lite.train(LINES, vocab_size=60, hard_vocab_limit=False, byte_fallback=False, normalization="nfkc")
    texts = ["the same text", "another one"] * 20
    foreign = ["日本語の文章です", "もう一つ"] * 20
    report = spm_lite.audit({"t": lossy}, parallel={"en": texts, "ja": foreign}, orders=())
    assert report.unmet("t:ja.premium>1") == []


def test_what_moved(report):
    assert report.changes_since(report) == []
    tokenizers = {"a": train(vocab_size=300), "b.c": train(vocab_size=294, model_type="bpe")}
    other = spm_lite.audit(tokenizers, {"en": LINES}, parallel={"x": LINES[:50], "y.z": LINES[60:110]}, orders=())
    found = other.changes_since(report)
    assert {one.tokenizer for one in found} == {"b.c"}
    assert ("b.c", None, "size") in {(one.tokenizer, one.text, one.figure) for one in found}
    assert any(one.text == "en" and one.figure == "tokens" and one.after < one.before for one in found)
    assert "->" in str(found[0])
