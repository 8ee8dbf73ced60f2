"""Texts as a str holds them, one to four bytes a character: the same ids as their UTF-8, which does not stay."""

import random
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.interrupts import count_checks
from oracle.segmentation import BYTE, NORMAL, UNKNOWN, USER_DEFINED
from oracle.slow import slow_after

from spm_lite import ArgumentTypeError, TextError, Tokenizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

MARK = "\u2581"
ALPHABETS = ["ab \0", "aé ÿ\u0080", "aé字 \u2581\u07ff\u0800\ud7ff\ue000\uffff", "a字 \u2581😀\U00010000\U0010ffff"]
THREADS = pytest.mark.parametrize("num_threads", [1, 2, 5])


def model(symbols=(), **flags):
    """A BPE model that spells every byte; its normalizer has no rules."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((f"<0x{i:02X}>".encode(), 0.0, BYTE) for i in range(256))]
    texts = [MARK, "a", "b", "字", "é", "字a", MARK + "a"]
    pieces += [(text.encode(), -float(i), NORMAL) for i, text in enumerate(texts)]
    pieces += [(text.encode(), 0.0, USER_DEFINED) for text in symbols]
    trainer = TrainerSpec(model_type="bpe", vocab_size=len(pieces), byte_fallback=True)
    return Tokenizer.load(write_model(pieces, trainer, NormalizerSpec(**flags)))


MODELS = [
    model(remove_extra_whitespaces=False),
    model(remove_extra_whitespaces=False, add_dummy_prefix=False),
    model(remove_extra_whitespaces=True),
    model(["<a>", "b\nb"], remove_extra_whitespaces=False),  # copied in blocks, up to a symbol
    model(["字字", "😀b"], remove_extra_whitespaces=False),
]


def check(tok, texts):
    """A str, its UTF-8 and the same text inside the other become the same ids."""
    wanted = [tok._encoder.encode_text(text).ids() for text in texts]  # one text at a time, from UTF-8
    assert [tok.encode(text) for text in texts] == wanted
    assert [tok.encode(text.encode()) for text in texts] == wanted
    assert [tok.count(text) for text in texts] == list(map(len, wanted))
    assert tok.encode_batch(texts, num_threads=2).to_lists() == wanted
    assert tok.encode_batch(np.array([*texts, "x"], dtype=object)[:-1]).to_lists() == wanted
    assert [span for text in texts for span in tok.spans(text)] == list(map(tuple, tok.spans_batch(texts)[1].tolist()))


@pytest.mark.parametrize("tok", MODELS, ids=range(len(MODELS)))
@given(texts=st.lists(st.sampled_from(ALPHABETS).flatmap(lambda chars: st.text(chars, max_size=50)), max_size=5))
def test_all_widths(tok, texts):
    check(tok, texts)


@pytest.mark.parametrize("tok", MODELS, ids=range(len(MODELS)))
@pytest.mark.parametrize("alphabet", slow_after(2, ALPHABETS))
def test_rows_and_blocks(tok, alphabet):
    """ASCII goes by rows of 16 characters and blocks of 32 bytes: something else stands at each place of them."""
    rng = random.Random(alphabet)
    places = [0, 1, 15, 16, 17, 30, 31, 32, 33, 47]
    texts = ["a" * i + c + "a" * k for c in alphabet for i in places for k in (0, 3, 40)]
    texts += ["字" * i + c + "字" * k for c in (MARK, "<a>", "b\nb", "字字", " ") for i in range(24) for k in (0, 1, 9)]
    texts += ["".join(rng.choices(alphabet, k=rng.randrange(200))) for _ in range(60)]
    check(tok, texts)


@pytest.mark.parametrize("tok", MODELS[:2], ids=["prefix", "none"])
def test_long_texts(tok):
    """The bytes of a long text are counted first."""
    for text in ("aé" * 40_000, "a字" * 40_000, "a😀" * 40_000, "a" * 70_000 + "字"):
        assert tok.encode(text) == tok.encode(text.encode())


@pytest.mark.parametrize("tok", MODELS, ids=range(len(MODELS)))
def test_nothing_stays_with_a_str(tok):
    texts = ["é" * 99 + str(len(MODELS)), "字" * 99, "😀" * 99]
    sizes = list(map(sys.getsizeof, texts))
    for text in texts:
        tok.encode(text)
        tok.count(text)
    tok.encode_batch(texts)
    tok.count_batch(texts)
    tok.spans_batch(texts)
    assert list(map(sys.getsizeof, texts)) == sizes


@pytest.mark.slow
@pytest.mark.parametrize("tok", MODELS[:3], ids=range(3))
def test_an_array_that_changes_meanwhile(tok):
    """Ids of what it holds at some time: characters become longer after room was made for them."""
    texts = np.full(1, "a" * 2_000_000)
    is_done = threading.Event()

    def change():
        while not is_done.is_set():
            texts.view(np.uint32)[:] = 0x1F600
            texts.view(np.uint32)[:] = ord("a")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(10):
            assert 0 < tok.count_batch(texts)[0] <= 8_000_001
    finally:
        is_done.set()
        thread.join()


@THREADS
@pytest.mark.parametrize("place", [0, 1, 15, 16, 40, 70_000])
@pytest.mark.parametrize("rest", ["a", "字", "😀"])
def test_lone_surrogates(place, rest, num_threads):
    text = rest * place + "\udc00" + rest * 3
    for tok in MODELS[:3]:
        found = rf"holds the lone surrogate U\+DC00 at character {place}"
        with pytest.raises(TextError, match=f"the text {found}"):
            tok.encode(text)
        with pytest.raises(TextError, match=f"text 2 of the batch {found}"):
            tok.encode_batch(["a", "b" * 1000, text, "c\ud800"], num_threads=num_threads)
        with pytest.raises(TextError, match=f"text 1 of the batch {found}"):
            tok.spans_batch(["a", text], num_threads=num_threads)
        assert tok.encode("a") == tok.encode(b"a")


def test_a_wrong_text_does_not_cost_the_cache():
    tok = model(remove_extra_whitespaces=False)
    tok.encode("a 字 b")
    used = tok.info.cache_used
    for call in (tok.encode, tok.count, tok.spans, tok.pieces, lambda text: tok.encode_batch([text], num_threads=1)):
        with pytest.raises(TextError):
            call("a\udc00")
        assert tok.info.cache_used == used > 0
        assert tok.encode("a 字 b") == tok.encode("a 字 b".encode())


@pytest.mark.parametrize("seed", range(6))
@THREADS
def test_the_first_wrong_text_is_named(seed, num_threads):
    """Whichever thread comes to its wrong text first, in texts of several blocks or of one."""
    rng = random.Random(seed)
    texts = ["a b 字" * rng.randrange(400) for _ in range(rng.choice([3000, 9000]))]
    wrong = sorted(rng.sample(range(len(texts)), 3))
    for i in wrong:
        texts[i] += "\udcff"
    with pytest.raises(TextError, match=rf"^text {wrong[0]} of the batch holds the lone surrogate"):
        MODELS[0].encode_batch(texts, num_threads=num_threads)


@pytest.mark.slow
@THREADS
def test_shares_keep_their_order(num_threads):
    rng = random.Random(num_threads)
    tok = MODELS[0]
    texts = ["a 字b" * rng.choice([0, 1, 50, 900]) + str(i) for i in range(6000)]
    wanted = tok.encode_batch(texts, num_threads=1, bos=False)
    assert tok.encode_batch(texts, num_threads=num_threads) == wanted
    assert tok.encode_batch(tuple(texts), num_threads=num_threads) == wanted
    assert tok.encode_lists(texts, num_threads=num_threads) == wanted.to_lists()
    assert tok.count_batch(texts, num_threads=num_threads).tolist() == np.diff(wanted.offsets).tolist()


@pytest.mark.slow
@THREADS
def test_the_first_error_counts(num_threads):
    """An entry that is not text is found when its block is looked at, after those before it are encoded."""
    texts = ["a b 字 " * 1000 + str(i) for i in range(5000)]
    texts[4000] = None
    with pytest.raises(ArgumentTypeError, match=r"^text 4000 of the batch is NoneType"):
        MODELS[0].encode_batch(texts, num_threads=num_threads)
    texts[3200] += "\udcff"
    with pytest.raises(TextError, match=r"^text 3200 of the batch holds the lone surrogate"):
        MODELS[0].encode_batch(texts, num_threads=num_threads)


@pytest.mark.thread_unsafe
def test_a_list_that_changes_meanwhile():
    """What a block holds stays alive; that entries are missing is found at the next one."""
    texts = ["a b 字" * 200_000 + str(i) for i in range(40)]
    n_few = count_checks(lambda: MODELS[0].encode_batch(["a"], num_threads=2))
    with pytest.raises(TextError, match=r"texts had 40 entries, but has 0 before all were read"):
        count_checks(lambda: MODELS[0].encode_batch(texts, num_threads=2), n_few + 1, texts.clear)
