"""EncodedTexts of many texts on several threads are those of each by itself."""

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import ArgumentTypeError, TextError
from spm_lite.encode.spans import encode_texts

LINES = ["the cat sat on the mat", "日本語の text", "e\u0301te\u0301 👩‍👧 ▁ \0x", "", "  spaces  "] * 40
TEXTS = [*LINES, b"\xff ill \xe3\x81 formed", b"", "y" * 100_000, "word " * 30_000]


@pytest.mark.slow
@pytest.mark.parametrize("model_type", slow_after(2, ["unigram", "bpe", "char", "word"]))
def test_same_as_one_by_one(model_type: str) -> None:
    tok = spm_lite.train(LINES, model_type=model_type, vocab_size=330, hard_vocab_limit=False)
    encoder = tok._encoder
    expected = [encoder.encode_text(text) for text in TEXTS]
    for n in (1, 2, 5):
        for one, other in zip(encode_texts(encoder, TEXTS, n), expected, strict=True):
            assert one.ids() == other.ids()
            assert one.pieces() == other.pieces()
            assert one.piece_strings() == other.piece_strings()
            assert one.byte_offsets() == other.byte_offsets()
            assert one.char_offsets() == other.char_offsets()
            assert one.surfaces() == other.surfaces()
    assert encode_texts(encoder, [], 2) == []


def test_refusals() -> None:
    encoder = spm_lite.train(LINES, model_type="char", vocab_size=330, hard_vocab_limit=False)._encoder
    with pytest.raises(TextError, match="lone surrogate"):
        encode_texts(encoder, ["a", "\udc80"], 2)
    with pytest.raises(ArgumentTypeError, match="int"):
        encode_texts(encoder, ["a", 5], 2)  # type: ignore[list-item]
