"""The prefix cache gives the ids of `encode`, whatever it has seen, and stays within its memory."""

import pickle
import random
import threading

import numpy as np
import pytest
from oracle.growing_texts import text_of
from tokenizer.test_growing_text import LINES, OPTIONS

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError, TextError


@pytest.fixture(scope="module", params=["unigram", "bpe", "nfc", "spaces", "byte_bpe", "wordpiece", "word"])
def tok(request):
    return spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS[request.param])


def long_text(rng, n):
    return "".join(text_of(rng) + " " for _ in range(n))


def test_texts_that_begin_alike(tok):
    rng = random.Random(1)
    cache = tok.prefix_cache()
    texts = [long_text(rng, 600)]
    for _ in range(40):
        old = rng.choice(texts)
        texts.append(old[: rng.randrange(len(old) + 1)] + long_text(rng, rng.randrange(200)))
        ids = cache.encode(texts[-1])
        assert ids.dtype == np.int32
        assert ids.tolist() == tok.encode(texts[-1])
    if cache.helps:
        assert 0 < cache.info.known < cache.info.read
    cache.clear()
    assert cache.info.used == 0
    assert cache.encode(texts[3]).tolist() == tok.encode(texts[3])


@pytest.mark.parametrize("signs", ["ab c", "ab cé", "ab c東", "ab c東🌍"])
def test_all_forms_of_a_str(tok, signs):
    rng = random.Random(2)
    cache = tok.prefix_cache()
    text = "".join(rng.choices(signs, k=9000))
    for end in (9000, 4000, 8192, 9000, 2048, 2049, 1, 0):
        assert cache.encode(text[:end]).tolist() == tok.encode(text[:end])
    assert cache.encode(text + "🌍").tolist() == tok.encode(text + "🌍")


def test_options_are_known_apart():
    tok = spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS["symbols"])
    cache = tok.prefix_cache()
    text = "<sep> the cat 1234567 " * 400
    for options in ({}, {"prefix_space": False}, {"user_defined": False}, {}):
        assert cache.encode(text, **options).tolist() == tok.encode(text, **options)


def test_memory_is_bounded():
    tok = spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS["bpe"])
    cache = tok.prefix_cache(max_bytes=100_000)
    rng = random.Random(3)
    kept = long_text(rng, 300)
    for _ in range(60):
        assert cache.encode(kept).tolist() == tok.encode(kept)
        text = long_text(rng, 400)
        assert cache.encode(text).tolist() == tok.encode(text)
        assert cache.info.used <= 100_000
    with pytest.raises(OptionError, match="max_bytes=5 is not between"):
        tok.prefix_cache(5)


def test_wrong_texts_and_pickles():
    tok = spm_lite.byte_tokenizer()
    cache = tok.prefix_cache()
    long = "a" * 5000
    cache.encode(long)
    with pytest.raises(TextError, match="5000"):
        cache.encode(long + "\ud800")
    with pytest.raises(ArgumentTypeError, match="text is bytes"):
        cache.encode(b"a")
    again = pickle.loads(pickle.dumps(cache))
    assert again.info.used == 0 and again.encode("ab").tolist() == tok.encode("ab")


def test_threads_share_it(tok):
    cache = tok.prefix_cache(max_bytes=300_000)
    rng = random.Random(4)
    base = long_text(rng, 500)
    texts = [base[: rng.randrange(len(base))] + long_text(rng, 60) for _ in range(60)]
    wanted = [tok.encode(text) for text in texts]
    wrong = []

    def go(seed):
        own = random.Random(seed)
        for _ in range(60):
            i = own.randrange(len(texts))
            if cache.encode(texts[i]).tolist() != wanted[i]:
                wrong.append(i)

    threads = [threading.Thread(target=go, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("part", ["abcdefghij", " ", "e\u0301"])
def test_an_endless_word_takes_little_memory(part):
    tok = spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS["nfkc"])
    rng = random.Random(5)
    text = "".join(rng.choices(part, k=60_000)) if len(part) > 2 else part * 30_000
    cache = tok.prefix_cache(max_bytes=1_000_000)
    assert cache.encode(text).tolist() == tok.encode(text)
    assert cache.encode(text + " end").tolist() == tok.encode(text + " end")
    assert cache.info.used < 400_000
    growing = tok.growing(text)
    growing.append(" end")
    assert growing.ids.tolist() == tok.encode(text + " end")
