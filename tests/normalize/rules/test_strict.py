"""Strict models: lossless in the original library too."""

import random
from dataclasses import replace

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from spm_lite import CountTable, ModelError, OptionError, Tokenizer, train
from spm_lite.kinds import SPACE
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.normalize.rules.strict import ESCAPE, are_strict, strict_denormalizer, strict_normalizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

CORPUS = [
    "the cat  sat on the mat",
    f"a {SPACE} mark{SPACE}",
    f"{ESCAPE} and {ESCAPE}\U000f0002",
    "日本語 テキスト",
] * 9
CORPUS.append("".join(random.Random(1).choices("abcdeé漢", k=3000)))  # a long line without a space
ALPHABET = [
    "a",
    "the",
    " ",
    "  ",
    SPACE,
    ESCAPE,
    "\U000f0001",
    "\U000f0002",
    "\u2580",
    "漢",
    "é",
    "🤗",
    "\0",
    "\ufffd",
    "\n",
]
TEXTS = st.lists(st.sampled_from(ALPHABET) | st.text(max_size=3), max_size=12).map("".join)


@pytest.fixture(
    scope="module", params=[(kind, dummy) for kind in ("unigram", "bpe", "char") for dummy in (True, False)]
)
def tok(request):
    kind, dummy = request.param
    options = {"model_type": kind, "add_dummy_prefix": dummy, "vocab_size": 320, "hard_vocab_limit": False}
    return train(CORPUS, lossless="strict", **options)


@pytest.fixture(scope="module")
def original(tok):
    return sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())


@settings(deadline=None)
@given(text=TEXTS)
def test_same_ids_and_no_loss_there(tok, original, text):
    ids = tok.encode(text)
    assert ids == original.encode(text)
    assert tok.decode(ids) == text == original.decode(ids)
    stream = tok.stream()
    assert "".join(map(stream.push, ids)) + stream.flush() == text


BYTES = [b"\xf3", b"\xb0", b"\x80", b"\x81", b"\x82", b"\xe2", b"\x96", SPACE.encode(), ESCAPE.encode(), b" "]


@settings(deadline=None)
@given(
    data=TEXTS.map(str.encode) | st.binary(max_size=12) | st.lists(st.sampled_from(BYTES), max_size=14).map(b"".join)
)
def test_bytes_here(tok, data):
    ids = tok.encode(data)
    assert tok.decode_bytes(ids) == data
    stream = tok.stream(as_bytes=True)
    assert b"".join(map(stream.push, ids)) + stream.flush() == data


@settings(deadline=None)
@given(text=st.text(st.sampled_from("a \ud800\udfff\udb80\udc00" + SPACE + ESCAPE + "\U000f0002"), max_size=8))
def test_surrogates_here(tok, text):
    ids = tok.encode(text, errors="surrogatepass")
    assert tok.decode(ids, errors="surrogatepass") == text
    stream = tok.stream(errors="surrogatepass")
    assert "".join(map(stream.push, ids)) + stream.flush() == text


def test_ill_formed_bytes_are_lost_there(tok, original):
    assert original.decode(original.encode(b"a\xffb")) == "a\ufffdb"


def test_what_it_tells(tok):
    assert tok.info.is_lossless and tok.info.is_strict
    again = Tokenizer.load(tok.to_bytes())
    assert again.info.is_strict and again == tok
    assert tok.report.lossless
    assert not train(["ab"] * 9, vocab_size=265, hard_vocab_limit=False).info.is_strict


def test_rules():
    escape, unescape = dict(strict_rules(strict_normalizer())), dict(strict_rules(strict_denormalizer()))
    assert escape == {SPACE: ESCAPE + "\U000f0002", ESCAPE: ESCAPE + "\U000f0001"}
    assert unescape == {target: source for source, target in escape.items()}
    assert are_strict(replace(strict_normalizer(), add_dummy_prefix=False), strict_denormalizer())
    assert not are_strict(strict_normalizer(), None)
    assert not are_strict(NormalizerSpec(), strict_denormalizer())
    assert not are_strict(strict_normalizer(), strict_normalizer())


def strict_rules(spec):
    from spm_lite.normalize.rules.charsmap import Charsmap

    return Charsmap(spec.precompiled_charsmap).decompile()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalization": "nfkc"}, r"lossless='strict' contradicts normalization \(nfkc\)"),
        ({"denormalization": {"a": "b"}}, "lossless='strict' contradicts denormalization"),
        ({"user_defined_symbols": [ESCAPE + "x"]}, r"contradicts the symbol .* holds U\+F0000"),
        ({"user_defined_symbols": [SPACE + "x"]}, r"contradicts the symbol .*U\+2581"),
        ({"byte_fallback": False}, "contradicts byte_fallback=False"),
        ({"model_type": "word"}, "contradicts model_type='word'"),
        ({"remove_extra_whitespaces": True}, "contradicts remove_extra_whitespaces=True"),
    ],
)
def test_contradictions(options, message):
    with pytest.raises(OptionError, match=message):
        train(["ab"] * 9, **{"vocab_size": 300, "lossless": "strict", **options})


def test_counts_first():
    options = {"vocab_size": 320, "hard_vocab_limit": False, "lossless": "strict"}
    table = CountTable.count(CORPUS, lossless="strict")
    assert train(table, **options) == train(CORPUS, **options)
    with pytest.raises(OptionError, match="normalization='strict'"):
        train(table, vocab_size=320, hard_vocab_limit=False)


def test_symbols_beside_the_escapes():
    symbols = ["\U000f0001", "\U000f0002x", "<a>"]
    tok = train(CORPUS, vocab_size=330, hard_vocab_limit=False, lossless="strict", user_defined_symbols=symbols)
    original = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    rng = random.Random(5)
    for _ in range(300):
        text = "".join(rng.choices([*symbols, *ALPHABET, "x"], k=rng.randrange(9)))
        ids = tok.encode(text)
        assert tok.decode(ids) == text == original.decode(ids)
        assert original.encode(text) == ids


def test_files_that_only_say_so():
    pieces = [("<unk>", 0.0, 2), *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)), (SPACE, -1.0, 1)]
    spec = TrainerSpec(byte_fallback=True)
    assert Tokenizer.load(write_model(pieces, spec, strict_normalizer(), strict_denormalizer(), True)).info.is_strict
    assert not Tokenizer.load(write_model(pieces, spec, strict_normalizer(), strict_denormalizer())).info.is_lossless
    other = NormalizerSpec("strict", compile_rules({SPACE: "x"}), False, False, False)
    for normalizer, denormalizer, message in (
        (strict_normalizer(), None, "normalization rules"),
        (strict_normalizer(), other, "normalization rules, rules for decoded text"),
        (NormalizerSpec(), strict_denormalizer(), "rules for decoded text"),
    ):
        with pytest.raises(ModelError, match=message):
            Tokenizer.load(write_model(pieces, spec, normalizer, denormalizer, True))
    for symbol, message in ((ESCAPE, "U\\+F0000"), (f"a{SPACE}", "U\\+2581")):
        data = write_model([*pieces, (symbol, 0.0, 4)], spec, strict_normalizer(), strict_denormalizer(), True)
        with pytest.raises(ModelError, match=message):
            Tokenizer.load(data)
