"""Spans of ids: against sentencepiece, and against the pieces with their byte offsets."""

import random

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.places import in_units
from oracle.random_models import TYPES, random_text, random_tokenizer
from oracle.slow import slow_after

import spm_lite
from spm_lite import ArgumentTypeError, OptionError, Tokenizer

UNITS = ["char", "byte", "utf16"]
MODELS = ["t5_base.model", "llama2.model", "tfasr_vi_bpe_1k.model", "google_test_ja_model.model", "albert_30k.model"]
SOME_MODELS = [*MODELS, "nerdstash_bpe_65k.model", "wikipedia_default_bpe_16k.model", "speechlm_char_en_de.model"]
CORPORA = ["en-tweets.txt", "hi-commonvoice.txt", "ja-wagahaiwa_nekodearu.txt", "th-wisesight-social.txt"]
TEXTS = [
    "",
    " ",
    "a",
    "  two  words  ",
    "株式会社㍿ ①② ﾊﾟｲ",
    "e\u0301 \U0001d552 👩\u200d💻 日本",
    "\x07a\x07b\x07",
    "\u200bx\u200b \u2581 \u3000",
    "über 10 €\n\tb",
]


@pytest.fixture(scope="module", params=MODELS)
def model(request, shared_data):
    data = (shared_data / "models" / request.param).read_bytes()
    return Tokenizer.load(data), sentencepiece.SentencePieceProcessor(model_proto=data)


def check(tok, text):
    """What holds for every model, and the units against each other."""
    raw = text.encode() if isinstance(text, str) else text
    ids = tok.encode(text)
    byte_spans = tok.spans(text, unit="byte")
    assert byte_spans == tok._encoder.encode_text(text).byte_offsets()
    assert len(byte_spans) == len(ids)
    places = [place for span in byte_spans for place in span]
    assert places == sorted(places)
    assert places[1:-1:2] == places[2::2]
    for unit in UNITS:
        spans = tok.spans(text, unit=unit)
        assert spans == [(in_units(raw, b, unit), in_units(raw, e, unit)) for b, e in byte_spans]
        batch, rows = tok.spans_batch([text, raw, text], unit=unit, num_threads=2)
        assert batch == tok.encode_batch([text, raw, text])
        assert rows.dtype == np.int32
        assert rows.tolist() == [list(span) for span in spans] * 3
    assert tok.spans(text) == tok.spans(text, unit="char" if isinstance(text, str) else "byte")


@pytest.mark.parametrize("text", TEXTS)
def test_real_models(model, text):
    tok, ref = model
    check(tok, text)
    mapping = ref.encode(text, return_type="offset_mapping")["offsets"]
    assert tok.spans(text) == [tuple(span) for span in mapping]
    assert tok.spans(text.encode(), unit="char") == tok.spans(text)


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(st.one_of(st.sampled_from(" \u2581ab日か\u3099👩\u200d\0"), st.characters(exclude_categories=["Cs"]))))
def test_any_text(model, text):
    check(model[0], text)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=4), st.text(max_size=3).map(str.encode))).map(b"".join))
def test_any_bytes(model, data):
    check(model[0], data)


@pytest.mark.parametrize("seed", range(200))
def test_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    texts = []
    for _ in range(10):
        text = random_text(rng, rng.random() < 0.3, rng.choice([b" ", b"  ", "\u2581".encode()]))
        spans = tok.spans(text)
        assert spans == tok._encoder.encode_text(text).byte_offsets()
        assert len(spans) == len(tok.encode(text))
        assert tok.spans(text, unit="utf16") == [tuple(in_units(text, k, "utf16") for k in s) for s in spans]
        texts.append(text)
    check_batch(tok, texts * 3)


def check_batch(tok, texts):
    """The spans of a batch come from the chunk cache, those of a short text from its segmentation as a whole."""
    batch, rows = tok.spans_batch(texts, num_threads=1)
    assert batch == tok.encode_batch(texts)
    assert rows.tolist() == [list(span) for text in texts for span in tok.spans(text)]


@pytest.mark.parametrize(
    ("name", "corpus"),
    slow_after(6, [(name, corpus) for corpus in CORPORA for name in SOME_MODELS], are_rows=True),
)
def test_corpora(shared_data, name, corpus):
    tok = Tokenizer.load(shared_data / "models" / name)
    lines = (shared_data / "corpora" / corpus).read_bytes().decode().split("\n")[:1500]
    check_batch(tok, lines)
    whole = " ".join(lines)
    assert tok.spans(whole) == tok._encoder.encode_text(whole).char_offsets()  # a long text comes from the cache too


@pytest.mark.parametrize("model_type", ["byte_bpe", "wordpiece", "byte"])
def test_families(model_type):
    texts = ["the cat sat on the mat", "über  10 €", "", " ", "日本 cat", "zzz the zzz"] * 3
    tok = (
        spm_lite.byte_tokenizer()
        if model_type == "byte"
        else spm_lite.train(texts, model_type=model_type, vocab_size=300, hard_vocab_limit=False)
    )
    check_batch(tok, texts)


def test_batches_do_not_depend_on_threads(model):
    tok, _ = model
    texts = [text * k for k in (1, 700) for text in TEXTS]
    batch, rows = tok.spans_batch(texts, num_threads=1)
    for num_threads in (2, 5, None):
        other, same = tok.spans_batch(iter(texts), num_threads=num_threads)
        assert other == batch
        assert (same == rows).all()
    for i, text in enumerate(texts):
        own = rows[batch.offsets[i] : batch.offsets[i + 1]]
        assert own.tolist() == [list(span) for span in tok.spans(text)]


def test_nothing_to_span(model):
    batch, rows = model[0].spans_batch([])
    assert (len(batch), rows.shape, rows.dtype) == (0, (0, 2), np.int32)


@pytest.mark.parametrize("call", ["spans", "spans_batch"])
def test_bad_arguments(model, call):
    tok, _ = model
    text = "a" if call == "spans" else ["a"]
    for unit in ("bytes", "", 1, True, b"char", []):
        with pytest.raises(OptionError, match="unit"):
            getattr(tok, call)(text, unit=unit)
    with pytest.raises(spm_lite.TextError, match="lone surrogate"):
        getattr(tok, call)("\ud800" if call == "spans" else ["\ud800"])
    with pytest.raises(ArgumentTypeError):
        getattr(tok, call)(None)
    with pytest.raises(OptionError, match="both kinds"):
        tok.spans_batch(["a", b"a"])


@pytest.mark.slow
def test_linear_time(model):
    """Were it not, this would take hours."""
    for text in ("a" * 2_000_000, "\U0001f469" * 200_000, " " * 1_000_000):
        spans = model[0].spans(text)
        assert not spans or spans[-1][1] == len(text)
