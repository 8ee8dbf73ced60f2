"""Fewer merges: the pieces are those of a model that was trained with a smaller vocabulary."""

import pytest

import spm_lite
from spm_lite.vocab.changed_pieces import merges_of, without

LINE = "the lower lowest newer newest house of a slow lorry tells the world how low it rows"
WORDS = LINE.split()
TEXTS = [" ".join(WORDS[k:] + WORDS[: k // 2]) for k in range(len(WORDS))]


@pytest.mark.parametrize("kind", ["bpe", "byte_bpe"])
def test_a_smaller_vocabulary_is_what_training_makes(kind):
    whole = spm_lite.train(TEXTS, model_type=kind, vocab_size=310, num_threads=1)
    merges = merges_of(whole._file)
    for n_merges in range(0, len(merges) + 1, 11):
        cut = spm_lite.Tokenizer.load(without(whole._file, set(merges[n_merges:])))
        trained = spm_lite.train(TEXTS, model_type=kind, vocab_size=310 - len(merges) + n_merges, num_threads=1)
        assert cut.vocab_size == trained.vocab_size
        assert [cut.id_to_piece(i) for i in range(cut.vocab_size)] == [
            trained.id_to_piece(i) for i in range(cut.vocab_size)
        ]
        assert cut.encode_lists(TEXTS) == trained.encode_lists(TEXTS)


def test_other_types_have_no_merges():
    assert merges_of(spm_lite.train(TEXTS, vocab_size=290)._file) == []
