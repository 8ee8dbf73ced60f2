"""The spans of streamed ids against those of the whole, and against the decoded text."""

import itertools
import random

import pytest
from oracle import streams
from oracle.random_models import TYPES, random_tokenizer
from oracle.slow import slow_after

from spm_lite import Tokenizer, byte_tokenizer
from spm_lite.errors import ArgumentTypeError, IdError, OptionError


def split(rng, ids):
    """`ids` in some parts, some of them empty."""
    cuts = [0, *sorted(rng.randrange(len(ids) + 1) for _ in range(rng.randrange(5))), len(ids)]
    return [ids[begin:end] for begin, end in itertools.pairwise(cuts)]


def spans_of(stream, parts):
    """All spans. Those that wait may be returned by a copy as well."""
    spans = []
    for part in parts:
        spans += stream.push_spans(part)
        stream = stream.copy()
    return spans + stream.flush_spans()


def check(tok, ids, rng):
    raw = tok.decode(ids).encode()
    want = [(raw[begin:end].decode(), begin, end) for begin, end in tok.decode_spans(ids, unit="byte")]
    for parts in (split(rng, ids), [[i] for i in ids], ids):
        assert spans_of(tok.stream(), parts) == want
    n = rng.randrange(len(ids) + 1)
    plain, prompted = tok.stream(), tok.stream()
    head = plain.push(ids[:n])
    prompted.prime(ids[:n])
    for one in (plain, prompted):  # text that is pending belongs to the first id
        rest = spans_of(one, split(rng, ids[n:]))
        assert (head if n < len(ids) else tok.decode(ids)) + "".join(part for part, _, _ in rest) == tok.decode(ids)
        assert len(rest) == len(ids) - n
    of_bytes = spans_of(tok.stream(as_bytes=True), split(rng, ids))
    assert b"".join(part for part, _, _ in of_bytes) == tok.decode_bytes(ids)
    for spans, encoded in ((want, raw), (of_bytes, tok.decode_bytes(ids))):
        text = tok.decode(ids) if spans is want else encoded
        stops = [text[i : i + rng.randrange(1, 4)] for i in rng.choices(range(len(text)), k=2)] if text else []
        if not stops:
            continue
        cut = streams.cut(text, stops)
        n = len(cut if spans is of_bytes else cut.encode())
        stopped = spans_of(tok.stream(as_bytes=spans is of_bytes, stop=stops), split(rng, ids))
        assert [row[1:] for row in stopped] == [(min(begin, n), min(end, n)) for _, begin, end in spans]
        assert type(cut)().join(row[0] for row in stopped) == cut


@pytest.mark.parametrize("seed", slow_after(40, range(1000)))
def test_any_ids_of_any_model(seed):
    """Models with rules for the decoded text, ill-formed pieces and byte pieces are among them."""
    rng = random.Random(seed)
    tok = random_tokenizer(rng, rng.choice(TYPES))
    common = [i for i in range(tok.vocab_size) if tok.piece_type(i) != "byte"]
    for _ in range(10):
        kinds = [common if rng.random() < 0.8 else range(tok.vocab_size) for _ in range(rng.randrange(14))]
        check(tok, [rng.choice(ids) for ids in kinds], rng)


@pytest.mark.parametrize("name", ["models/llama2.model", "models/t5_base.model", "interop/gpt2.vocab.json"])
def test_real_models(name, shared_data):
    rng = random.Random(name)
    tok = Tokenizer.load(shared_data / name)
    for text in ("Hello, wörld! 日本語 🤗 ", " a\n\tb  c", "e\u0301 👩‍👩‍👧 \ufffd"):
        ids = tok.encode(text)
        check(tok, ids, rng)
        check(tok, rng.choices(ids, k=30), rng)
        check(tok, [rng.randrange(tok.vocab_size) for _ in range(30)], rng)


def test_ids_wait_until_their_text_is_certain():
    tok = byte_tokenizer()
    stream = tok.stream()
    first, last = tok.encode("é")
    assert stream.push_spans(tok.encode("a")) == [("a", 0, 1)]
    assert stream.push_spans(first) == []
    assert stream.push_spans([last, first]) == [("", 1, 1), ("é", 1, 3)]
    assert stream.push_spans(tok.encode("b")) == [("\ufffd", 3, 6), ("b", 6, 7)]
    assert stream.push_spans(first) == []
    assert stream.flush_spans() == [("\ufffd", 7, 10)]
    assert stream.flush_spans() == []
    assert stream.push_spans(tok.encode("c")) == [("c", 0, 1)]


def test_ids_wait_while_a_stop_string_may_come():
    tok = byte_tokenizer()
    stream = tok.stream(stop=["</s>"])
    a, open_, slash, s, close = tok.encode("a</s>")
    assert stream.push_spans([a, open_, slash]) == [("a", 0, 1)]
    assert stream.push_spans(a) == [("<", 1, 2), ("/", 2, 3), ("a", 3, 4)]
    assert stream.push_spans([open_, slash, s]) == []
    assert stream.push_spans([close, a]) == [("", 4, 4)] * 5
    assert stream.stopped == "</s>"
    assert stream.push_spans(a) == [("", 4, 4)]
    assert stream.flush_spans() == []
    assert stream.stopped == "</s>"


def test_flush_returns_text_without_spans():
    tok = byte_tokenizer()
    stream = tok.stream(stop="bc")
    assert stream.push_spans(tok.encode("ab")) == [("a", 0, 1)]
    assert stream.flush() == "b"
    assert stream.push(tok.encode("a")) == "a"


def test_one_way_for_a_text():
    tok = byte_tokenizer()
    (a,) = tok.encode("a")
    stream = tok.stream()
    stream.push_spans(a)
    for call in (stream.push, stream.push_many):
        with pytest.raises(OptionError, match="push after push_spans: take push_spans for all ids of a text"):
            call([a])
    with pytest.raises(OptionError, match="prime after push"):
        stream.prime([a])
    stream.flush()
    stream.prime([a])
    assert stream.push(a) == "a"
    assert stream.push_spans(a) == [("a", 0, 1)]  # offsets count from here


def test_bad_ids_change_nothing():
    tok = byte_tokenizer()
    stream = tok.stream()
    first, last = tok.encode("é")
    assert stream.push_spans(first) == []
    for bad in (-1, [last, 10**6], [last, "a"], "a", None, 1.5):
        with pytest.raises((IdError, ArgumentTypeError)):
            stream.push_spans(bad)
    assert stream.push_spans(last) == [("", 0, 0), ("é", 0, 2)]
    stream = tok.stream()
    with pytest.raises(IdError):
        stream.push_spans([first, 10**6])
    assert stream.push([first, last]) == "é"  # no text with spans has begun
