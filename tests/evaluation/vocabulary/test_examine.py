"""Residue of merges: the right values, and models cut short."""

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.subjects import OwnSubject
from spm_lite.evaluation.vocabulary.examine import residue_figures, tokens_with_merges

TEXTS = ["en-botchan.txt", "ja-wagahaiwa_nekodearu.txt", "hi-commonvoice.txt", "th-wisesight-social.txt"]


@pytest.mark.parametrize("name", slow_after(1, TEXTS))
def test_right_values(name, golden, subject, text_lines, check):
    subjects = [subject(model) for model in golden["residue"][name]]
    measured = measure(TextSource(name, text_lines(name)), subjects, 2, 0)
    for each in subjects:
        trees, counts = MergeTrees(each.vocab), measured.readings[each.name].counts
        check(residue_figures(each, trees, counts), golden["residue"][name][each.name])
        right = golden["sweep"][each.name]
        if right["text"] == name:
            tokens = tokens_with_merges(trees, counts, [int(m) for m in right["tokens"]])
            assert {str(m): n for m, n in tokens.items()} == right["tokens"]
            assert trees.n_merges == right["merges"]


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe"])
def test_fewer_merges(model_type):
    """A model of fewer merges has as many tokens as the trees say."""
    texts = ["the cat sat on the mat that the cat had", "a dog and a cat, a dog"] * 5
    large = spm_lite.train(texts, model_type=model_type, vocab_size=330, hard_vocab_limit=False)
    small = spm_lite.train(texts, model_type=model_type, vocab_size=280, hard_vocab_limit=False)
    subject = OwnSubject("x", large)
    trees = MergeTrees(subject.vocab)
    counts = measure(TextSource("x", texts), [subject], 1, 0).readings["x"].counts
    merges = MergeTrees(small._file.vocab).n_merges
    tokens = sum(len(ids) for ids in small.encode_batch(texts))
    assert tokens_with_merges(trees, counts, [merges]) == {merges: tokens}


def test_pieces_across_spaces():
    """They are counted by their own texts, and so are their tokens; tables show them only where there are some."""
    lines = ["of the people in the house of the people"] * 40
    toks = {
        "across": spm_lite.train(lines, model_type="bpe", vocab_size=290, split_by_whitespace=False),
        "plain": spm_lite.train(lines, model_type="bpe", vocab_size=280),
    }
    found = spm_lite.audit(toks, {"en": lines[:1]}, orders=())
    data = found.to_dict()
    pieces = {name: [tok.id_to_piece(i) for i in range(tok.vocab_size)] for name, tok in toks.items()}
    across = {name: {i for i, piece in enumerate(of) if "\u2581" in piece[1:]} for name, of in pieces.items()}
    ids = toks["across"].encode(lines[0])
    n_tokens = sum(i in across["across"] for i in ids)
    assert data["vocabulary"]["across"]["superwords"] == len(across["across"]) > 0
    assert data["corpus"]["en"]["across"]["superwords"] == {"tokens": n_tokens, "token_share": n_tokens / len(ids)}
    assert data["vocabulary"]["plain"]["superwords"] == data["corpus"]["en"]["plain"]["superwords"]["tokens"] == 0
    assert "tokens across spaces" in str(found)
    assert "across spaces" not in str(spm_lite.audit(toks["plain"], {"en": lines[:1]}, orders=()))
