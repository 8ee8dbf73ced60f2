"""Pieces added to a model: those that no text would match are refused."""

import pytest

import spm_lite

TEXTS = ["a b <new 0> c"] * 9
LOSSY = {"normalization": "nmt_nfkc"}


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
    assert tok.is_control(len(tok) - 1)


def test_without_spaces():
    tok = model("unigram")
    assert len(tok) in tok.add_pieces(["<new>"]).encode("a <new> b")
