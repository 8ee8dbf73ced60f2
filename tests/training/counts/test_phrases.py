"""The phrases of texts, in the words of the page on superwords, and their marks; the twin tests random texts."""

import pytest
from oracle.superwords import phrases_of

import spm_lite
from spm_lite.training.counts.phrases import mark_of
from spm_lite.training.options.checks import check_options

CASES = {
    "the boys' own and it's": {"letters": ["\u2581the\u2581boys", "'", "\u2581own\u2581and\u2581it's"]},
    "a b, c d. E f": {
        "letters": ["\u2581a\u2581b", ",", "\u2581c\u2581d", ".", "\u2581E\u2581f"],
        "punctuation": ["\u2581a\u2581b,\u2581c\u2581d.", "\u2581E\u2581f"],
    },
    'he said." So': {"punctuation": ['\u2581he\u2581said."', "\u2581So"]},
    "in 12 days": {inside: ["\u2581in", "\u258112", "\u2581days"] for inside in ("letters", "punctuation")},
    "to  the end": {"letters": ["\u2581to", "\u2581\u2581the", "\u2581end"]},
}  # fmt: skip


def phrases(texts, **options):
    return dict(spm_lite.CountTable.count(texts, **{"model_type": "bpe", **options}))


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("inside", ["letters", "punctuation"])
def test_phrases(text, inside) -> None:
    superwords = {"inside": inside}
    found = phrases([text], superwords=superwords)
    spec = check_options(vocab_size=9, model_type="bpe", superwords=superwords).trainer
    twin = phrases_of(f" {text}".replace(" ", "\u2581"), spec)
    assert sorted(found) == sorted({*twin})
    if inside in CASES[text]:
        assert sorted(found) == sorted(CASES[text][inside])


def test_special_pieces_and_lines_end_a_phrase() -> None:
    found = phrases(["in the<sep>mill by the", "pond"], superwords=0.8, user_defined_symbols=["<sep>"])
    assert found == {"\u2581in\u2581the": 1, "\x1f": 1, "mill\u2581by\u2581the": 1, "\u2581pond": 1}


def test_special_pieces_end_a_phrase_of_bytes() -> None:
    options = {"model_type": "byte_bpe", "superwords": 0.8, "user_defined_symbols": ["<sep>", " of"]}
    assert phrases(["in the<sep> mill of by"], **options) == {"in the": 1, " mill": 1, " by": 1}


def test_marks_are_one_bit_that_the_text_decides() -> None:
    marks = {mark_of(str(i).encode()) for i in range(2000)}
    assert len(marks) == 64 and all(mark.bit_count() == 1 and mark < 2**64 for mark in marks)
    assert mark_of(b"a line") == mark_of(b"a line") == 1 << MARK


MARK = mark_of(b"a line").bit_length() - 1


def test_a_document_marks_its_phrases_once() -> None:
    table = spm_lite.CountTable.count(["in the mill, in the mill", "by the mill"], model_type="bpe", superwords=0.8)
    block = table.chunks.documents_block(0, len(table))
    marks = [int.from_bytes(block[i : i + 8], "little") for i in range(0, len(block), 8)]
    by_text = dict(zip(dict(table), marks, strict=True))
    assert by_text["\u2581in\u2581the\u2581mill"] == mark_of(b"in the mill, in the mill")
    assert by_text["\u2581by\u2581the\u2581mill"] == mark_of(b"by the mill")
