"""Byte pieces: of models with and without them, and of byte-level models."""

import spm_lite
from spm_lite.evaluation.figures.subjects import OwnSubject
from spm_lite.evaluation.vocabulary.byte_pieces import byte_figures, is_inside, partial_kind
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


def test_pieces_that_end_inside_characters():
    """Of a model whose pieces are known, and none with other text where pieces are whole characters."""
    texts = ["กา กิ กี กึ กื", "ขา ขิ ขี"] * 20
    for whole in False, True:
        tok = spm_lite.train(
            texts, model_type="byte_bpe", vocab_size=290, hard_vocab_limit=False, whole_characters=whole
        )
        view = VocabularyView(OwnSubject("x", tok))
        found = byte_figures(view, 1)["cut_characters"]
        learned = [
            data for i in range(len(tok)) if tok.piece_type(i) == "normal" and len(data := view.vocab.text(i)) > 1
        ]
        cut = [data for data in learned if not is_text(data)]
        joined = [data for data in cut if not is_part(data)]
        assert (found["count"], found["joined"]) == (len(cut), len(joined))
        assert found["share"] == len(cut) / len(learned) and found["joined_share"] == len(joined) / len(learned)
        assert found["count"] > 0 and len(found["first"]) == min(5, len(joined))
        assert bool(joined) is not whole


def is_text(data):
    return "\ufffd" not in data.decode("utf-8", "replace")


def is_part(data):
    return any(data in chr(point).encode() for point in range(0xE00, 0xE80))


def test_is_inside():
    inside = [b"\xe0", b"\xe0\xb8", b"\xb8\x81", b"\x81", b"\xf0\x9f", b"\xf0\x9f\x98", b"\x9f\x98\x80"]
    other = [b"\xe0\xb8a", b"a\xe0", b"\xe0\xe0", b"\x81\xe0", b"\xff", b"\xe0\x80", b"\x80" * 4, b"\xc3\xa9\xa9"]
    assert [*map(is_inside, [*inside, *other])] == [True] * len(inside) + [False] * len(other)


def test_partial_kind():
    kinds = {
        "日本".encode(): "whole", "日本".encode()[:-1]: "ends", "日本".encode()[1:]: "begins",
        "日本".encode()[1:-1]: "both", b"a\xff": "ends", b"\xff\xffaa": "other", b"\xe3": "whole",
    }  # fmt: skip
    assert {data: partial_kind(data) for data in kinds} == kinds
