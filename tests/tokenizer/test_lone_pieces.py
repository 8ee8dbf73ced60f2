"""Ids of pieces by themselves, dead pieces, and the map of pieces at the end."""

import pytest

import spm_lite
from spm_lite.kinds import NORMAL, SPACE
from spm_lite.tokenizer.lone_pieces import LonePieces, map_of_appended
from spm_lite.vocab.appended_pieces import with_plain_pieces

TEXTS = ["the cat sat on the mat", "ไทย ไทย 12", "a cat\u2581b"] * 20


def train(model_type):
    return spm_lite.train(TEXTS, model_type=model_type, vocab_size=300, hard_vocab_limit=False)


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "byte_bpe"])
def test_each_learned_piece_is_one_id(model_type):
    tok = train(model_type)
    alone, vocab = LonePieces(tok), tok._file.vocab
    plain = [i for i in range(len(tok)) if vocab.type(i) == NORMAL]
    assert plain and alone.dead() == set()
    for i in plain:
        text = vocab.text(i)
        assert alone.ids(text) == [i]
        assert alone.size(i) == len(text if vocab.is_bytes else text.replace(SPACE.encode(), b" "))


def test_a_dead_piece():
    """No merge makes the last piece, since its parts are no pieces."""
    tok = train("bpe")
    data = with_plain_pieces(tok._file, [("catsatmat", -1000.0)])
    more = tok._from_bytes(data, "the model")
    assert LonePieces(more).dead() == {len(tok)}


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "byte_bpe", "char"])
def test_the_map_of_added_pieces(model_type):
    tok = train(model_type)
    more = tok.add_pieces(["<tool>", "\u00e9"])
    change = map_of_appended(tok, more, ["tag", "letter"])
    assert change.new_ids == (*range(len(tok)),)
    assert [one.why for one in change.grown.values()] == ["tag", "letter"]
    for new_id, one in change.grown.items():
        assert one.piece == more.id_to_piece(new_id)
        assert tok.decode([*one.old_ids]) == one.piece
        assert sum(one.sizes) == len(one.piece.encode())
