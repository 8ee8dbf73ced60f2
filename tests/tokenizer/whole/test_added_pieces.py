"""Added pieces with U+2581: they match spaces, never a literal U+2581, and nothing is lost."""

import random
from itertools import pairwise

import pytest
from oracle import added_pieces as twin
from oracle.slow import slow_after

import spm_lite

sentencepiece = pytest.importorskip("sentencepiece")

KINDS = ["unigram", "bpe", "char"]
TEXTS = ["the mill turns the wheel", "a mill at the river", "日本 é the"] * 20
ALPHABET = [" ", " ", "  ", "\u2581", "a", "b", "the", "mill", "e\u0301", "日本", "กำ", "👩\u200d🔧", "\0", "\t", "x"]
PIECES = [
    "\u2581quokka", "\u2581the", "\u2581\u2581", "\u2581\u2581\u2581", "a\u2581", "\u2581a", "\u2581a\u2581b",
    "a\u2581b", "b\u2581\u2581", "\u2581mill\u2581the", "mill\u2581", "\u2581e\u0301", "\u0301\u2581", "\u2581👩",
    "\u2581日", "日本", "x", "\u2581x\u2581", "themill", "<x>",
]  # fmt: skip


def model(kind, **options):
    return spm_lite.train(TEXTS, vocab_size=320, hard_vocab_limit=False, model_type=kind, **options)


MODELS = {kind: model(kind) for kind in KINDS}


def random_case(kind, seed):
    """(a model with added pieces, a text)."""
    rng = random.Random(seed)
    pieces = [piece for piece in rng.sample(PIECES, 6) if piece not in MODELS[kind]]
    text = "".join(rng.choices(ALPHABET + [piece.replace("\u2581", " ") for piece in pieces] + pieces, k=14))
    return MODELS[kind].add_pieces(pieces), text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", slow_after(30, range(400)))
def test_the_twin_and_the_laws(kind, seed):
    tok, text = random_case(kind, seed)
    ids = tok.encode(text)
    assert ids == twin.encode(tok, text)
    assert tok.decode(ids) == text
    rest = tok.encode(text, prefix_space=False)
    assert rest == twin.encode(tok, text, prefix_space=False)
    assert tok.decode(rest, prefix_space=False) == text
    assert tok.encode(text, user_defined=False) == MODELS[kind].encode(text)
    assert tok.encode(text.encode()) == ids
    assert tok.encode_batch([text, text])[1].tolist() == ids
    stream = tok.stream()
    assert "".join([*map(stream.push, ids), stream.flush()]) == text
    assert tok.decode_bytes(tok.encode(text.encode() + b"\xe2\x96")) == text.encode() + b"\xe2\x96"
    growing = tok.growing()
    for char in text:
        growing.append(char)
    assert list(growing.ids) == ids
    spans = tok.spans(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(left[0] <= right[0] and left[1] <= right[1] for left, right in pairwise(spans))
    if kind == "unigram":
        assert tok.nbest(text, 1)[0].ids == ids
    assert kind == "char" or tok.decode(tok.sample(text, seed=seed)) == text
    again = spm_lite.load(tok.to_bytes())
    assert again.encode(text) == ids
    assert again.info.is_lossless


@pytest.mark.parametrize("kind", KINDS)
def test_sentencepiece_reads_the_file(kind):
    for seed in range(60):
        tok, text = random_case(kind, seed)
        text = text.replace("\u2581", "").replace("\0", "")  # the original takes U+2581 for a space
        ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
        assert ref.encode(text) == tok.encode(text)
        assert ref.decode(tok.encode(text + "\u2581the")) == text + "\u2581the"


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_has_one_id(kind):
    tok = MODELS[kind].add_pieces(["\u2581quokka"])
    new = len(tok) - 1
    assert tok.encode("quokka") == [new]
    assert tok.encode("the quokka quokkas").count(new) == 2
    assert new not in tok.encode("the\u2581quokka")
    assert tok.spans("a quokka")[-1] == (1, 8)
    assert tok.pieces("quokka") == ["\u2581quokka"]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_long_texts(kind):
    tok = MODELS[kind].add_pieces(["\u2581\u2581", "\u2581a\u2581b", "b\u2581"])
    rng = random.Random(5)
    text = "".join(rng.choices(["a", "b", " ", "  ", "\u2581", "the mill"], k=300_000))
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.encode(text, user_defined=True) == ids
    assert [i for part in tok.encode_batch([text]) for i in part] == ids


@pytest.mark.parametrize("kind", KINDS)
def test_symbols_of_a_training(kind):
    tok = model(kind, user_defined_symbols=["\u2581the", "\u2581mill\u2581"])
    assert tok.info.is_lossless
    for text in ["the mill turns", "\u2581the the\u2581", "a\u2581mill mill mill "]:
        assert tok.decode(tok.encode(text)) == text
        assert tok.encode(text) == twin.encode(tok, text)
    assert tok.piece_to_id("\u2581the") in tok.encode("the")
    assert tok.piece_to_id("\u2581the") not in tok.encode("a\u2581the")
