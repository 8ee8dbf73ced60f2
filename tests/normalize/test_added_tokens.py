"""Added tokens in texts: found as the slow search in Python finds them, and as tokenizers does."""

import json
import pickle
import random

import pytest

import spm_lite
from spm_lite.errors import ModelError, TextError
from spm_lite.normalize.added_tokens import AddedTokens, is_word
from spm_lite.specs import AddedToken
from spm_lite.tokenizer import specials
from spm_lite.tokenizer.conversions import json_of

SIGNS = ["a", "b", " ", "\u3000", "\n", "é", "e\u0301", "_", "-", "<", ">", "ab", "<a>", "日", "\u200d", "7"]
FLAGS = ("single_word", "lstrip", "rstrip")


def random_tokens(draw):
    """Token -> its flags."""
    texts = {"".join(draw.choices(SIGNS, k=draw.randint(1, 3))) for _ in range(draw.randint(1, 5))}
    return {text: AddedToken(i, *(draw.random() < 0.3 for _ in FLAGS)) for i, text in enumerate(sorted(texts))}


@pytest.mark.parametrize("seed", range(60))
def test_the_tokens_are_those_of_the_slow_search(seed):
    draw = random.Random(seed)
    tokens = random_tokens(draw)
    rules = {text.encode(): one for text, one in tokens.items()}
    found = AddedTokens(
        [(text.encode(), one.id, one.single_word, one.lstrip, one.rstrip) for text, one in tokens.items()]
    )
    for _ in range(40):
        text = "".join(draw.choices(SIGNS, k=draw.randint(0, 12)))
        data, pos, segments = text.encode(), 0, []
        for piece_id, begin, end in found.find_all(data):
            if pos < begin:
                segments.append(data[pos:begin].decode())
            segments.append(piece_id)
            pos = end
        segments += [data[pos:].decode()] if pos < len(data) else []
        expected = [
            rules[one.name.encode()].id if isinstance(one, spm_lite.Control) else one.text.decode()
            for one in specials.split(data, rules, rules)
            if isinstance(one, spm_lite.Control) or one.text
        ]
        assert segments == expected, text


def test_characters_of_words_in_ascii():
    found = AddedTokens([(b"<a>", 3, True, False, False)])
    for sign in map(chr, range(1, 128)):
        for text in (f"-<a>{sign}-", f"-{sign}<a>-"):
            assert bool(found.find_all(text.encode())) is not is_word(sign)


def test_tokens_are_values():
    found = AddedTokens([(b"ab", 3, True, False, False), (b"a", 1, False, False, True)], False)
    assert (
        pickle.loads(pickle.dumps(found)).tokens
        == found.tokens
        == ((b"a", 1, False, False, True), (b"ab", 3, True, False, False))
    )
    assert found.find_all(b"ab xab a ") == [(3, 0, 2), (1, 7, 8)]
    assert is_word("_") and is_word("\U00013549") and is_word("\u24b6") and not is_word("-")  # newer than Python's
    for text in (b"", b"a\0"):
        with pytest.raises(ModelError, match="at least 1 byte, none of them NUL"):
            AddedTokens([(text, 0, False, False, False)])


LINES = ["the cat there sat on the mat", "a b cat. a, b!", "Ångström the unk"] * 9
KINDS = ("bpe", "unigram", "char", "byte_bpe", "wordpiece", "byte")


def file_with_tokens(folder, kind, draw):
    """A tokenizer.json with added tokens that are not special."""
    tok = (
        spm_lite.train(texts=LINES, model_type=kind, vocab_size=330, hard_vocab_limit=False) if kind != "byte" else None
    )
    parts = json.loads(json_of(tok or spm_lite.byte_tokenizer()))
    first = max([*parts["model"]["vocab"].values()] if kind != "unigram" else [len(parts["model"]["vocab"]) - 1]) + 1
    for i, text in enumerate(["quiz", "Vox", " b", "<x>", "ÅN", "  ", "at\n"]):
        flags = {flag: draw.random() < 0.3 for flag in (*FLAGS, "normalized")}
        if kind == "wordpiece" and any(map(str.isspace, text)):
            flags["normalized"] = False  # BERT's normalizer puts spaces around ideographs: refused
        parts["added_tokens"].append({"id": first + i, "content": text, "special": False, **flags})
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_all_calls_find_them_as_tokenizers_does(kind, seed, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(f"{kind} {seed}")
    path = file_with_tokens(tmp_path, kind, draw)
    tok, other = spm_lite.load(path), tokenizers.Tokenizer.from_file(str(path))
    signs = ["cat", "quiz", "Vox", "the", " ", "b", "<x>", "ÅN", "a", "\n", "at", "\u3000", "._", "é", "<", "  "]
    texts, expected = [], []
    while len(texts) < 120:
        text = "".join(draw.choices(signs, k=draw.randint(0, 14)))
        try:
            expected.append(other.encode(text, add_special_tokens=False).ids)
            texts.append(text)
        except BaseException:  # a panic there where two tokens take the same white space
            continue
    assert [tok.encode(text) for text in texts] == expected
    assert tok.encode_lists(texts, num_threads=2) == expected
    assert list(tok.count_batch(texts)) == [len(ids) for ids in expected]
    assert tok.encode("\n.".join(texts) * 40) == tok.encode_lists(["\n.".join(texts) * 40])[0]
    assert [tok.encode(text, allow_special="all") for text in texts] == expected
    same = spm_lite.load(tok.to_bytes())
    assert [same.encode(text) for text in texts] == expected
    for text, ids in zip(texts[:40], expected, strict=False):
        assert len(tok.spans(text)) == len(ids) == len(tok.pieces(text))
        limit = draw.randint(0, len(ids))
        fits = [end for end in range(len(text) + 1) if len(tok.encode(text[:end])) <= limit]
        assert tok.truncate(text, limit) == text[: max(fits)]
    assert "\udcff" not in tok.normalize("a cat <x>")


@pytest.mark.parametrize("kind", ["bpe", "byte_bpe"])
def test_without_user_defined_pieces_no_token_is_found(kind, tmp_path):
    tok = spm_lite.load(file_with_tokens(tmp_path, kind, random.Random(1)))
    token = tok.piece_to_id("<x>")
    assert token in tok.encode("a <x> b") and token not in tok.encode("a <x> b", user_defined=False)


@pytest.mark.parametrize("options", [{}, {"user_defined": False}, {"allow_special": "all"}, {"allow_special": ["<x>"]}])
@pytest.mark.parametrize("kind", ["bpe", "byte_bpe"])
def test_the_byte_that_begins_marks(kind, options, tmp_path):
    """No text makes a mark, in whatever way tokens are looked for."""
    tok = spm_lite.load(file_with_tokens(tmp_path, kind, random.Random(1)))
    assert tok.encode(b"a \xfe b", **options)
    for text in (b"a \xff b", b"\xff", b"<x>\xff", b"\xff\x80\x80\x80\x80", b"a\xff\x8f\xbf\xbf\xbf"):
        with pytest.raises(TextError, match="the byte FF, which is not UTF-8"):
            tok.encode(text, **options)


def test_the_byte_that_begins_marks_where_a_pattern_cuts():
    options = {"model_type": "byte_bpe", "vocab_size": 270, "hard_vocab_limit": False, "user_defined_symbols": ["<x>"]}
    for pattern in ("llama3", "deepseek_v3"):
        tok = spm_lite.train(["a cat"] * 9, split_pattern=pattern, **options)
        for one in ({}, {"user_defined": False}, {"allow_special": "all"}):
            with pytest.raises(TextError, match="the byte FF"):
                tok.encode(b"\xff\x80\x80\x80\x80 a", **one)


def test_a_written_file_keeps_them(tmp_path):
    pytest.importorskip("tokenizers")
    tok = spm_lite.load(file_with_tokens(tmp_path, "bpe", random.Random(2)))
    tok.to_hf(tmp_path / "out")
    again = spm_lite.load(tmp_path / "out" / "tokenizer.json")
    for text in ("the cat", "a <x>  b", "at\nthe  ÅN"):
        assert again.encode(text) == tok.encode(text)
