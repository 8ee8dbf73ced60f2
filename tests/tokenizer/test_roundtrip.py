"""What the report on round trips says, against what really came back."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.random_models import ILL_FORMED, TYPES, WELL_FORMED, random_text, random_tokenizer
from oracle.small_models import small_model

from spm_lite import ArgumentTypeError, OptionError, RoundTripReport, Tokenizer, byte_tokenizer, train
from spm_lite.tokenizer.roundtrip import REASONS, Change

OPTIONS = {"vocab_size": 300, "hard_vocab_limit": False}
CORPUS = ["ab fi cd 12 é A/B"] * 9


def changed(text, changes):
    """The text after all changes."""
    parts, pos = [], 0
    for change in changes:
        assert text[change.begin : change.end] == change.given
        parts += [text[pos : change.begin], change.became]
        pos = change.end
    return type(text)().join([*parts, text[pos:]])


def check(tok, texts):
    report = tok.roundtrip_report(texts, n_examples=10**6)
    back = [tok.decode_bytes(tok.encode(t)) if isinstance(t, bytes) else tok.decode(tok.encode(t)) for t in texts]
    differ = [i for i, text in enumerate(texts) if back[i] != text]
    assert (report.texts, report.changed) == (len(texts), len(differ))
    assert report.is_lossless == (not differ)
    assert sorted({change.text for change in report.examples}) == differ
    for i in differ:
        assert changed(texts[i], [change for change in report.examples if change.text == i]) == back[i]
    assert sum(report.changes.values()) == len(report.examples)
    assert list(report.changes) == [reason for reason in REASONS if reason in report.changes]
    assert str(report).count("\n    text ") == len(report.examples)
    return report


@pytest.mark.parametrize("seed", range(25))
def test_changes_are_what_came_back(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, rng.choice(TYPES))
    texts = [random_text(rng, True, rng.choice([b" ", "\u2581".encode()])) for _ in range(30)]
    check(tok, [*texts, *(text.decode(errors="ignore") for text in texts)])


@pytest.fixture(scope="module")
def nfkc():
    return train(CORPUS, normalization="nmt_nfkc", **OPTIONS)


UNITS = [*WELL_FORMED, " ", "  ", "ﬁ", "Ａ", "½", "e\u0301", "\t", "\u200b", "\x07", "\u3000"]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(UNITS), max_size=8).map("".join), max_size=5))
def test_rules_and_spaces(nfkc, texts):
    check(nfkc, texts)


def test_a_lossless_model_changes_nothing():
    tok = train(CORPUS, **OPTIONS)
    report = check(tok, [*UNITS, *ILL_FORMED, "", b"", " \u2581 "])
    assert str(report) == f"{len(UNITS) + len(ILL_FORMED) + 3} texts, all came back as they were"


@pytest.mark.parametrize(
    ("text", "begin", "given", "became", "reason"),
    [
        ("ab  cd", 3, " ", "", "whitespace"),
        (" ab", 0, " ", "", "whitespace"),
        ("ab ", 2, " ", "", "whitespace"),
        ("é ﬁ", 2, "ﬁ", "fi", "normalization"),
        ("é \u2581x", 2, "\u2581", "", "normalization"),
        ("a\x07b", 1, "\x07", "", "normalization"),
        (b"\xc3\xa9\xffb", 2, b"\xff", "\ufffd".encode(), "ill-formed bytes"),
        ("a\ud800b", 1, "\ud800", "\ufffd", "lone surrogates"),
    ],
)
def test_reasons(nfkc, text, begin, given, became, reason):
    report = nfkc.roundtrip_report(["ab", text])
    assert report.examples == (Change(1, begin, begin + len(given), given, became, reason),)
    assert report.changes == {reason: 1}


def test_unknown_and_space_mark():
    tok = Tokenizer.load(small_model())
    (change,) = tok.roundtrip_report(["hello ☃☃"]).examples
    assert (change.begin, change.given, change.became, change.reason) == (6, "☃☃", " \u2047 ", "unknown")
    tok = train(CORPUS, lossless=False, **OPTIONS)
    (change,) = tok.roundtrip_report(["ab\u2581cd"]).examples
    assert (change.begin, change.given, change.became, change.reason) == (2, "\u2581", " ", "U+2581")
    tok = train(CORPUS, lossless=False, treat_whitespace_as_suffix=True, **OPTIONS)
    (change,) = tok.roundtrip_report(["ab"]).examples
    assert (change.begin, change.given, change.became, change.reason) == (2, "", " ", "decoding")


def test_what_is_kept_and_shown(nfkc):
    report = nfkc.roundtrip_report((f"ﬁ{i}ﬁ Ａ" for i in range(5000)), n_examples=3)
    assert isinstance(report, RoundTripReport)
    assert (report.texts, report.changed, len(report.examples)) == (5000, 5000, 3)
    assert report.changes == {"normalization": 15000}
    assert report.characters == (("ﬁ", 10000), ("Ａ", 5000))
    assert "text 0, 0-1: 'ﬁ' (U+FB01) became 'fi' (U+0066 U+0069) (normalization)" in str(report)
    assert nfkc.roundtrip_report(["ﬁ"], n_examples=0).examples == ()


def test_wrong_arguments(nfkc):
    with pytest.raises(ArgumentTypeError, match="texts is one str"):
        nfkc.roundtrip_report("ab")
    with pytest.raises(ArgumentTypeError, match="text 1 of the batch is int"):
        nfkc.roundtrip_report(["ab", 5])
    with pytest.raises(OptionError, match="n_examples -1 is negative"):
        nfkc.roundtrip_report(["ab"], n_examples=-1)


def test_a_card_for_notebooks():
    shown = byte_tokenizer().roundtrip_report(["a", "b\ud800"])._repr_html_()
    assert "2 texts, 1 came back changed" in shown
    assert "lone surrogates" in shown
