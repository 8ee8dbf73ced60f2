"""Near ties: marked wherever double precision may give other ids than single precision, and nearly nowhere else."""

import pytest
from oracle import partners

import spm_lite
from spm_lite.formats.proof.condition_checks import DoublePaths

tokenizers = pytest.importorskip("tokenizers")


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
