"""A signal stops the work on one long text long before its end."""

from itertools import product

import pytest
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt
from oracle.slow import slow_after

from spm_lite import Tokenizer
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

pytestmark = pytest.mark.thread_unsafe

CALLS = {
    "encode": lambda tok, text: tok.encode(text),
    "count": lambda tok, text: tok.count(text),
    "one thread": lambda tok, text: tok.encode_batch([text], num_threads=1),
    "two threads": lambda tok, text: tok.encode_batch([text], num_threads=2),
}


@pytest.fixture(scope="module", params=["unigram", "bpe", "bpe, text as it is"])
def tok(request):
    model_type, _, as_it_is = request.param.partition(", ")
    return load(model_type, remove_extra_whitespaces=not as_it_is)


def load(model_type, **rules):
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3)]
    texts = ["pl", "ay", "play", "la", "p", "l", "a", "y", "\u2581", "\u2581play"]
    pieces += [(text.encode(), -1.0 - i / 3, 1) for i, text in enumerate(texts)]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    return Tokenizer.load(write_model(pieces, spec, NormalizerSpec(**rules)))


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(2, CALLS))
def test_long_text(tok, name):
    check(CALLS[name], tok, "lay play  " * 1_200_000)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("name", slow_after(1, CALLS))
def test_long_chunk(model_type, name):
    """A text that cannot be cut anywhere."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), ("\u2581".encode(), -9.0, 1)]
    pieces += [(b"a" * 2**k, 20.0 - k if model_type == "unigram" else -1.0 - k, 1) for k in range(4)]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    tok = Tokenizer.load(write_model(pieces, spec, NormalizerSpec()))
    check(CALLS[name], tok, "a" * (6_000_000 if model_type == "unigram" else 1_500_000))


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize("name", slow_after(1, ["encode", "count"]))
def test_text_in_one_piece(model_type, name):
    """Models whose texts are not cut."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3)]
    pieces += [(text.encode(), -1.0 - k / 3, 1) for k, text in enumerate(["pl", "ay", "p", "l", "a", "y", " "])]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    rules = NormalizerSpec(escape_whitespaces=model_type == "word", remove_extra_whitespaces=False)
    check(CALLS[name], Tokenizer.load(write_model(pieces, spec, rules)), "lay play  " * 1_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(1, ["encode", "count"]))
def test_long_rule(name):
    """One that may begin at every place, and never ends."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), (b"a", -1.0, 1)]
    spec = TrainerSpec(model_type="bpe", vocab_size=len(pieces), byte_fallback=False)
    rules = NormalizerSpec(precompiled_charsmap=compile_rules({"a" * 100_000 + "b": "c"}))
    check(CALLS[name], Tokenizer.load(write_model(pieces, spec, rules)), "a" * 12_000)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_both_threads_stop(model_type):
    """No word comes twice, so the cache tells how much was encoded."""
    words = ["".join(letters) for letters in product("play", repeat=10)]
    texts = [" ".join(words[i : i + 100]) for i in range(0, len(words), 100)]

    def work():
        return model.encode_batch(texts, num_threads=2)

    model = load(model_type)
    n_few = count_checks(lambda: model.encode_batch(texts[:1], num_threads=2))
    model = load(model_type)
    assert interrupt(work, n_few + 1) <= ON_THE_WAY_OUT
    few = model.info.cache_used
    work()
    assert few < model.info.cache_used / 2


def check(call, tok, text):
    """What half of the text comes to is done when the check there hears of a signal, and nothing after that."""
    n_few, n_half, n_all = (
        count_checks(lambda part=text[:size]: call(tok, part)) for size in (10, len(text) // 2, len(text))
    )
    if call is CALLS["two threads"]:  # how many checks the main thread comes to depends on the other one
        n_half = n_few + 1
    else:
        assert min(n_half - n_few, n_all - n_half) > ON_THE_WAY_OUT
    assert interrupt(lambda: call(tok, text), n_half) <= ON_THE_WAY_OUT
    assert tok.encode_batch([text[:500_000]], num_threads=2).to_lists() == [tok.encode(text[:500_000])]
