"""Pieces of many texts, some of which are unknown: as sentencepiece gives them, one by one and in lists."""

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from oracle.slow import slow_after
from oracle.small_models import small_model

import spm_lite

WORDS = st.sampled_from(
    ["hello", " world", "is", "h", "o", "日本語", "zz", "<sep>", "never", "\u2581", " ", "\0", "é", "🏽"]
)
TEXTS = st.lists(WORDS, max_size=6).map("".join)
MODELS = [(kind, fallback) for kind in ("unigram", "bpe", "char", "word") for fallback in (False, True)]


@pytest.fixture(scope="module", params=slow_after(4, MODELS), ids=str)
def pair(request):
    model = small_model(*request.param)
    return (
        spm_lite.SentencePieceProcessor(model_proto=model),
        sentencepiece.SentencePieceProcessor(model_proto=model),
    )


@given(texts=st.lists(TEXTS, max_size=60))
def test_pieces(pair, texts):
    ours, ref = pair
    for kind in (str, bytes):
        wanted = [ref.encode(text, out_type=kind) for text in texts]
        assert ours.encode(texts, out_type=kind) == wanted
        assert [ours.encode(text.encode(), out_type=kind) for text in texts] == wanted


@pytest.mark.slow
@given(texts=st.lists(TEXTS, max_size=20))
def test_back(pair, texts):
    """From pieces and ids, in lists and one by one."""
    ours, ref = pair
    for kind in (str, int):
        rows = [ref.encode(text, out_type=kind) for text in texts]
        assert ours.decode(rows) == ref.decode(rows)
        assert [ours.decode(row) for row in rows] == [ref.decode(row) for row in rows]
    for row in rows:
        assert [ours.decode(number) for number in row] == [ref.decode(number) for number in row]
        assert ours.id_to_piece(row) == ref.id_to_piece(row)
        assert ours.piece_to_id(ours.id_to_piece(row)) == ref.piece_to_id(ref.id_to_piece(row))
        assert ours.get_score(row) == ref.get_score(row)
