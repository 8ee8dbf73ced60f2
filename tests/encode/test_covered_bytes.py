"""The bytes that each id covers: against the definition, and against pieces that join to the text."""

import random
from itertools import pairwise

import pytest
from oracle.covered_bytes import covered, places_of
from oracle.random_models import TYPES, random_text, random_tokenizer
from oracle.slow import slow_after

import spm_lite
from spm_lite import Tokenizer

MODELS = ["t5_base.model", "llama2.model", "google_test_ja_model.model", "albert_30k.model", "nerdstash_bpe_65k.model"]
CORPORA = ["en-tweets.txt", "hi-commonvoice.txt", "ja-wagahaiwa_nekodearu.txt", "ko-nsmc-social.txt"]
TEXTS = [
    "", " ", "a", "  two  words  ", "株式会社㍿ ①② ﾊﾟｲ", "5㎏ ﬁn ½", "e\u0301 \U0001d552 👩\u200d💻 日本", 
    "\x07a\x07b\x07", "\u200bx\u200b \u2581 \u3000", "über 10 €\n\tb", "ꙮ ꙮꙮ", "a\0b", "각 ガ", "ภาษาไทย กำลังเรียน",
]  # fmt: skip
BROKEN = [b"\xe3\x81", b"a\xff\xf0\x9f b", b"\xe3  x\x80", b" \xc3\xa9\xc3"]


def check(tok, texts):
    expected = [covered(tok, text) for text in texts]
    assert places_of(tok, texts) == expected
    assert [places_of(tok, [text])[0] for text in texts] == expected


@pytest.mark.parametrize("seed", slow_after(40, range(400)))
def test_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    spaces = [b" ", b"  ", "\u2581".encode(), "\u3000 ".encode()]
    check(tok, [random_text(rng, rng.random() < 0.3, rng.choice(spaces)) for _ in range(20)])


@pytest.mark.parametrize("name", MODELS)
def test_real_models(shared_data, name):
    tok = Tokenizer.load(shared_data / "models" / name)
    check(tok, [text.encode() for text in TEXTS] + BROKEN)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("name", MODELS)
def test_corpora(shared_data, name, corpus):
    tok = Tokenizer.load(shared_data / "models" / name)
    lines = (shared_data / "corpora" / corpus).read_bytes().split(b"\n")
    check(tok, [line[:100] for line in lines[:200]])


@pytest.mark.parametrize("name", ["bytes", "gpt2", "llama-3", "qwen-2"])
def test_pieces_of_bytes_join_to_the_text(shared_data, name):
    tok = spm_lite.byte_tokenizer() if name == "bytes" else spm_lite.load(shared_data / "shapes" / name)
    for text in TEXTS:
        sizes = [len(piece.encode("utf-8", "surrogateescape")) for piece in tok.pieces(text)]
        ends = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
        if tok.decode(tok.encode(text)) == text and ends[-1] == len(text.encode()):
            assert places_of(tok, [text]) == [list(pairwise(ends))]
        else:
            assert name.startswith("qwen")  # its normalizer composes
            assert text in ("e\u0301 \U0001d552 👩\u200d💻 日本", "각 ガ")


def test_white_space_that_is_dropped_is_not_covered(shared_data):
    tok = spm_lite.load(shared_data / "shapes" / "t5")
    assert tok.pieces("it  seems\u3000\n it") == ["▁it", "▁see", "m", "s", "▁it"]
    assert places_of(tok, ["it  seems\u3000\n it"]) == [[(0, 2), (4, 7), (7, 8), (8, 9), (14, 16)]]


def test_white_space_of_added_tokens_is_covered(shared_data):
    tok = spm_lite.load(shared_data / "shapes" / "phi-2")
    places = places_of(tok, ["a" + " " * 24 + "b"])[0]
    assert [begin for begin, _ in places][1:] == [end for _, end in places][:-1]
    assert (places[0][0], places[-1][1]) == (0, 26)
    assert len(places) < 26


@pytest.mark.parametrize("text", ["a" + " " * 1_000_000 + "b", "\ufdfa" * 50_000, "ꙮ" * 300_000, "\u200b" * 300_000])
def test_long_runs_take_linear_time(shared_data, text):
    for folder, name in (("shapes", "t5"), ("models", "t5_base.model"), ("models", "llama2.model")):
        tok = spm_lite.load(shared_data / folder / name)
        assert places_of(tok, [text])
