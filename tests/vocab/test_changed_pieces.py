"""Models with more or fewer pieces: pieces that no text would match are refused, and merges are left out."""

import random

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError

TEXTS = ["a b <new 0> c"] * 9
LOSSY = {"normalization": "nmt_nfkc"}
rng = random.Random(1)
WORDS = ["".join(rng.choices("abcdef", k=rng.randrange(1, 7))) for _ in range(200)] + ["日本語", "é", "mill", "123"]
LINES = [" ".join(rng.choices(WORDS, k=8)) for _ in range(150)]


def model(kind, **options):
    return spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, model_type=kind, **options)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
@pytest.mark.parametrize("piece", ["<new 0>", " x", "x ", "<new\u25810>", "\u2581x"])
def test_pieces_of_lossless_models_have_no_spaces(kind, piece):
    with pytest.raises(spm_lite.OptionError, match="lossless model"):
        model(kind).add_pieces([piece])


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
@pytest.mark.parametrize("piece", ["<new 0>", " x"])
def test_the_remedy_works(kind, piece):
    tok = model(kind, **LOSSY)
    with pytest.raises(spm_lite.OptionError, match="write ") as caught:
        tok.add_pieces([piece])
    named = str(caught.value).rpartition("write ")[2].strip("'")
    assert len(tok) in tok.add_pieces([named]).encode(f"a {piece} b x")


def test_words():
    tok = model("word", byte_fallback=False)
    with pytest.raises(spm_lite.OptionError, match=r"2 words.*\['▁<new', '▁0>'\]"):
        tok.add_pieces(["<new 0>"])
    with pytest.raises(spm_lite.OptionError, match="write '▁dog'"):
        tok.add_pieces([" dog"])
    assert tok.add_pieces(["▁dog"]).encode("a dog")[1] == len(tok)


def test_byte_level_pieces_may_have_spaces():
    tok = model("byte_bpe")
    assert len(tok) in tok.add_pieces(["<new 0>"]).encode("a <new 0> b")


@pytest.mark.parametrize("kind", ["unigram", "word", "byte_bpe"])
def test_control_pieces_may_have_spaces(kind):
    tok = model(kind).add_pieces(["<a b>"], control=True)
    assert tok.piece_type(len(tok) - 1) == "control"


def test_without_spaces():
    tok = model("unigram")
    assert len(tok) in tok.add_pieces(["<new>"]).encode("a <new> b")


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


def test_symbols_that_are_found_before_a_text_is_cut_move_too():
    options = {"model_type": "byte_bpe", "split_pattern": "llama3", "hard_vocab_limit": False}
    options |= {"user_defined_symbols": ["mill", "<sep>"], "control_symbols": ["<x>"]}
    large = spm_lite.train(LINES, vocab_size=400, **options)
    for size in range(270, len(large) + 1, 25):
        small = large.with_vocab_size(size)
        assert small.to_bytes() == spm_lite.train(LINES, vocab_size=size, **options).to_bytes()
        assert small.pieces("a<sep>mill") == ["a", "<sep>", "mill"]


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
