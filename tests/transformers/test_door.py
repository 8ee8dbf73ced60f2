"""`accelerate` and its report."""

import pytest
from oracle.fast_tokenizers import KINDS, LINES, TEXTS, make, needs_transformers

import spm_lite

pytestmark = needs_transformers


@pytest.mark.parametrize("kind", KINDS)
def test_the_class_and_the_original_stay(kind):
    from spm_lite.transformers import accelerate

    original = make(kind)
    inner = original._tokenizer
    fast = accelerate(original)
    assert type(fast) is type(original)
    assert original._tokenizer is inner
    assert fast is not original
    assert accelerate(fast) is fast
    assert fast(TEXTS)["input_ids"] == original(TEXTS)["input_ids"]


@pytest.mark.parametrize("kind", KINDS)
def test_our_engine_encodes(kind):
    from spm_lite.transformers import accelerate

    fast = accelerate(make(kind))
    fast(LINES)
    ids = fast(LINES[0])["input_ids"]
    fast.decode(ids)
    found = accelerate.report(fast)
    assert found.engine == "spm_lite"
    assert found.encoded == len(LINES) + 1
    assert found.decoded == 1
    assert all(len(line) <= 80 for line in str(found).splitlines())


def test_a_tokenizer_that_is_not_read_runs_in_the_original():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from spm_lite.transformers import accelerate

    inner = Tokenizer(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    inner.pre_tokenizer = pre_tokenizers.UnicodeScripts()
    inner.add_tokens(["xyz"])
    original = PreTrainedTokenizerFast(tokenizer_object=inner)
    fast = accelerate(original)
    assert fast("a b")["input_ids"] == original("a b")["input_ids"]
    assert fast.decode([0]) == original.decode([0])
    found = accelerate.report(fast)
    assert (found.engine, found.encoded) == ("tokenizers", 0)
    assert found.refusal in str(found).replace("\n    ", " ")
    assert found.others["the tokenizer is not read"] == 1


def test_check_compares_with_the_original(monkeypatch):
    from spm_lite.transformers import accelerate, backend

    fast = accelerate(make("byte_bpe"), check="always")
    fast(TEXTS)
    monkeypatch.setattr(backend, "encode_all", lambda native, texts: [[1, 2] for _ in texts])
    with pytest.raises(AssertionError, match='other ids for the text "The quick'):
        fast(LINES[0])
    sampled = accelerate(make("byte_bpe"), check="sample")
    with pytest.raises(AssertionError, match="check='sample'"):
        sampled(LINES[:1])


def test_wrong_arguments_are_named():
    from transformers import PreTrainedTokenizerFast

    from spm_lite.transformers import accelerate

    with pytest.raises(spm_lite.ArgumentTypeError, match=r"the tokenizer is builtins\.str"):
        accelerate("gpt2")
    with pytest.raises(spm_lite.ArgumentTypeError, match="which is not accelerated"):
        accelerate.report(make("unigram"))
    with pytest.raises(spm_lite.OptionError, match="check='never' is unknown"):
        accelerate(make("unigram"), check="never")
    assert PreTrainedTokenizerFast is not None


def test_an_old_transformers_is_named(monkeypatch):
    import transformers

    from spm_lite.transformers import accelerate

    monkeypatch.setattr(transformers, "__version__", "4.30.1")
    with pytest.raises(spm_lite.OptionError, match=r"4\.30\.1 is too old.*4\.57\.6 and 5\.24\.0"):
        accelerate(None)


def test_one_thread_where_the_environment_says_so(monkeypatch):
    from spm_lite.transformers import accelerate

    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    original = make("llama")
    assert accelerate(original)(TEXTS)["input_ids"] == original(TEXTS)["input_ids"]


def test_methods_of_python_in_the_backend():
    from spm_lite.errors import ArgumentTypeError
    from spm_lite.transformers import accelerate

    class Wrapping(type(make("byte_bpe"))):
        """As the class of CLIP: its backend has a `decode` of Python."""

        def _wrap_decode_method_backend_tokenizer(self):
            inner = self.backend_tokenizer.decode
            self.backend_tokenizer.decode = lambda *ids, **options: inner(*ids, **options) + "!"

    original = Wrapping(tokenizer_object=make("byte_bpe").backend_tokenizer)
    original._wrap_decode_method_backend_tokenizer()
    fast = accelerate(original)
    fast.add_tokens(["later"])
    assert fast.decode(fast.encode("a later")) == "<s>a later!"
    assert original.decode(original.encode("a")) == "<s>a!"
    other = make("byte_bpe")
    other.backend_tokenizer.decode = len
    with pytest.raises(ArgumentTypeError, match=r"in place of its own: decode\. Accelerate it first"):
        accelerate(other)
    own = accelerate(make("byte_bpe"))
    own.backend_tokenizer.decode = lambda *_, **__: "mine"
    assert own.decode([5]) == "mine"
