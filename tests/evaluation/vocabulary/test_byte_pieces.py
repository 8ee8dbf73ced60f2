"""Byte pieces: of models with and without them, and of byte-level models."""

import spm_lite
from spm_lite.evaluation.figures.subjects import OwnSubject
from spm_lite.evaluation.vocabulary.byte_pieces import byte_figures, partial_kind
from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView


def test_no_byte_pieces(subject):
    assert byte_figures(VocabularyView(subject("google_test_ja_model")), 1)["pieces"] == 0


def test_byte_fallback(subject, golden, check):
    figures = byte_figures(VocabularyView(subject("faulty_bpe")), 2)
    check(figures, golden["vocabulary"]["faulty_bpe"]["bytes"])
    assert figures["emittable"] + len(figures["never"]) == 256


def test_bytes_as_pieces():
    tok = spm_lite.train(["é日本 étude 日本語"] * 20, model_type="byte_bpe", vocab_size=275, hard_vocab_limit=False)
    figures = byte_figures(VocabularyView(OwnSubject("x", tok)), 1)
    assert set(figures["partial_utf8"]) <= {"begins", "ends", "both", "other"}


def test_partial_kind():
    kinds = {
        "日本".encode(): "whole", "日本".encode()[:-1]: "ends", "日本".encode()[1:]: "begins",
        "日本".encode()[1:-1]: "both", b"a\xff": "ends", b"\xff\xffaa": "other", b"\xe3": "whole",
    }  # fmt: skip
    assert {data: partial_kind(data) for data in kinds} == kinds
