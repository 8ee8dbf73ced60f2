"""Fewer merges: the pieces are those of a model that was trained with a smaller vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spm_lite
from spm_lite.play.answers import Played
from spm_lite.play.merges import merges_of, with_fewer_merges

LINE = "the lower lowest newer newest house of a slow lorry tells the world how low it rows"
WORDS = LINE.split()
TEXTS = [" ".join(WORDS[k:] + WORDS[: k // 2]) for k in range(len(WORDS))]


@pytest.mark.parametrize("kind", ["bpe", "byte_bpe"])
def test_a_smaller_vocabulary_is_what_training_makes(kind):
    whole = spm_lite.train(TEXTS, model_type=kind, vocab_size=310, num_threads=1)
    merges = merges_of(whole._file)
    for n_merges in range(0, len(merges) + 1, 11):
        cut = spm_lite.Tokenizer.load(with_fewer_merges(whole._file, merges[n_merges:]))
        trained = spm_lite.train(TEXTS, model_type=kind, vocab_size=310 - len(merges) + n_merges, num_threads=1)
        assert cut.vocab_size == trained.vocab_size
        assert [cut.id_to_piece(i) for i in range(cut.vocab_size)] == [
            trained.id_to_piece(i) for i in range(cut.vocab_size)
        ]
        assert cut.encode_lists(TEXTS) == trained.encode_lists(TEXTS)


@given(text=st.text(), share=st.floats(0, 1))
def test_decoding_gives_the_text_back(models, text, share):
    played = Played(models["byte_bpe"])
    tok = played.sized(round(share * len(played.merges)))
    assert tok.decode(tok.encode(text)) == text


def test_other_types_have_no_merges(models):
    assert merges_of(spm_lite.Tokenizer.load(models["unigram"])._file) == []


def test_a_size_is_made_once(models):
    played = Played(models["bpe"])
    assert played.sized(3) is played.sized(3)
    assert played.sized(len(played.merges)) is played.tok
    for n in range(12):
        played.sized(n)
    assert len(played._smaller) == 8
