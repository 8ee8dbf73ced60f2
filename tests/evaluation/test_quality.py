"""How well a model fits a text."""

import math

import pytest

import spm_lite
from spm_lite import ArgumentTypeError, OptionError, TrainingError, evaluate
from spm_lite.evaluation.quality import COUNTS

TEXTS = ["one two three", "two three four", "", "three é four"] * 20


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
def test_sums(model_type, tmp_path):
    tok = spm_lite.train(TEXTS, model_type=model_type, vocab_size=300, hard_vocab_limit=False)
    texts = [text for text in TEXTS if text] + ["日本 x"]
    found = evaluate(tok, texts, num_threads=1)
    encoded = [tok.encode(text) for text in texts]
    assert found.texts == len(texts)
    assert found.bytes == sum(len(text.encode()) for text in texts)
    assert found.characters == sum(map(len, texts))
    assert found.tokens == sum(map(len, encoded))
    assert found.unknown_tokens == sum(ids.count(tok.unk_id) for ids in encoded)
    assert found.byte_tokens == sum(tok.piece_type(i) == "byte" for ids in encoded for i in ids)
    assert found.bytes_per_token == found.bytes / found.tokens
    assert found.characters_per_token == found.characters / found.tokens
    if model_type == "unigram":
        assert found.log_likelihood == pytest.approx(math.fsum(map(tok.lattice.log_prob, texts)))
        assert found.bits_per_byte == pytest.approx(-found.log_likelihood / math.log(2) / found.bytes)
    else:
        assert found.log_likelihood is found.bits_per_byte is None
    assert f"{found.tokens:,}" in str(found)
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(texts) + "\n\n", encoding="utf-8")
    assert evaluate(tok, path) == found


def test_refusals():
    tok = spm_lite.train(TEXTS, model_type="char", vocab_size=300, hard_vocab_limit=False)
    with pytest.raises(ArgumentTypeError, match="not a Tokenizer"):
        evaluate("m.model", TEXTS)
    with pytest.raises(TrainingError, match="no text to evaluate: 0 texts"):
        evaluate(tok, ["", ""])


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_qualities_add_up(model_type):
    tok = spm_lite.train(TEXTS, model_type=model_type, vocab_size=300, hard_vocab_limit=False)
    whole, parts = evaluate(tok, TEXTS), [evaluate(tok, TEXTS[i::3]) for i in range(3)]
    for added in (sum(parts), parts[2] + (parts[0] + parts[1])):
        assert [getattr(added, name) for name in COUNTS] == [getattr(whole, name) for name in COUNTS]
        if model_type == "unigram":
            assert added.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12)
        else:
            assert added.log_likelihood is None
    with pytest.raises(TypeError):
        whole + 1


def test_qualities_of_two_models():
    tables = [
        spm_lite.train(TEXTS, model_type=kind, vocab_size=300, hard_vocab_limit=False) for kind in ("char", "unigram")
    ]
    with pytest.raises(OptionError, match="only one of the two"):
        sum(evaluate(tok, TEXTS) for tok in tables)
