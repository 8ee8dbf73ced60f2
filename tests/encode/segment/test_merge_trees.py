"""Merge trees: against merges done one by one, the last merge of each piece, and lists of merges."""

import random
from itertools import pairwise

import pytest

import spm_lite
from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import write_model


def naive_consumed(vocab, counts):
    """Merge the characters of each token, and count every piece on the way."""
    ids = {vocab.text(i).decode(): i for i in range(len(vocab)) if vocab.type(i) == 1}
    consumed = [0] * len(vocab)
    for token, count in enumerate(counts):
        if not count or vocab.type(token) != 1:
            continue
        symbols = list(vocab.text(token).decode())
        formed = []
        while len(symbols) > 1:
            pairs = [(-vocab.score(ids[a + b]), k) for k, (a, b) in enumerate(pairwise(symbols)) if a + b in ids]
            if not pairs:
                break
            k = min(pairs)[1]
            symbols[k : k + 2] = [symbols[k] + symbols[k + 1]]
            formed.append(ids[symbols[k]])
        for i in [*formed[:-1], *(ids[char] for char in vocab.text(token).decode() if len(formed) and char in ids)]:
            consumed[i] += count
    return consumed


@pytest.mark.parametrize("seed", range(5))
def test_against_single_merges(seed):
    rng = random.Random(seed)
    texts = ["".join(rng.choices("abc ", (5, 3, 2, 2), k=30)) for _ in range(50)]
    tok = spm_lite.train(texts, model_type="bpe", vocab_size=300, hard_vocab_limit=False)
    vocab = tok._file.vocab
    counts = [rng.randrange(4) if vocab.type(i) == 1 else 0 for i in range(len(vocab))]
    assert MergeTrees(vocab).consumed(counts) == naive_consumed(vocab, counts)


def test_last_merges() -> None:
    tok = spm_lite.train(["the cat"] * 9, model_type="bpe", vocab_size=290, hard_vocab_limit=False)
    trees = MergeTrees(tok._file.vocab)
    the = tok.piece_to_id("\u2581the")
    assert [tok.id_to_piece(i) for i in trees.parts(the)] == ["\u2581t", "he"]
    assert trees.parts(tok.piece_to_id("t")) is None
    assert trees.parts(-1) is trees.parts(tok.vocab_size) is None


def test_a_list_of_merges() -> None:
    """Of two ways to make a piece, the text of the piece itself goes the way of the better merges."""
    pieces = [("<unk>", 0.0, 2), *((text, 0.0, 1) for text in ["a", "b", "c", "bc", "abc", "ab", "x"])]
    merges = MergeList([2, 3, 4, 1, 4, 5, 1, 2, 6, 6, 3, 5])
    spec = NormalizerSpec(add_dummy_prefix=False, remove_extra_whitespaces=False)
    tok = spm_lite.Tokenizer.load(
        write_model(pieces, TrainerSpec(model_type="bpe", byte_fallback=False), spec, merges=merges)
    )
    trees = MergeTrees(tok._file.vocab)
    assert [trees.parts(i) for i in range(8)] == [None, None, None, None, (2, 3), (1, 4), (1, 2), None]
    assert tok.pieces("abc") == ["abc"]
