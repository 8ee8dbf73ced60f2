"""Models with known pieces, of every type, for pictures."""

import pytest
from oracle.small_models import tokenizer_of

import spm_lite
from spm_lite.specs import ModelType

SPECIAL = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
MERGES = [
    "he",
    "ll",
    "hell",
    "hello",
    "▁w",
    "or",
    "ld",
    "▁wor",
    "▁world",
    "th",
    "▁th",
    "▁the",
    "שלום",
    "של",
    "ום",
    "水車",
]
LETTERS = "▁abcdefghijklmnopqrstuvwxyz,.!éשלום水車ก"


def pieces_of(byte_fallback):
    merged = [(piece, -float(rank), 1) for rank, piece in enumerate(MERGES)]
    letters = [(letter, -float(len(MERGES) + i), 1) for i, letter in enumerate(dict.fromkeys(LETTERS))]
    return [*SPECIAL, *(BYTES if byte_fallback else []), *merged, *letters]


@pytest.fixture(scope="session")
def bpe():
    """BPE with byte fallback, which puts a space before a text."""
    return tokenizer_of(pieces_of(True), "bpe", byte_fallback=True, add_dummy_prefix=True)


@pytest.fixture(scope="session")
def unigram():
    """Unigram without byte fallback: text that no piece covers is unknown."""
    return tokenizer_of(pieces_of(False), "unigram", add_dummy_prefix=True)


TEXTS = ["the cat sat on the mat 😀😃 ▁ don't I'll 1234 a  b\n\n café naïve 水 水車"] * 9
TRAINED: tuple[ModelType, ...] = ("unigram", "bpe", "byte_bpe", "wordpiece", "word", "char")


@pytest.fixture(scope="session")
def trained():
    """A trained model of every type, and one of bytes, by the name of the type."""
    models = {
        kind: spm_lite.train(TEXTS, model_type=kind, vocab_size=360, hard_vocab_limit=False, num_threads=1)
        for kind in TRAINED
    }
    return {**models, "byte": spm_lite.byte_tokenizer()}
