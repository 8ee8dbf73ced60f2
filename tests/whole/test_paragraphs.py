"""Paragraphs: lines between blank ones, wherever the reads of a file end."""

import random

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import OptionError
from spm_lite.files.documents import split_paragraphs

BITS = [b"\n", b"\n\n", b" ", b"\r", b"a", b"bc", b"\n ", b"\t", b"\xff"]
BOOK = "  one\n two\n\n\nthree\n \t\n\nfour\r\n\r\nfive"
PARAGRAPHS = ["  one\n two", "three", "four\r", "five"]


def naive(data):
    found, lines = [], []
    for line in [*data.split(b"\n"), b""]:
        if line.strip(b" \t\r"):
            lines.append(line)
        elif lines:
            found.append(b"\n".join(lines))
            lines = []
    return found


@pytest.mark.parametrize("seed", slow_after(4, range(40)))
def test_any_text_in_any_parts(seed):
    rng = random.Random(seed)
    for _ in range(500):
        data = b"".join(rng.choices(BITS, k=rng.randrange(14)))
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(4)))
        parts = [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert [text for texts, _ in split_paragraphs(parts) for text in texts] == naive(data), parts


def test_everything_that_reads(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(BOOK * 3, encoding="utf-8", newline="")
    texts = [text.decode() for text in naive((BOOK * 3).encode())]
    options = {"model_type": "bpe", "vocab_size": 280, "hard_vocab_limit": False}
    tok = spm_lite.train(path, paragraphs=True, **options)
    assert tok.to_bytes() == spm_lite.train(texts, **options).to_bytes()
    assert CountTable.count(path, paragraphs=True) == CountTable.count(texts)
    assert spm_lite.evaluate(tok, path, paragraphs=True) == spm_lite.evaluate(tok, texts)
    tok.encode_files([path, path], tmp_path / "x.npy", paragraphs=True)
    np = pytest.importorskip("numpy")
    assert np.load(tmp_path / "x.npy").tolist() == tok.encode_batch(texts * 2).ids.tolist()


def test_contradictions():
    for other in ({"separator": "\n\n"}, {"separator": None}, {"separator": b"|"}):
        with pytest.raises(OptionError, match="give one of them"):
            CountTable.count(["a"], paragraphs=True, **other)
    with pytest.raises(OptionError, match="paragraphs=True is for files"):
        CountTable.count(["a"], paragraphs=True)
    with pytest.raises(OptionError, match="paragraphs=True"):
        spm_lite.train(CountTable.count(["ab ab"]), paragraphs=True, vocab_size=300)
