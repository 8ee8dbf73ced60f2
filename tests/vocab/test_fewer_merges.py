"""Smaller BPE models: the bytes that training to that size gives, and limits."""

import random

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError

rng = random.Random(1)
WORDS = ["".join(rng.choices("abcdef", k=rng.randrange(1, 7))) for _ in range(200)] + ["日本語", "é", "mill", "123"]
LINES = [" ".join(rng.choices(WORDS, k=8)) for _ in range(150)]


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe"])
@pytest.mark.parametrize(
    "options",
    [{}, {"treat_whitespace_as_suffix": True}, {"control_symbols": ["<x>"], "user_defined_symbols": ["mill"]},
     {"split_digits": True}],
)  # fmt: skip
def test_the_bytes_of_a_smaller_training(model_type, options):
    large = spm_lite.train(LINES, vocab_size=400, model_type=model_type, hard_vocab_limit=False, **options)
    for size in range(300, len(large) + 1, 25):
        small = spm_lite.train(LINES, vocab_size=size, model_type=model_type, hard_vocab_limit=False, **options)
        assert large.with_vocab_size(size).to_bytes() == small.to_bytes()


def test_limits():
    tok = spm_lite.train(LINES, vocab_size=320, model_type="bpe")
    assert tok.with_vocab_size(320) == tok
    for size in (321, 10, -1):
        with pytest.raises(OptionError, match="can have") as caught:
            tok.with_vocab_size(size)
        assert len(tok.with_vocab_size(**caught.value.remedies[0]))
    with pytest.raises(ArgumentTypeError):
        tok.with_vocab_size("300")
    with pytest.raises(OptionError, match="no merges to leave out"):
        spm_lite.train(LINES, vocab_size=320).with_vocab_size(300)


def test_a_real_model(shared_data):
    tok = spm_lite.Tokenizer.load(shared_data / "models" / "llama2.model")
    small = tok.with_vocab_size(20_000)
    assert len(small) == 20_000
    assert small.decode(small.encode("Ein Text, 日本語")) == "Ein Text, 日本語"
    assert {small.id_to_piece(i) for i in range(20_000)} < {tok.id_to_piece(i) for i in range(32_000)}
