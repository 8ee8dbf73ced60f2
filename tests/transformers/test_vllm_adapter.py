"""vLLM's detokenizer over accelerated tokenizers: as over the originals. Its own classes run where it is installed."""

import random
import sys
from types import ModuleType, SimpleNamespace

import pytest
from oracle import servers
from oracle.fast_tokenizers import KINDS, LINES, make, needs_transformers
from oracle.slow import slow_after

from spm_lite import OptionError

pytestmark = [needs_transformers, pytest.mark.thread_unsafe]
STOPS = [None, "fox", ["he", "the"], [" qu", "ick", "k b"], ["é", "語の"], ["\ufffd"], ["zz", "x"], ["</s>"], ["aaa"]]


@pytest.fixture(autouse=True)
def patched():
    from spm_lite.transformers import patch, unpatch

    patch()
    yield
    unpatch()


def requests(tok, seed, n):
    """(request, ids) with all options; the ids go on where the prompt ends."""
    rng = random.Random(seed)
    inner = tok._tokenizer
    for _ in range(n):
        ids = servers.random_ids(rng, inner, 24)
        if rng.random() < 0.6:
            ids = inner.encode(rng.choice(LINES) + rng.choice(LINES)).ids
        at = rng.randrange(len(ids))
        skips, spaces = rng.random() < 0.5, rng.random() < 0.5
        while at and inner.decode(ids[:at], skip_special_tokens=skips).endswith("\ufffd"):
            at -= 1  # tokenizers gives such a prompt again
        options = {
            "stop": rng.choice(STOPS), "min_tokens": rng.choice([0, 0, 1, 5]),
            "include_stop_str_in_output": rng.random() < 0.4, "skip_special_tokens": skips,
            "spaces_between_special_tokens": spaces,
        }  # fmt: skip
        yield servers.request(ids[:at], **options), ids[at:]


def trace(detokenizer, ids, seed):
    """All that a server sees of a request: ids come in steps of some tokens."""
    rng = random.Random(seed)
    delta, found = rng.random() < 0.7, []
    while ids:
        n = rng.choice([1, 1, 1, 2, 4])
        part, ids = ids[:n], ids[n:]
        stop = detokenizer.update(part, not ids and rng.random() < 0.3)
        is_over = stop is not None or not ids
        found.append((stop, detokenizer.output_text, detokenizer.get_next_output_text(is_over, delta)))
        if stop is not None:
            break
    return found, detokenizer.output_token_ids


def compare(tok, fast, kind, seed, n):
    """Compare detokenizers of one class with both tokenizers, and with the twin."""
    stopped = set()
    for k, (request, ids) in enumerate(requests(tok, seed, n)):
        expected = trace(servers.Detokenizer(tok, request), ids, k)
        assert trace(kind(fast, request), ids, k) == expected
        assert trace(kind(tok, request), ids, k) == expected
        stopped.add(expected[0][-1][0] is not None)
    assert stopped == {True, False}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", slow_after(1, range(10)))
def test_texts_and_stops_are_those_of_the_original(kind, seed):
    from spm_lite.transformers import accelerate

    tok = make(kind)
    compare(tok, accelerate(tok), servers.Detokenizer, seed, 120)


@pytest.mark.parametrize("kind", KINDS)
def test_the_classes_of_vllm(kind):
    from spm_lite.transformers import accelerate

    module = servers.real("vllm.v1.engine.detokenizer")
    tok = make(kind)
    fast = accelerate(tok)

    def made(tokenizer, request):
        found = module.IncrementalDetokenizer.from_new_request(tokenizer, request)
        assert type(found) is module.FastIncrementalDetokenizer
        return found

    compare(tok, fast, made, kind, 250)


def test_notes_of_a_caller_are_kept_and_change_nothing():
    """vLLM writes such a note of the added tokens on the backend."""
    from spm_lite.transformers import accelerate

    backend = accelerate(make("added"))._tokenizer
    snapshot = backend._current()
    backend.added_token_ids = {7: "a"}
    assert backend.added_token_ids == {7: "a"}
    assert backend._current() is snapshot


@pytest.fixture
def registries(monkeypatch):
    """The two registries of vLLM, and its loader of tokenizers."""
    kept = {}

    def registry():
        found = SimpleNamespace(tokenizers={})
        found.register = lambda mode, module, name: found.tokenizers.setdefault(mode, (module, name))
        return found

    class CachedHfTokenizer:
        @classmethod
        def from_pretrained(cls, path, *inputs, **options):
            from transformers import AutoTokenizer

            kept["options"] = dict(options)
            options.pop("mistral_format")
            return AutoTokenizer.from_pretrained(path, *inputs, **options)

    names = {
        "vllm": {}, "vllm.tokenizers": {}, "vllm.renderers": {},
        "vllm.tokenizers.registry": {"TokenizerRegistry": registry()},
        "vllm.renderers.registry": {"RENDERER_REGISTRY": registry()},
        "vllm.tokenizers.hf": {"CachedHfTokenizer": CachedHfTokenizer},
    }  # fmt: skip
    for name, values in names.items():
        module = ModuleType(name)
        module.__dict__.update(values)
        monkeypatch.setitem(sys.modules, name, module)
        kept |= values
    return kept


def test_the_mode_loads_accelerated_tokenizers(registries, tmp_path):
    from spm_lite.transformers.backend import Backend
    from spm_lite.transformers.vllm_adapter import ServedTokenizer, plugin

    plugin()
    plugin()
    assert registries["TokenizerRegistry"].tokenizers == {
        "spm_lite": ("spm_lite.transformers.vllm_adapter", "ServedTokenizer")
    }
    assert [*registries["RENDERER_REGISTRY"].tokenizers] == ["spm_lite"]
    make("llama").save_pretrained(tmp_path)
    found = ServedTokenizer.from_pretrained(str(tmp_path), truncation_side="left")
    assert isinstance(found._tokenizer, Backend)
    assert registries["options"] == {"truncation_side": "left", "mistral_format": False}
    for name in (*servers.PROTOCOL_METHODS, *servers.PROTOCOL_PROPERTIES):
        assert name in servers.OF_THE_CACHE or hasattr(found, name), name


def test_without_vllm_the_plugin_writes_to_the_log_and_the_call_says_why(monkeypatch, caplog):
    from spm_lite.transformers.vllm_adapter import plugin, register

    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(OptionError, match=r"vLLM cannot be told the tokenizer mode 'spm_lite'.*tested with vllm"):
        register()
    plugin()
    assert "tested with vllm" in caplog.text


def test_the_mode_in_vllm_itself(tmp_path):
    from spm_lite.transformers import unpatch
    from spm_lite.transformers.backend import Backend
    from spm_lite.transformers.vllm_adapter import register

    registry = servers.real("vllm.tokenizers.registry")
    utils = servers.real("vllm.tokenizers.detokenizer_utils")
    protocol = registry.TokenizerLike
    own = {name for name in vars(protocol) if not name.startswith("_")} - {"from_pretrained"}
    assert own == {*servers.PROTOCOL_METHODS, *servers.PROTOCOL_PROPERTIES}
    register()
    unpatch()
    tok = make("llama")
    tok.save_pretrained(tmp_path)
    original = registry.get_tokenizer(str(tmp_path))
    found = registry.get_tokenizer(str(tmp_path), tokenizer_mode="spm_lite")
    assert isinstance(found._tokenizer, Backend)
    assert [base.__name__ for base in type(found).__mro__] == [base.__name__ for base in type(original).__mro__]
    for name in servers.PROTOCOL_PROPERTIES:
        assert getattr(found, name) == getattr(original, name)
    for line in LINES:
        ids = original.encode(line)
        assert found.encode(line) == ids
        assert utils.convert_ids_list_to_tokens(found, ids) == utils.convert_ids_list_to_tokens(original, ids)
    pool = servers.real("vllm.tokenizers.hf")
    pool.maybe_make_thread_pool(found)
    assert found.encode(LINES[0]) == original.encode(LINES[0])
