"""A signal stops the work on one long text long before its end."""

import time

import pytest
from oracle.interrupts import interrupt, needs_timer

from spm_lite import Tokenizer
from spm_lite.model.model_writer import write_model
from spm_lite.normalize.rules.named import compile_rules
from spm_lite.specs import NormalizerSpec, TrainerSpec

pytestmark = [
    needs_timer,
    pytest.mark.thread_unsafe,
]

CALLS = {
    "encode": lambda tok, text: tok.encode(text),
    "count": lambda tok, text: tok.count(text),
    "one thread": lambda tok, text: tok.encode_batch([text], num_threads=1),
    "two threads": lambda tok, text: tok.encode_batch([text], num_threads=2),
}


@pytest.fixture(scope="module", params=["unigram", "bpe", "bpe, text as it is"])
def tok(request):
    model_type, _, as_it_is = request.param.partition(", ")
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3)]
    texts = ["pl", "ay", "play", "la", "p", "l", "a", "y", "\u2581", "\u2581play"]
    pieces += [(text.encode(), -1.0 - i / 3, 1) for i, text in enumerate(texts)]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    return Tokenizer.load(write_model(pieces, spec, NormalizerSpec(remove_extra_whitespaces=not as_it_is)))


@pytest.mark.parametrize("name", CALLS)
def test_long_text(tok, name):
    check(CALLS[name], tok, "lay play  " * 2_500_000)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("name", CALLS)
def test_long_chunk(model_type, name):
    """A text that cannot be cut anywhere."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), ("\u2581".encode(), -9.0, 1)]
    pieces += [(b"a" * 2**k, 20.0 - k if model_type == "unigram" else -1.0 - k, 1) for k in range(4)]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    tok = Tokenizer.load(write_model(pieces, spec, NormalizerSpec()))
    check(CALLS[name], tok, "a" * (12_000_000 if model_type == "unigram" else 3_000_000))


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize("name", ["encode", "count"])
def test_text_in_one_piece(model_type, name):
    """Models whose texts are not cut."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3)]
    pieces += [(text.encode(), -1.0 - k / 3, 1) for k, text in enumerate(["pl", "ay", "p", "l", "a", "y", " "])]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    rules = NormalizerSpec(escape_whitespaces=model_type == "word", remove_extra_whitespaces=False)
    check(CALLS[name], Tokenizer.load(write_model(pieces, spec, rules)), "lay play  " * 1_500_000)


@pytest.mark.parametrize("name", ["encode", "count"])
def test_long_rule(name):
    """One that may begin at every place, and never ends."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), (b"a", -1.0, 1)]
    spec = TrainerSpec(model_type="bpe", vocab_size=len(pieces), byte_fallback=False)
    rules = NormalizerSpec(precompiled_charsmap=compile_rules({"a" * 100_000 + "b": "c"}))
    check(CALLS[name], Tokenizer.load(write_model(pieces, spec, rules)), "a" * 12_000)


def check(call, tok, text):
    call(tok, text)  # the first time takes longer
    begin = time.process_time()
    call(tok, text)
    whole = time.process_time() - begin
    assert interrupt(lambda: call(tok, text), whole / 5) < 0.7 * whole
    assert tok.encode_batch([text[:2_000_000]], num_threads=2).to_lists() == [tok.encode(text[:2_000_000])]
