"""The three kinds of pruning take the same pieces in the same order as their naive twins, on random and hard texts."""

import random

import pytest
from oracle.pruned_pieces import NaiveCuts, NaiveExact, NaiveLeaves
from oracle.slow import slow_after

import spm_lite
from spm_lite.kinds import NORMAL
from spm_lite.training.pruning.cut_pruner import CutPruner
from spm_lite.training.pruning.merge_pruner import ExactPruner, LeafPruner
from spm_lite.training.pruning.prune_steps import dead_ids

ALPHABETS = ["ab ", "abc  ", "aé日 ก\u0301", "👩\u200d🚀 \u2581x", "a\0b "]
KINDS = {
    "leaf": ("bpe", LeafPruner, NaiveLeaves),
    "bytes": ("byte_bpe", LeafPruner, NaiveLeaves),
    "exact": ("bpe", ExactPruner, NaiveExact),
    "cut": ("unigram", CutPruner, NaiveCuts),
}


def texts_of(rng, n=40):
    alphabet = rng.choice(ALPHABETS)
    return ["".join(rng.choices(alphabet, k=rng.randrange(1, 14))) for _ in range(n)]


def plain_pieces(tok):
    """{id: text} of the normal pieces that are not single bytes."""
    vocab = tok._file.vocab
    texts = {i: vocab.text(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL}
    return texts if vocab.is_bytes else {i: text.decode() for i, text in texts.items()}


@pytest.mark.parametrize("seed", slow_after(6, range(60)))
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_as_the_naive_twin(kind, seed) -> None:
    rng = random.Random(f"{kind} {seed}")
    model_type, fast, naive = KINDS[kind]
    has_bytes = model_type == "byte_bpe" or rng.random() < 0.5
    texts = texts_of(rng)
    options = {} if model_type == "byte_bpe" else {"byte_fallback": has_bytes}
    if not has_bytes:
        options["lossless"] = False
    tok = spm_lite.train(texts, model_type=model_type, vocab_size=340, hard_vocab_limit=False, **options)
    pieces, vocab = plain_pieces(tok), tok._file.vocab
    counts = [rng.choice([0, 0, 1, 2, 5, 9]) if i in pieces else 0 for i in range(len(vocab))]
    single = {i for i, text in pieces.items() if vocab.is_bytes and len(text) == 1}
    stays = single | {i for i in pieces if rng.random() < 0.1}
    dead = dead_ids(tok) - stays
    n_removed = rng.randrange(1, len(pieces))
    may_go = pieces.keys() - stays
    got = fast(vocab, counts, may_go, dead).prune(len(vocab) - n_removed)
    scores = {text: tok.score(i) for i, text in pieces.items()}
    twin = naive(scores, {text: counts[i] for i, text in pieces.items()}, pieces.values(), has_bytes)
    wanted = twin.run(n_removed, {pieces[i] for i in stays}, {pieces[i] for i in dead})
    assert [pieces[i] for i in got] == wanted


def test_figures() -> None:
    tok = spm_lite.train(["the cat"] * 9, model_type="bpe", vocab_size=290, hard_vocab_limit=False)
    counts = [0] * tok.vocab_size
    the, cat = tok.piece_to_id("▁the"), tok.piece_to_id("▁cat")
    counts[the] = 5
    pruner = LeafPruner(tok._file.vocab, counts, [the, cat], [])
    assert pruner.prune(tok.vocab_size - 1) == [cat]
    assert pruner.n_left == tok.vocab_size - 1
    assert the in pruner.needed()
    assert cat not in pruner.needed()
    assert pruner.prune(0) == [the]
    assert {tok.piece_to_id("▁t"), tok.piece_to_id("he")} <= {*pruner.needed()}  # they have its count
