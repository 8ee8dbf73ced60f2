"""Byte models as ByT5 has them, patches, unknown words and pieces added to a model."""

import pickle
import random

import numpy as np
import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError, TextError


@pytest.fixture(scope="module")
def byt5():
    return spm_lite.byte_tokenizer()


def test_ids_of_byt5(byt5):
    assert (len(byt5), byt5.pad_id, byt5.eos_id, byt5.unk_id, byt5.bos_id) == (259, 0, 1, 2, -1)
    assert byt5.encode("h\u00e9", eos=True) == [107, 198, 172, 1]
    assert byt5.encode(bytes(range(256))) == list(range(3, 259))
    assert byt5.info.is_lossless


def test_nothing_is_lost(byt5):
    rng = random.Random(1)
    for begin in range(0, 0x110000, 0x4000):
        text = "".join(chr(c) for c in range(begin, begin + 0x4000) if not 0xD800 <= c < 0xE000)
        assert byt5.decode(byt5.encode(text)) == text
    data = [rng.randbytes(rng.randrange(9)) for _ in range(5000)]
    assert [byt5.decode_bytes(ids) for ids in byt5.encode_batch(data).to_lists()] == data
    text = "日本 \u2581 e\u0301\0"
    ids = byt5.encode(text)
    stream = byt5.stream()
    assert "".join(map(stream.push, ids)) + stream.flush() == text
    assert byt5.decode_spans(ids) == byt5.spans(text)
    assert byt5.count(text) == len(ids) == len(text.encode())
    assert byt5.truncate(text, 4) == "日"


def test_other_special_tokens():
    tok = spm_lite.byte_tokenizer(["<s>"], ["<pad>", "<extra_id_0>"])
    assert (tok.bos_id, tok.pad_id, tok.unk_id, len(tok)) == (0, 257, -1, 259)
    assert tok.encode("a<s>", bos=True) == [0, 98, 61, 116, 63]
    assert tok.encode("a<extra_id_0>", allow_special=["<extra_id_0>"]) == [98, 258]
    assert pickle.loads(pickle.dumps(tok)) == tok
    for wrong in (["<s>", "<s>"], [""], ["\0"]):
        with pytest.raises(OptionError):
            spm_lite.byte_tokenizer(wrong)
    with pytest.raises(ArgumentTypeError):
        spm_lite.byte_tokenizer([5])


def test_what_makes_no_sense(byt5, tmp_path):
    for call in (
        lambda: byt5.nbest("ab", 2),
        lambda: byt5.lattice.entropy("ab"),
        lambda: byt5.sample("ab", alpha=1.0, seed=1),
    ):
        with pytest.raises(OptionError, match="one segmentation"):
            call()
    with pytest.raises(OptionError, match="byte_tokenizer"):
        spm_lite.train(["ab"], model_type="byte", vocab_size=300)
    byt5.save(tmp_path / "b.model")
    assert spm_lite.Tokenizer.load(tmp_path / "b.model") == byt5
    with pytest.raises(RuntimeError, match="unk is not defined"):
        spm_lite.SentencePieceProcessor(model_file=str(tmp_path / "b.model"))


def test_patches(byt5):
    texts = ["hello", "", "ab", "x" * 16]
    batch = byt5.encode_batch(texts)
    patches = batch.patches(4)
    assert patches.dtype == np.int32
    assert patches.shape == (2 + 0 + 1 + 4, 4)
    rows = [row.tolist() for text in texts for row in byt5.encode_batch([text]).patches(4)]
    assert patches.tolist() == rows
    assert rows[1] == [114, 0, 0, 0]
    assert byt5.encode_batch([]).patches(8).shape == (0, 8)
    assert spm_lite.Batch.from_lists([[5]]).patches(3, 9).tolist() == [[5, 9, 9]]
    with pytest.raises(OptionError, match="size 0"):
        byt5.encode_batch(["a"]).patches(0)
    with pytest.raises(OptionError, match="no padding id"):
        spm_lite.Batch.from_lists([[5]]).patches(2)
    assert spm_lite.Batch.from_lists([[5, 6]]).patches(2).tolist() == [[5, 6]]


@pytest.fixture(scope="module", params=[False, True])
def words(request):
    size = 261 + 5 if request.param else 7
    return spm_lite.train(
        ["the cat sat", "the mat"],
        model_type="word",
        vocab_size=size,
        byte_fallback=request.param,
        hard_vocab_limit=False,
    )


def test_unknown_words(words):
    known = words.encode("the cat")
    assert words.encode("the cat", unknown="raise") == known
    assert words.encode("the dog sat", unknown="unk") == [
        *words.encode("the"),
        words.unk_id,
        words.piece_to_id("\u2581sat"),
    ]
    with pytest.raises(TextError, match=r"dog.* at position 4"):
        words.encode("the dog sat", unknown="raise")
    with pytest.raises(TextError, match=r"text 1: .*xyz.* at position 4"):
        words.encode_batch(["the cat", "the xyz"], unknown="raise")
    assert words.encode_lists(["the dog"], unknown="unk") == [[*words.encode("the"), words.unk_id]]
    if words.piece_to_id("<0x41>") == words.unk_id:
        with pytest.raises(OptionError, match="no byte pieces"):
            words.encode("the dog", unknown="bytes")
    else:
        assert words.decode(words.encode("the dog", unknown="bytes")) != ""
        assert words.encode("the dog", unknown="bytes") == words.encode("the dog")
    with pytest.raises(OptionError, match="must be"):
        words.encode("the", unknown="no")


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "byte_bpe"])
def test_added_pieces(model_type):
    tok = spm_lite.train(["the cat sat"] * 9, model_type=model_type, vocab_size=275, hard_vocab_limit=False)
    more = tok.add_pieces(["<x>", "<y>"])
    assert [more.id_to_piece(i) for i in range(len(tok))] == [tok.id_to_piece(i) for i in range(len(tok))]
    assert (more.piece_to_id("<x>"), more.piece_to_id("<y>"), len(more)) == (len(tok), len(tok) + 1, len(tok) + 2)
    text = "a<x>the cat<y>"
    assert more.decode(more.encode(text)) == text
    assert len(tok) in more.encode(text)
    assert more.encode("the cat") == tok.encode("the cat")
    control = tok.add_pieces(["<c>"], control=True)
    assert control.encode("a<c>") == tok.encode("a<c>")
    assert control.encode("<c>", allow_special=["<c>"]) == [len(tok)]
    for wrong in (["<x>", "<x>"], ["<s>"], [""], ["\0"], [b"\xff"]):
        with pytest.raises(OptionError):
            tok.add_pieces(wrong)


def test_added_words(words):
    more = words.add_pieces(["\u2581dog"])
    assert more.encode("the dog") == [*words.encode("the"), len(words)]
    assert more.encode("the cat") == words.encode("the cat")
