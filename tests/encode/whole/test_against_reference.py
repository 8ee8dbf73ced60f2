"""Ids, pieces, places and decoded text against the sentencepiece wheel: real models and random small ones."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.random_models import random_pieces, random_text
from oracle.slow import slow_after

from spm_lite import Tokenizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

sentencepiece = pytest.importorskip("sentencepiece")

TYPES = ["unigram", "bpe", "char", "word"]
CHARACTERS = (
    " \u2581\u3000\t\n\0aàAbe\u0301\u0323xthing0９①ﬁ㍿ﾊﾟ漢字日本語のテスト한국ᄒ\u1161\u11ab"
    "ภาษาไทย\u0e49\u0e33עבריתالعربية\u200d👩👧🏽️🇯🇵\u200b\ufeff\ufffd\u0378\U0010ffff<>[]s/"
)
TEXTS = st.one_of(
    st.text(st.sampled_from(CHARACTERS), max_size=40),
    st.text(max_size=20),
    st.lists(
        st.sampled_from([c.encode() for c in CHARACTERS] + [b"\xe2\x96", b"\xff", b"\xc0", b"\xed\xa0\x80"]),
        max_size=20,
    ).map(b"".join),
)


def compare(tok, ref, text):
    """Everything about one text."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    text = text if isinstance(text, bytes) else data.decode()
    ids = ref.encode(text, out_type=int)
    assert tok.encode(text) == ids
    assert tok.encode_batch([text, text], num_threads=2).to_lists() == [ids, ids]
    assert tok.encode_lists([text, text], num_threads=1) == [ids, ids]
    places = ref.encode(data, out_type="offset_mapping")
    encoded = tok._encoder.encode_text(text)
    assert encoded.pieces() == places["pieces"]
    assert encoded.ids() == places["ids"]
    assert encoded.byte_offsets() == places["offsets"]
    assert tok.normalize(text).encode("utf-8", "surrogateescape") == ref.normalize(data)
    assert tok._decoder.decode_bytes(ids, False) == ref.decode(ids, out_type=bytes)


@pytest.fixture(scope="module")
def real_models(shared_data):
    loaded = {}

    def load(name):
        if name not in loaded:
            path = str(shared_data / "models" / f"{name}.model")
            loaded[name] = Tokenizer.load(path), sentencepiece.SentencePieceProcessor(model_file=path)
        return loaded[name]

    return load


REAL = [
    "google_test_model", "google_test_ja_model", "t5_base", "nai_t5_32k", "wikipedia_prime_unigram_16k",
    "llama2", "nerdstash_bpe_65k", "kspon_ko_bpe_5k", "tfasr_vi_bpe_1k", "kerashub_phi3_bpe_tiny",
    "speechlm_char_en_de", "kerashub_word_tiny",
]  # fmt: skip


@pytest.mark.parametrize("name", REAL)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_real_models(real_models, name, text):
    compare(*real_models(name), text)


@pytest.mark.parametrize("name", REAL)
def test_long_repeats_in_real_models(real_models, name):
    tok, ref = real_models(name)
    for unit, count in (("a", 30_000), (" ", 20_000), ("\u2581", 9_000), ("the cat 日本 ", 3_000), ("-", 20_000)):
        assert tok.encode(unit * count) == ref.encode(unit * count)


@pytest.mark.parametrize("ill_formed", [False, True])
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", slow_after(80, range(25)))
def test_random_models(model_type, seed, ill_formed):
    """Ties, UNUSED, USER_DEFINED, CONTROL, byte fallback, no unknown piece, all flags, ill-formed pieces."""
    rng = random.Random(f"{model_type} {seed} {ill_formed}")
    byte_fallback = rng.random() < 0.5
    pieces = random_pieces(rng, byte_fallback, ill_formed=ill_formed, space=rng.random() < 0.3)
    trainer = TrainerSpec(
        model_type=model_type,
        vocab_size=len(pieces),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=rng.random() < 0.3,
        unk_surface=rng.choice([" \u2047 ", "", "?", "\u2581"]),
    )
    normalizer = NormalizerSpec(
        add_dummy_prefix=rng.random() < 0.5,
        remove_extra_whitespaces=rng.random() < 0.5,
        escape_whitespaces=rng.random() < 0.8,
    )
    data = write_model(pieces, trainer, normalizer)
    tok, ref = Tokenizer.load(data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for _ in range(25):
        text = random_text(rng, ill_formed, rng.choice([b" ", b"  ", "\u2581".encode()]))
        compare(tok, ref, text)
        ids = rng.choices(range(len(pieces)), k=rng.randrange(10))
        assert tok._decoder.decode_bytes(ids, False) == ref.decode(ids, out_type=bytes)


def test_bonus_of_user_defined_symbols_counts_bytes_of_the_model():
    for score in (-0.05, 0.05, 0.35, 0.45):
        pieces = [(b"<unk>", 0.0, 2), ("\u2581".encode(), -1.0, 1), (b"a", 0.0, 1)]
        pieces += [("\u2581a".encode(), 0.0, 4), ("a\u2581a".encode(), score, 1), (b"b", -9.0, 1)]
        data = write_model(pieces, TrainerSpec(vocab_size=6, byte_fallback=False), NormalizerSpec())
        tok, ref = Tokenizer.load(data), sentencepiece.SentencePieceProcessor(model_proto=data)
        for text in ("a a", "a a a a", "b a", "ba aa"):
            compare(tok, ref, text)
