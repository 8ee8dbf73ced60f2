"""Texts that are so long that several threads encode them together: the same ids as on one."""

import functools
import random

import pytest
import sentencepiece
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt
from oracle.random_models import WELL_FORMED, random_pieces, random_rules
from oracle.segmentation import CONTROL, NORMAL, UNKNOWN
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

from spm_lite import TextError, Tokenizer
from spm_lite.encode.segment import segmenter
from spm_lite.normalize.rules.named_rules import compile_rules

LONG = 1 << 20  # bytes


make_tokenizer = functools.partial(tokenizer_of, add_dummy_prefix=True)


def check(tok, text):
    ids = tok.encode(text)
    for n in (2, 3, 5):
        assert tok.encode_batch([text], num_threads=n).to_lists() == [ids]
    texts = ["a", text, "", text[: len(text) // 9], text]
    wanted = [tok.encode("a"), ids, [], tok.encode(texts[3]), ids]
    assert tok.encode_batch(texts, num_threads=2).to_lists() == wanted
    for n in (1, 3):
        assert tok.encode_lists(texts, num_threads=n) == wanted
    assert list(tok.count_batch([text, "a", text], num_threads=3)) == [len(ids), len(tok.encode("a")), len(ids)]
    return ids


def random_text(rng, units):
    return "".join(rng.choices(units, k=LONG + rng.randrange(LONG // 9)))


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("seed", slow_after(2, range(12)))
def test_random_models(model_type, seed):
    """Known and unknown characters, ties, byte fallback, symbols, rules; str and bytes."""
    rng = random.Random(f"shared {model_type} {seed}")
    pieces = random_pieces(rng, byte_fallback=bool(seed & 1))
    rules = random_rules(rng) if seed % 3 == 0 else b""
    tok = make_tokenizer(
        pieces, model_type, bool(seed & 1), precompiled_charsmap=rules, remove_extra_whitespaces=bool(seed & 2)
    )
    text = random_text(rng, rng.sample([*WELL_FORMED, " ", "z", "☃", "\0"], 6))
    ids = check(tok, text.encode() if seed & 4 else text)
    framed = [[tok.bos_id, *ids, tok.eos_id]]
    assert tok.encode_batch([text], bos=True, eos=True, num_threads=2).to_lists() == framed
    assert tok.encode_lists([text], bos=True, eos=True, num_threads=2) == framed


@pytest.mark.slow
@pytest.mark.parametrize("model_type", slow_after(1, ["unigram", "bpe"]))
def test_threads_that_learn_from_each_other(model_type):
    """Each has met thousands of chunks that the others have not: unknown, long, near ties, of many ids."""
    rng = random.Random(f"learning {model_type}")
    pairs = [f"{i:02}".encode() for i in range(100)]  # so that a number is a chunk
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((pair, -rng.randrange(1, 9) / 2, NORMAL) for pair in pairs)]
    pieces += [(b"%d" % i, -4.0, NORMAL) for i in range(9)]  # 9 is unknown by itself
    tok = make_tokenizer(pieces, model_type)
    texts = [" ".join(str(rng.randrange(10 ** rng.randrange(3, 40))) for _ in range(9)) for _ in range(20_000)]
    wanted = tok.encode_lists(texts, num_threads=1)
    processor = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    assert wanted[:2000] == processor.encode(texts[:2000])
    for n in (2, 3, 4, 5):
        tok.clear_cache()
        assert tok.encode_lists(texts[:10_000], num_threads=n) == wanted[:10_000]
        assert tok.encode_lists(texts, num_threads=n) == wanted
        assert tok.encode_lists(texts[::-1], num_threads=n) == wanted[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", slow_after(2, range(8)))
def test_near_ties(seed):
    """Of two paths that differ by rounding only, the sum of the scores in front decides, rescaled now and then."""
    rng = random.Random(f"ties {seed}")
    step = rng.choice([0.1, 0.3, 1 / 3, 0.7])
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((c.encode(), -step * rng.randrange(9, 60), NORMAL) for c in "abc\u2581")]
    score = {text: score for text, score, _ in pieces}
    for text in (b"ab", b"bc", b"ca", b"aa", b"abc"):
        together = sum(score[text[k : k + 1]] for k in range(len(text)))
        pieces.append((text, together + rng.choice([0.0, 0.0, 1e-6, -1e-5, 1e-3]), NORMAL))
    tok = make_tokenizer(pieces, "unigram")
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    text = random_text(rng, ["a", "b", "c", "abc", " ", "x"][: rng.randrange(5, 7)])
    assert check(tok, text) == ref.encode(text)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize(
    "text", slow_after(1, ["a" * LONG, "é" * LONG, " " * LONG, "a" * LONG + "é" * LONG, "ab é" * (LONG // 4)])
)
@pytest.mark.parametrize("byte_fallback", slow_after(1, [False, True]))
def test_runs(model_type, text, byte_fallback):
    """One chunk, and one run of unknown characters, over all parts."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((c, -1.0 - k, NORMAL) for k, c in enumerate([b"a", b"b", b"aa", b"a" * 8]))]
    pieces += [(b"<0x%02X>" % byte, 0.0, 6) for byte in range(256)] * byte_fallback
    check(make_tokenizer(pieces, model_type, byte_fallback), text)


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.parametrize("cache_bytes", slow_after(1, [0, 3_000_000]))
def test_without_a_cache(cache_bytes):
    rng = random.Random(3)
    pieces = random_pieces(rng, byte_fallback=False)
    tok = Tokenizer.load(make_tokenizer(pieces, "unigram").to_bytes(), cache_bytes=cache_bytes)
    check(tok, random_text(rng, ["a", "b", "c", " ", "é", "ab"]))


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, LONG // 2, LONG])
def test_what_has_no_utf8_is_named(place):
    tok = make_tokenizer([(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL)], "unigram")
    text = "a b" * LONG
    with pytest.raises(TextError, match=f"text 1 of the batch .* character {place}"):
        tok.encode_batch(["a", text[:place] + "\ud800" + text[place:]], num_threads=3)
    check(tok, text[:LONG])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_first_wrong_text_is_named(seed):
    """Of many wrong ones, of several kinds, and whoever comes to one first."""
    rng = random.Random(seed)
    tok = make_tokenizer([(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL)], "unigram")
    many = "a" * 600_000 + ("\ud800" + "a" * 20_000) * 40
    texts = ["a" * 50_000] * 2 + [many, 5, "\ud800", "a" * 300_000, None]
    for _ in range(30):
        with pytest.raises(TextError, match=r"text 2 of the batch .* character 600000,"):
            tok.encode_batch(texts, num_threads=8)
    texts = ["a" * rng.randrange(9, 99)] * rng.randrange(2000, 9000) + rng.sample(["\ud800", 5, None, many], 4)
    texts += ["a"] * 9000
    messages = set()
    for n in (1, 2, 3, 8):
        with pytest.raises((TextError, TypeError)) as info:
            tok.encode_batch(texts, num_threads=n)
        messages.add(str(info.value))
        with pytest.raises((TextError, TypeError)) as info:
            tok.encode_lists(texts, num_threads=n)
        messages.add(str(info.value))
    assert len(messages) == 1


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_a_text_that_cannot_come_in_parts_after_all(model_type):
    """A rule that could make it longer than a text may be, if all that is left of it were that rule."""
    rules = compile_rules({"x": "y" * ((2**31 - 3_000_000) // 32_800)})
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((c, -1.0 - k, NORMAL) for k, c in enumerate([b"a", b"b", b"ab", b"y"]))]
    pieces += [(b"<s>", 0.0, CONTROL), (b"</s>", 0.0, CONTROL)]
    tok = make_tokenizer(pieces, model_type, precompiled_charsmap=rules)
    text = "ab b " * 1_000_000
    ids = tok.encode(text)
    few = tok.encode("ab")
    for n in (2, 5):
        texts = ["ab", text, "ab", text.encode()]
        framed = [[tok.bos_id, *found, tok.eos_id] for found in (few, ids, few, ids)]
        assert tok.encode_batch(texts, bos=True, eos=True, num_threads=n).to_lists() == framed
        assert tok.encode_lists(texts, bos=True, eos=True, num_threads=n) == framed
        assert list(tok.count_batch(["ab", text, "ab"], num_threads=n)) == [len(few), len(ids), len(few)]


@pytest.mark.slow
@pytest.mark.thread_unsafe
@pytest.mark.long_input
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_signals_are_heard_while_another_thread_works(model_type, monkeypatch):
    """One chunk, which only one thread can encode, and it may not be the main thread. Sooner or later it is not."""
    n_given_up = 0

    class Stopped(segmenter.Stopped):
        def __init__(self):
            nonlocal n_given_up
            n_given_up += 1

    monkeypatch.setattr(segmenter, "Stopped", Stopped)
    pieces = [(b"<unk>", 0.0, UNKNOWN), ("\u2581".encode(), -9.0, NORMAL), (b"b", -1.0, NORMAL)]
    pieces += [(b"a" * 2**k, 20.0 - k if model_type == "unigram" else -1.0 - k, NORMAL) for k in range(4)]
    tok = make_tokenizer(pieces, model_type)
    texts = ["b " * 100_000] * 3 + ["a" * 25_000_000]
    n_calls = 0
    while n_calls < 6 or (n_given_up == 0 and n_calls < 80):
        call = (tok.encode_batch, tok.encode_lists)[n_calls % 2]
        n_few = count_checks(lambda call=call: call(texts[:1], num_threads=2))
        assert interrupt(lambda call=call: call(texts, num_threads=2), n_few + 1) <= ON_THE_WAY_OUT
        n_calls += 1
    assert n_given_up > 0


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.parametrize("seed", slow_after(1, range(6)))
def test_scores_that_are_soon_too_large(seed):
    """The sum is rescaled many times in each part, between unknown characters too."""
    rng = random.Random(f"large {seed}")
    byte_fallback = bool(seed & 1)
    pieces = random_pieces(rng, byte_fallback=byte_fallback)
    factor = rng.choice([30.0, 1000.0, 9000.0, 40000.0])
    pieces = [(text, score * factor if kind == NORMAL else score, kind) for text, score, kind in pieces]
    tok = make_tokenizer(pieces, "unigram", byte_fallback)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    text = random_text(rng, rng.sample([*WELL_FORMED, " ", "z", "☃", "ab"], 6))
    assert check(tok, text) == ref.encode(text)
