"""Continued merges against the naive twin: on models with pieces that no text gives, equal scores, and repeats."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.continued_merges import continued
from oracle.piece_rules import PIECE_RULES
from oracle.pruned_pieces import merged
from oracle.small_models import tokenizer_of

from spm_lite.specs import TrainerSpec
from spm_lite.training.bpe.bpe_extender import BpeExtender
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet

CHARACTERS = "ab\u2581cあ"
PLAIN = TrainerSpec(model_type="bpe", split_by_whitespace=False, split_by_unicode_script=False)


def extend(chunks, pieces, n_merges, spec=PLAIN, may_be_piece=None, protect=None):
    """(text, count) of each merge. pieces: text -> score."""
    listed = [("<unk>", 0.0, 2), *((text, score, 1) for text, score in pieces.items())]
    vocab = tokenizer_of(listed, "bpe")._file.vocab
    table = ChunkTable.from_items((text.encode(), count) for text, count in chunks.items())
    stays = None if protect is None else ChunkTable.from_items((text.encode(), 1) for text in protect)
    letters = {one for text in [*chunks, *(protect or ())] for one in text}
    alphabet = Alphabet.from_items((one, 1) for one in letters)
    allowed = may_be_piece or (lambda text: text not in pieces)
    least = min(pieces.values(), default=0.0)
    made = BpeExtender().extend(table, alphabet, spec, n_merges, vocab, least, allowed, stays)
    assert all(left + right == text for text, left, right, _ in made)
    return [(text, count) for text, _, _, count in made]


texts = st.text(CHARACTERS, min_size=1, max_size=12)
pieces_of_models = st.dictionaries(
    st.text(CHARACTERS, min_size=1, max_size=5), st.integers(-9, 0).map(float), min_size=1, max_size=14
)
specs = st.one_of(st.just(PLAIN), st.builds(TrainerSpec, model_type=st.just("bpe"), **PIECE_RULES))


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(texts, st.integers(1, 4), min_size=1, max_size=8),
    pieces_of_models,
    st.integers(1, 12),
    specs,
    st.one_of(st.none(), st.lists(texts, max_size=3)),
)
@example({"abab": 1}, {"aba": -1.0, "a": 0.0}, 3, PLAIN, None)  # the second occurrence is swallowed by an old piece
@example({"abcabc": 2, "bcc": 1}, {"abc": -1.0, "bcc": -1.0, "abcabc": -2.0}, 3, PLAIN, None)
def test_equals_naive(chunks, pieces, n_merges, spec, protect) -> None:
    allowed = lambda text: text not in pieces  # noqa: E731
    expected = continued(chunks.items(), pieces, spec, n_merges, allowed, protect or ())
    assert extend(chunks, pieces, n_merges, spec, None, protect) == expected


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=14), st.integers(1, 9), min_size=1, max_size=6),
    st.dictionaries(st.text("ab", min_size=1, max_size=6), st.integers(-3, 0).map(float), min_size=1, max_size=20),
)
def test_equals_naive_with_many_old_pieces(chunks, pieces) -> None:
    expected = continued(chunks.items(), pieces, PLAIN, 10, lambda text: text not in pieces)
    assert extend(chunks, pieces, 10) == expected


def test_a_new_piece_is_one_piece_by_itself() -> None:
    pieces = {"ab": -1.0, "bc": -2.0, "a": -3.0, "b": -4.0, "c": -5.0}
    made = extend({"abcabc": 3, "abcd": 1}, pieces, 2)
    scores = {**pieces, **{text: -6.0 - i for i, (text, _) in enumerate(made)}}
    assert made == [("abc", 7), ("abcabc", 3)]
    assert all(merged(text, scores) == [text] for text, _ in made)


def test_the_caller_decides_and_protected_pairs_stay() -> None:
    assert extend({"abab": 1}, {"a": 0.0}, 1, may_be_piece=lambda text: text != "ab") == [("ba", 1)]
    assert extend({"abc": 2, "bc": 1}, {"a": 0.0}, 1, protect=["xab"]) == [("bc", 3)]


@pytest.mark.parametrize("text", ["a" * 200_000, "ab" * 100_000])
def test_long_repeats(text) -> None:
    made = extend({text: 1}, {"a": -1.0, "aa": -2.0}, 3)
    assert [len(piece) for piece, _ in made] == ([4, 8, 16] if "b" not in text else [2, 4, 8])
