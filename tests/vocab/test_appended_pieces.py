"""Scores below all ranks that float32 can tell apart, and files with further pieces of each kind."""

from itertools import pairwise

import pytest
from oracle.small_models import tokenizer_of

import spm_lite
from spm_lite.vocab.appended_pieces import float32, further_ranks, last_rank, with_plain_pieces
from spm_lite.vocab.merge_list import MergeList


@pytest.mark.parametrize("last", [0.0, -1.0, -31999.0, -16777215.0, -16777216.0, -1e8, -3e20, -0.5])
def test_each_score_is_below_the_one_before(last) -> None:
    scores = [float32(last), *further_ranks(float32(last), 300)]
    assert all(below < above for above, below in pairwise(scores))
    assert [float32(score) for score in scores] == scores
    assert last < -1e7 or scores[300] == last - 300


def test_the_last_rank_is_no_score_of_spaces() -> None:
    pieces = [("<unk>", 0.0, 2), ("\u2581", -5.0, 1), ("\u2581\u2581", -1e9, 1), ("a", -7.0, 1)]
    assert last_rank(tokenizer_of(pieces, "bpe")._file.vocab) == -7.0
    assert last_rank(tokenizer_of([*pieces[:1], ("a", -1e9, 1)], "bpe")._file.vocab) == 0.0


def test_pieces_come_last() -> None:
    tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    more = spm_lite.load(with_plain_pieces(tok._file, [("\u2581the", -50.0)]))
    assert more.vocab_size == 273
    assert (more.id_to_piece(272), more.score(272), more.piece_type(272)) == ("\u2581the", -50.0, "normal")
    tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=262)
    more = spm_lite.load(with_plain_pieces(tok._file, [(b"\xff\xfe", -50.0)]))
    assert more.token_bytes(262) == b"\xff\xfe"
    assert (more.bos_id, more.eos_id) == (tok.bos_id, tok.eos_id)


def test_a_list_of_merges_gets_longer() -> None:
    from spm_lite.specs import NormalizerSpec, TrainerSpec
    from spm_lite.vocab.model_writer import write_model

    pieces = [("<unk>", 0.0, 2), ("a", 0.0, 1), ("b", 0.0, 1), ("ab", 0.0, 1)]
    trainer = TrainerSpec(model_type="bpe", byte_fallback=False)
    normalizer = NormalizerSpec(add_dummy_prefix=False)
    tok = spm_lite.load(write_model(pieces, trainer, normalizer, merges=MergeList([1, 2, 3], whole_pieces=True)))
    more = spm_lite.load(with_plain_pieces(tok._file, [("abab", -1.0)], [(3, 3, 4)]))
    assert [*more._file.vocab.merge_list] == [(1, 2, 3), (3, 3, 4)]
    assert more._file.vocab.merge_list.whole_pieces
    assert more.encode("ababab") == [4, 3]
