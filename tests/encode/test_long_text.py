"""Texts that are normalized part by part (32,768 characters each), against the same texts segmented whole."""

import functools
import random

import numpy as np
import pytest
import sentencepiece
from oracle.random_models import WELL_FORMED, random_pieces, random_rules
from oracle.segmentation import NORMAL, UNKNOWN, USER_DEFINED
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

import spm_lite
from spm_lite import TextError
from spm_lite.normalize.rules.named_rules import charsmap_of, compile_rules

PART = 1 << 15
LETTERS = [(b"<unk>", 0.0, UNKNOWN), *((c.encode(), -2.0 - i, NORMAL) for i, c in enumerate("abc\u2581漢"))]
PIECES = [*LETTERS, (b"ab", -1.0, NORMAL), ("ab漢c".encode(), -1.5, NORMAL), ("漢c".encode(), -1.25, NORMAL)]


make_tokenizer = functools.partial(tokenizer_of, add_dummy_prefix=True)


def check(tok, *texts):
    ids = [tok._encoder.encode_text(text).ids() for text in texts]
    assert [tok.encode(text) for text in texts] == ids
    for n in (1, 2):
        assert tok.encode_batch(texts, num_threads=n).to_lists() == ids
    assert list(tok.count_batch(texts, num_threads=1)) == [tok.count(text) for text in texts] == list(map(len, ids))


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("seed", slow_after(6, range(24)))
def test_random_models(model_type, seed):
    rng = random.Random(f"{model_type} {seed}")
    pieces = random_pieces(rng, byte_fallback=bool(seed & 1))
    tok = tokenizer_of(pieces, model_type, bool(seed & 1), bool(seed & 4), add_dummy_prefix=bool(seed & 2))
    few = rng.sample([*WELL_FORMED, " ", "z", "☃", "\0"], 6)
    check(tok, "".join(rng.choices(few, k=PART + rng.randrange(2 * PART))), "".join(rng.choices("a b", k=PART + 1)))


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_chunks_across_parts(model_type):
    tok = make_tokenizer(PIECES, model_type)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    for shift in range(-6, 7):
        text = "c" * (PART + shift) + "ab漢c" * 3 + "xyz" * (PART // 3) + "ab漢c a"
        check(tok, text)
        if shift % 4 == 0:
            assert tok.encode(text) == ref.encode(text)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("length", [PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 7])
def test_sizes(model_type, length):
    """One chunk, one run of unknown characters, and no chunk of more than one character."""
    tok = make_tokenizer(PIECES, model_type)
    check(tok, ("ab漢c" * length)[:length], "é" * length, "\U0001f600" * length, " " * length, "c" * length)


def test_a_mark_in_a_late_part():
    """U+2581 is taken for a space in models that are not lossless: then parts are not copied."""
    tok = make_tokenizer(PIECES, "bpe")
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    text = "ab a\u2581b" + "abc " * PART + "a\u2581b"
    check(tok, text, text[6:])
    assert tok.encode(text) == ref.encode(text)


def test_a_mark_in_a_lossless_model():
    tok = spm_lite.train(["ab abc 漢c b"] * 9, vocab_size=300, model_type="bpe", hard_vocab_limit=False)
    text = "ab a\u2581b" + "abc " * PART + "a\u2581b"
    check(tok, text)
    assert tok.info.is_lossless and tok.decode(tok.encode(text)) == text


def test_arrays():
    tok = make_tokenizer(PIECES, "unigram")
    texts = ["ab漢c" * PART, "", "a b\U0001f600c" * PART]
    assert tok.encode_batch(np.array(texts), num_threads=1).to_lists() == [tok.encode(text) for text in texts]


def test_a_lone_surrogate_in_a_late_part():
    tok = make_tokenizer(PIECES, "bpe")
    text = "ab漢" * PART + "\ud800"
    with pytest.raises(TextError, match=f"character {3 * PART}"):
        tok.encode(text)
    with pytest.raises(TextError, match=f"text 1 of the batch .* character {3 * PART}"):
        tok.encode_batch(["ab", text])
    assert tok.encode("ab") == tok._encoder.encode_text("ab").ids()


def utf8(*texts):
    return [text.encode() for text in texts]


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("seed", slow_after(2, range(24)))
def test_random_rules(model_type, seed):
    """Parts are normalized as the whole is, wherever they end: in rules, in symbols, in spaces."""
    rng = random.Random(f"rules {model_type} {seed}")
    pieces = random_pieces(rng, byte_fallback=bool(seed & 1), ill_formed=bool(seed & 1))
    rules = random_rules(rng) if seed % 3 else b""
    flags = {"add_dummy_prefix": bool(seed & 2), "remove_extra_whitespaces": bool(seed & 8)}
    tok = tokenizer_of(pieces, model_type, bool(seed & 1), bool(seed & 4), precompiled_charsmap=rules, **flags)
    few = rng.sample([*WELL_FORMED, " ", " ", "\u2581", "\u3000", "z", "☃", "\0", "\U0001f600"], 7)
    texts = ["".join(rng.choices(few, k=PART + rng.randrange(2 * PART))) for _ in range(2)]
    check(tok, *texts, *utf8(*texts))
    ill_formed = b"".join(rng.choices([*utf8(*few), b"\xe3", b"\xe3\x81", b"\x81", b"\xff", b"\xf0\x9f"], k=2 * PART))
    check(tok, ill_formed)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("name", slow_after(1, ["nmt_nfkc", "nfkc", "nmt_nfkc_cf"]))
def test_named_rules(name, model_type):
    tok = make_tokenizer(PIECES, model_type, precompiled_charsmap=charsmap_of(name), remove_extra_whitespaces=True)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    rng = random.Random(name)
    units = [
        "a",
        "b",
        " ",
        "  ",
        "\t",
        "\u3000",
        "\u2581",
        "\u200b",
        "e\u0301",
        "\u0301",
        "ﬁ",
        "ｶﾞ",
        "ᄀ",
        "ᅡ",
        "ᆨ",
        "漢",
        "\u0344",
    ]
    texts = ["".join(rng.choices(units, k=2 * PART)) for _ in range(3)]
    check(tok, *texts, *utf8(*texts))
    assert [tok.encode(text) for text in texts] == [ref.encode(text) for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("space", slow_after(2, [" ", "\u3000", "\u2581", "\u200b"]))
@pytest.mark.parametrize("length", slow_after(2, [1, PART - 1, PART, 3 * PART + 5]))
def test_spaces_at_both_ends(space, length):
    """Those that are removed may be parts of their own, and all of the text."""
    tok = make_tokenizer(PIECES, "bpe", precompiled_charsmap=charsmap_of("nmt_nfkc"), remove_extra_whitespaces=True)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    spaces = space * length
    long = "ab漢c " * PART
    texts = [spaces, spaces + long, long + spaces, spaces + long + spaces, long + spaces + "a", spaces + "a" + spaces]
    check(tok, *texts, *utf8(*texts))
    assert [tok.encode(text) for text in texts] == [ref.encode(text) for text in texts]


@pytest.mark.parametrize("place", range(-9, 3))
def test_a_long_rule_and_a_long_symbol_across_parts(place):
    pieces = [*PIECES, (b"cabcabca", 0.0, USER_DEFINED)]
    for rules in (compile_rules({"a": "b", "abcabcab": "x", "ba": ""}), b""):
        tok = make_tokenizer(pieces, "unigram", precompiled_charsmap=rules, remove_extra_whitespaces=True)
        text = "漢" + "z" * (PART + place) + "abcabcabc abca" + "z" * (2 * PART) + "cabcabcabc"
        check(tok, text, text.replace("漢", "é"), text.encode(), text[1:])


@pytest.mark.slow
def test_a_long_symbol_and_a_rule_longer_than_half_a_part():
    symbol = b"ab" * 600
    for rules in (b"", compile_rules({"c" * 20_000: "a"})):
        pieces = [*PIECES, (symbol, 0.0, USER_DEFINED)]
        tok = make_tokenizer(pieces, "unigram", precompiled_charsmap=rules, remove_extra_whitespaces=True)
        text = "漢" + "ab" * (PART - 1) + "漢" + "ab" * PART + "c" * 21_000
        check(tok, text, text.encode(), "ab" * (PART - 1))
        assert tok.piece_to_id(symbol) in tok.encode(text)


def test_a_text_of_which_nothing_stays():
    rules = compile_rules({"x": "", "y": " "})
    tok = make_tokenizer(PIECES, "bpe", precompiled_charsmap=rules, remove_extra_whitespaces=True)
    check(tok, "x" * (3 * PART), "y" * (3 * PART), "xy" * (2 * PART), b"xy" * (2 * PART), "é" + "xy" * (2 * PART))
    assert tok.encode("x" * (3 * PART)) == tok.encode("x")
