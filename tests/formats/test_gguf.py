"""GGUF: llama.cpp's published vectors, out and in again for every kind, files with tensors, and damaged files."""

import contextlib
import json
import random
import struct

import pytest

import spm_lite
from spm_lite.errors import MissingFileError, ModelError, OptionError
from spm_lite.formats.gguf.header import (
    ARRAY,
    FLOAT32,
    INT32,
    STRING,
    Value,
    flag,
    header_bytes,
    read_header,
    text,
    whole,
)
from spm_lite.formats.gguf.reading import model_of_bytes
from spm_lite.formats.gpt2_files import SPELLING
from spm_lite.tokenizer.conversions import json_of

LINES = ["The cat sat on the mat, 123.", "Der Kater saß da. 日本語 é", "play playing played"] * 30
TEXTS = [
    "",
    " ",
    "  The cat",
    "sat\n\tda",
    "日本 x",
    "\u2581",
    "<s>",
    "é e\u0301",
    "👩\u200d💻",
    "Playing 1234",
    "a" * 50,
]
SEPARATOR = "\n__ggml_vocab_test__\n"


def published(shared_data, name):
    folder = shared_data / "interop"
    texts = (folder / f"{name}.gguf.inp").read_bytes().decode().split(SEPARATOR)
    ids = [[int(i) for i in line.split()] for line in (folder / f"{name}.gguf.out").read_text().split("\n")]
    return texts, ids


@pytest.mark.parametrize("name", ["ggml-vocab-llama-spm", "ggml-vocab-bert-bge"])
def test_published_vectors(shared_data, name, tmp_path):
    tok = spm_lite.Tokenizer.load(shared_data / "interop" / f"{name}.gguf", format="gguf")
    texts, ids = published(shared_data, name)
    assert len(texts) == 47
    assert tok.encode_lists(texts) == ids
    tok.save(tmp_path / "m.model")
    assert spm_lite.Tokenizer.load(tmp_path / "m.model").encode_lists(texts) == ids
    tok.to_gguf(tmp_path / "again.gguf")
    assert spm_lite.Tokenizer.load(tmp_path / "again.gguf", format="gguf").encode_lists(texts) == ids


def test_gpt2_out_and_in(shared_data, tmp_path):
    from spm_lite.formats.gpt2_files import MERGES, VOCAB

    for name, file in ((VOCAB, "gpt2.vocab.json"), (MERGES, "gpt2.merges.txt")):
        (tmp_path / name).write_bytes((shared_data / "interop" / file).read_bytes())
    tok = spm_lite.Tokenizer.load(tmp_path, format="gpt2", name="gpt2")
    proved = tok.to_gguf(tmp_path / "g.gguf")
    assert [sentence[:10] for sentence in proved.conditions] == ["no letters"]  # newer than those of llama.cpp
    texts, ids = published(shared_data, "ggml-vocab-gpt-2")
    again = spm_lite.Tokenizer.load(tmp_path / "g.gguf", format="gguf")
    assert tok.encode_lists(texts) == again.encode_lists(texts) == ids


@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "bpe"},
        {"model_type": "bpe", "lossless": "strict", "add_dummy_prefix": False},
        {"model_type": "unigram", "byte_fallback": False, "normalization": "nfkc_rules"},
        {"model_type": "unigram", "byte_fallback": False, "user_defined_symbols": ["<x>"], "vocab_size": 90},
        {"model_type": "wordpiece"},
        {"model_type": "wordpiece", "normalization": "bert_uncased"},
    ],
)
def test_out_and_in_again(options, tmp_path):
    if options.get("lossless") == "strict":
        with pytest.raises(OptionError, match="by rules"):
            spm_lite.train(LINES, **{"vocab_size": 320, **options}).to_gguf(tmp_path / "m.gguf")
        return
    tok = spm_lite.train(LINES, hard_vocab_limit=False, **{"vocab_size": 320, **options})
    found = tok.to_gguf(tmp_path / "m.gguf", verify=LINES)
    again = spm_lite.Tokenizer.load(tmp_path / "m.gguf", format="gguf")
    assert [again.id_to_piece(i) for i in range(len(again))] == [tok.id_to_piece(i) for i in range(len(tok))]
    assert (again.unk_id, again.bos_id, again.eos_id) == (tok.unk_id, tok.bos_id, tok.eos_id)
    for one in [*TEXTS, *LINES[:3]]:
        if not found.unmet(one):
            assert again.encode(one) == tok.encode(one), one


def test_user_defined_symbols_of_a_byte_model_are_found_before_the_text_is_cut(tmp_path):
    symbols = ["<|sep|>", "the ", "\n\n"]
    options = {"model_type": "byte_bpe", "split_pattern": "llama3", "vocab_size": 320, "hard_vocab_limit": False}
    tok = spm_lite.train(LINES, **options, user_defined_symbols=symbols, control_symbols=["<|end|>"])
    tok.to_gguf(tmp_path / "m.gguf")
    again = spm_lite.load(tmp_path / "m.gguf")
    texts = [*LINES, "over the lazy", "a<|sep|>b", "x\n\n\ny", " the the<|end|>"]
    assert again.encode_lists(texts) == tok.encode_lists(texts)
    assert "the " in again.pieces("over the lazy")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_type": "char"}, "no char models"),
        ({"model_type": "byte_bpe"}, "its pieces may cross the cuts"),
        ({"model_type": "bpe", "user_defined_symbols": ["<x>"]}, "user-defined pieces"),
        ({"model_type": "bpe", "treat_whitespace_as_suffix": True}, "spaces end a piece"),
        ({"model_type": "bpe", "normalization": "nfkc"}, "normalizes text by rules"),
        ({"model_type": "bpe", "byte_fallback": False}, "no byte pieces"),
        ({"model_type": "unigram"}, "train with byte_fallback=False"),
        ({"model_type": "wordpiece", "continuation_prefix": "@@"}, "prefix"),
    ],
)
def test_models_that_it_cannot_say(options, message, tmp_path):
    tok = spm_lite.train(LINES, vocab_size=340, hard_vocab_limit=False, **options)
    with pytest.raises(OptionError, match=message):
        tok.to_gguf(tmp_path / "m.gguf")
    assert not (tmp_path / "m.gguf").exists()


def with_tensors(pairs):
    """A file with two tensors, aligned to 32 bytes."""
    data = header_bytes(pairs)
    data = data[:8] + struct.pack("<Q", 2) + data[16:]
    for name, at in ((b"a.weight", 0), (b"b.weight", 64)):
        data += struct.pack("<Q", len(name)) + name + struct.pack("<IQIQ", 1, 16, 0, at)
    data += bytes(-len(data) % 32)
    return data + bytes(range(64)) + bytes(range(100, 164))


def test_the_tokenizer_of_a_file_with_tensors(tmp_path):
    tok = spm_lite.train(LINES, vocab_size=320, model_type="bpe")
    tok.to_gguf(tmp_path / "v.gguf")
    pairs = {"general.architecture": text(b"llama"), "llama.x": whole(7), **read_header(tmp_path / "v.gguf").pairs}
    (tmp_path / "full.gguf").write_bytes(with_tensors(pairs))
    other = spm_lite.train(LINES[::-1] + ["another text"] * 9, vocab_size=320, model_type="bpe")
    other.to_gguf(tmp_path / "new.gguf", base=tmp_path / "full.gguf")
    assert spm_lite.Tokenizer.load(tmp_path / "new.gguf", format="gguf").encode("another cat") == other.encode(
        "another cat"
    )
    data, header = (tmp_path / "new.gguf").read_bytes(), read_header(tmp_path / "new.gguf")
    assert header.n_tensors == 2
    assert header.data_at % 32 == 0
    assert data[header.data_at :] == bytes(range(64)) + bytes(range(100, 164))
    assert "llama.x" in header.spans
    with pytest.raises(OptionError, match="a row for each piece"):
        spm_lite.train(LINES, vocab_size=330, model_type="bpe").to_gguf(
            tmp_path / "n.gguf", base=tmp_path / "full.gguf"
        )
    with pytest.raises(MissingFileError, match=r"cannot be read.*none\.gguf"):
        tok.to_gguf(tmp_path / "n.gguf", base=tmp_path / "none.gguf")
    assert not (tmp_path / "n.gguf").exists()
    before = (tmp_path / "new.gguf").read_bytes()
    other.to_gguf(tmp_path / "new.gguf", base=tmp_path / "new.gguf")
    assert (tmp_path / "new.gguf").read_bytes() == before


def small():
    tokens = [b"<unk>", b"<s>", b"</s>", b"a", b"b", b"ab", b"\xe2\x96\x81"]
    return {
        "general.architecture": text(b"llama"), "tokenizer.ggml.model": text(b"llama"),
        "tokenizer.ggml.tokens": Value(ARRAY, tokens, STRING),
        "tokenizer.ggml.token_type": Value(ARRAY, [2, 3, 3, 1, 1, 1, 1], INT32),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokenizer.ggml.model": text(b"rwkv")}, "is of kind 'rwkv'"),
        ({"tokenizer.ggml.model": None}, "holds no tokenizer"),
        ({"tokenizer.ggml.tokens": None}, "there are no pieces"),
        ({"tokenizer.ggml.tokens": text(b"x")}, "tokens is bytes"),
        ({"tokenizer.ggml.token_type": Value(ARRAY, [1], INT32)}, "1 items for 7 pieces"),
        ({"tokenizer.ggml.token_type": Value(ARRAY, [2, 3, 3, 1, 1, 1, 99], INT32)}, "unknown type 99"),
        ({"tokenizer.ggml.token_type": Value(ARRAY, [1] * 7, INT32)}, "0 pieces are unknown pieces"),
        ({"tokenizer.ggml.tokens": Value(ARRAY, [b"\xff"] * 7, STRING)}, "is not UTF-8"),
        ({"general.alignment": whole(3)}, "not a power of two"),
    ],
)
def test_pairs_that_are_wrong(change, message):
    pairs = {key: value for key, value in {**small(), **change}.items() if value is not None}
    with pytest.raises(ModelError, match=message):
        model_of_bytes(header_bytes(pairs), "x.gguf")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokens", Value(ARRAY, [1] * 7, INT32)),
        ("tokens", Value(ARRAY, [1.5] * 7, FLOAT32)),
        ("scores", Value(ARRAY, [b"x"] * 7, STRING)),
        ("token_type", Value(ARRAY, [b"x"] * 7, STRING)),
        ("token_type", Value(ARRAY, [float("nan")] * 7, FLOAT32)),
        ("eos_token_id", flag(True)),
    ],
)
def test_values_of_wrong_types(key, value):
    with pytest.raises(ModelError, match=f"tokenizer.ggml.{key}"):
        model_of_bytes(header_bytes({**small(), f"tokenizer.ggml.{key}": value}), "x.gguf")


def test_rules_and_merges_of_wrong_types(tmp_path):
    strings, numbers = Value(ARRAY, [b"x"], STRING), Value(ARRAY, [7], INT32)
    t5 = {**small(), "tokenizer.ggml.model": text(b"t5"), "tokenizer.ggml.precompiled_charsmap": strings}
    gpt2 = {
        **small(),
        "tokenizer.ggml.model": text(b"gpt2"),
        "tokenizer.ggml.merges": numbers,
        "tokenizer.ggml.pre": text(b"gpt-2"),
    }
    for pairs in (t5, gpt2):
        with pytest.raises(ModelError, match="has items of type"):
            model_of_bytes(header_bytes(pairs), "x.gguf")
    (tmp_path / "base.gguf").write_bytes(header_bytes({**small(), "tokenizer.ggml.tokens": whole(7)}))
    tok = spm_lite.train(LINES, vocab_size=320, model_type="bpe")
    with pytest.raises(ModelError, match="not an array of strings"):
        tok.to_gguf(tmp_path / "new.gguf", base=tmp_path / "base.gguf")
    assert not (tmp_path / "new.gguf").exists()


def test_large_values_take_no_memory(tmp_path):
    """Sparse files: a value of a gigabyte is refused if it belongs to a tokenizer, and passed over if not."""
    for key, is_kept in (("tokenizer.ggml.precompiled_charsmap", True), ("tokenizer.huggingface.json", False)):
        path = tmp_path / "large.gguf"
        head = header_bytes({**small(), key: Value(ARRAY, b"", 0)})[:-8] + struct.pack("<Q", 1 << 30)
        path.write_bytes(head)
        with path.open("r+b") as file:
            file.truncate(len(head) + (1 << 30))
        if is_kept:
            with pytest.raises(ModelError, match="reads at most"):
                read_header(path)
        else:
            assert key in read_header(path).spans


def test_damaged_files(tmp_path):
    data = header_bytes(small())
    assert spm_lite.Tokenizer.load(model_of_bytes(data, "x")).encode("ab")
    for end in range(len(data)):
        with pytest.raises(ModelError):
            model_of_bytes(data[:end], "x")
    for place in range(4, len(data) - 8):
        for value in (2**63, 2**64 - 1, 2**31):
            hostile = data[:place] + struct.pack("<Q", value) + data[place + 8 :]
            with contextlib.suppress(ModelError):
                model_of_bytes(hostile, "x")
    rng = random.Random(1)
    for _ in range(3000):
        hostile = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            hostile[rng.randrange(len(hostile))] = rng.randrange(256)
        with contextlib.suppress(ModelError):
            model_of_bytes(bytes(hostile), "x")
    with pytest.raises(MissingFileError):
        spm_lite.Tokenizer.load(tmp_path / "no.gguf", format="gguf")
    (tmp_path / "text.gguf").write_text("no such thing, but long enough for a header")
    with pytest.raises(ModelError, match="is not a GGUF file"):
        spm_lite.Tokenizer.load(tmp_path / "text.gguf", format="gguf")
    with pytest.raises(ModelError, match="big-endian"):
        model_of_bytes(data[:4] + data[4:8][::-1] + data[8:], "x")
    with pytest.raises(ModelError, match="version 9 of GGUF, but spm_lite reads 2 and 3"):
        model_of_bytes(data[:4] + struct.pack("<I", 9) + data[8:], "x")


def test_convert(tmp_path):
    from spm_lite.cli.main import main

    spm_lite.train(LINES, vocab_size=320, model_type="bpe").save(tmp_path / "m.model")
    assert main(["convert", str(tmp_path / "m.model"), str(tmp_path / "m.gguf")]) == 0
    assert main(["convert", str(tmp_path / "m.gguf"), str(tmp_path / "back.model")]) == 0
    back = spm_lite.Tokenizer.load(tmp_path / "back.model")
    assert back.encode("the cat") == spm_lite.Tokenizer.load(tmp_path / "m.model").encode("the cat")


MERGES_OF_ABC = [b"a b", b"b c", b"a bc", b"ab c"]


@pytest.mark.parametrize(
    ("pre", "merges", "has_list", "pieces"),
    [
        (b"llama-bpe", MERGES_OF_ABC, False, ["abc", " ", "x", "abc", "bc"]),  # all splits, and words are looked up
        (b"llama-bpe", [b"a b", b"b c", b"a bc"], True, ["abc", " ", "x", "ab", "c", "bc"]),
        (b"gpt-4o", MERGES_OF_ABC, True, ["abc", " ", "x", "abc", "bc"]),
        (b"gpt-2", [b"b c", b"ab c", b"a b"], True, ["a", "bc", " ", "x", "a", "bc", "bc"]),
    ],
)
def test_merges_that_scores_cannot_say(pre, merges, has_list, pieces, tmp_path):
    texts = [text.encode() for text in (*SPELLING.values(), "ab", "bc", "abc", "<s>")]
    pairs = {
        "general.architecture": text(b"llama"),
        "tokenizer.ggml.model": text(b"gpt2"),
        "tokenizer.ggml.pre": text(pre),
        "tokenizer.ggml.tokens": Value(ARRAY, texts, STRING),
        "tokenizer.ggml.token_type": Value(ARRAY, [1] * 259 + [3], INT32),
        "tokenizer.ggml.merges": Value(ARRAY, merges, STRING),
    }
    path = tmp_path / "x.gguf"
    path.write_bytes(header_bytes(pairs))
    tok = spm_lite.load(path)
    assert (tok._file.vocab.merge_list is not None) == has_list
    assert tok.pieces("abc xabcbc") == pieces


def test_steps_of_tokenizers_are_refused(tmp_path):
    options = {"vocab_size": 60, "hard_vocab_limit": False, "byte_fallback": False, "lossless": False}
    tok = spm_lite.train(["the cat sat"] * 9, **options)
    parts = json.loads(json_of(tok))
    parts["normalizer"] = {"type": "Lowercase"}
    parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": False}
    with pytest.raises(OptionError, match="no GGUF says Lowercase"):
        spm_lite.load(parts).to_gguf(tmp_path / "x.gguf")
