"""Texts that other programs may read in another way: near ties of scores, and rules that join characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import partners

import spm_lite
from spm_lite.formats.proof.condition_checks import DoublePaths, reads_alone
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import charsmap_of, compile_rules
from spm_lite.specs import NormalizerSpec

tokenizers = pytest.importorskip("tokenizers")
SIGNS = "ae\u00e9\u0301\u0323\u1ecd\uff76\uff9e\u3131\u314f\u1112\u1161\u11ab\r\n\u200d\ufb01"
SIGNS += "\u01c5\u09cd\u09a8\u0958\u2460\u0e33\u0345\u05d0\u05b7 \U0001f468"


def test_the_best_path_and_its_margin():
    paths = DoublePaths([(b"a", -1.0), (b"b", -1.5), (b"ab", -2.0), (b"abb", -9.0)])
    assert paths.best(b"ab")[:2] == ([(2, 0, 2)], 0.5)
    path, margin, limit = paths.best(b"abb")
    assert (path, margin) == ([(2, 0, 2), (1, 2, 3)], 0.5)
    assert 0 < limit < 1e-12
    assert paths.best(b"") == ([], float("inf"), pytest.approx(0))


def test_characters_without_a_piece():
    paths = DoublePaths([(b"a", -1.0), (b"b", -3.0)])
    assert paths.best("a\u00e9b".encode())[0] == [(0, 0, 1), (-1, 1, 3), (1, 3, 4)]


def test_equal_sums_keep_the_earlier_begin():
    paths = DoublePaths([(b"a", -1.0), (b"aa", -2.0), (b"aaa", -3.0)])
    path, margin, limit = paths.best(b"aaaa")
    assert path == [(0, 0, 1), (2, 1, 4)]
    assert margin <= limit


def test_what_differs_is_marked():
    message = partners.trained("unigram", lossless=False, byte_fallback=False)._file.message()
    for piece in message.pieces:
        piece.score = -0.7 * len(piece.piece)  # every way to cut a text has nearly the same sum
    tok = spm_lite.Tokenizer.load(message.SerializeToString())
    findings, text = partners.written(tok)
    other = tokenizers.Tokenizer.from_str(text)
    many = partners.corpus(200)
    theirs = [found.ids for found in other.encode_batch(many)]
    differing = [text for text, ours, their in zip(many, tok.encode_lists(many), theirs, strict=True) if ours != their]
    assert len(differing) > 20
    assert all(partners.unmet(findings, text) == ["near ties"] for text in differing)


def test_usual_texts_are_seldom_marked():
    tok = partners.trained("unigram", lossless=False, byte_fallback=False)
    findings, _ = partners.written(tok)
    assert sum(bool(partners.unmet(findings, text)) for text in partners.corpus()) < 40


@pytest.mark.slow
@given(st.text(st.sampled_from(SIGNS), max_size=8))
def test_such_texts_are_normalized_alike(text):
    blob = charsmap_of("nmt_nfkc")
    other = tokenizers.normalizers.Precompiled(blob)
    if reads_alone(Charsmap(blob), text.encode()):
        own = make_normalizer(NormalizerSpec("", blob, False, False, False))
        assert other.normalize_str(text).encode() == own.normalize(text.encode())


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("", True),
        ("plain", True),
        ("\ufb01x", True),
        ("e\u0301", False),
        ("\u1ecd\u0301", True),
        ("\u2460\u0301", False),
        ("\r\n", False),
        ("\u01c5\u09cd\u09a8", False),
        ("\u09a8\u09cd\u09a8\u09cd\u09a8\ufb01", True),
    ],
)
def test_examples(text, is_met):
    assert reads_alone(Charsmap(charsmap_of("nmt_nfkc")), text.encode()) is is_met


def test_a_rule_of_one_character_in_a_cluster():
    charsmap = Charsmap(compile_rules({"a": "x"}))
    assert reads_alone(charsmap, b"abc")
    assert not reads_alone(charsmap, "a\u0301".encode())
    assert reads_alone(charsmap, "a\u0301\u0301\u0301".encode())
