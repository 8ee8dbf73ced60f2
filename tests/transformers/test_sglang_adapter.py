"""SGLang's detokenizer over accelerated tokenizers: as over the originals. Its own class runs where it is installed."""

import random
import sys
from types import ModuleType, SimpleNamespace

import pytest
from oracle import servers
from oracle.fast_tokenizers import KINDS, LINES, make, needs_transformers
from oracle.repository import ROOT
from oracle.slow import slow_after

from spm_lite import OptionError

pytestmark = [needs_transformers, pytest.mark.thread_unsafe]


def batches(tok, seed, n_requests=12, n_ids=14):
    """The rows of each step. A request begins at any step, and goes on until its ids or a stop end it."""
    rng = random.Random(seed)
    waiting = []
    for k in range(n_requests):
        ids = servers.random_ids(rng, tok._tokenizer, n_ids)
        if rng.random() < 0.5:
            ids = tok._tokenizer.encode(rng.choice(LINES)).ids
        waiting.append([f"r{k}", ids, rng.randrange(6), rng.random() < 0.5, rng.random() < 0.5, rng.randrange(4)])
    size = tok._tokenizer.get_vocab_size()
    while any(one[1] for one in waiting):
        rows = []
        for one in waiting:
            name, ids, n_prompt, stays, skips, delay = one
            if delay or not ids:
                one[5] -= bool(delay)
                continue
            n = max(1, n_prompt + 1 if n_prompt >= 0 else rng.choice([1, 1, 1, 3]))
            part, one[1] = ids[:n], ids[n:]
            part = [i if i < size else 0 for i in part]  # as SGLang does it
            matched = None if one[1] else rng.choice(["", part[-1], "he", " ", "no such text"])
            rows.append((name, part, max(n_prompt, 0), matched, stays, skips))
            one[2] = -1
        yield rows


def hooked(tok):
    """The twin with our method in it."""
    from spm_lite.transformers.sglang_adapter import decode_rows

    class Hooked(servers.Step):
        def _grouped_batch_decode(self, *columns):
            return decode_rows(servers.Step._grouped_batch_decode, self, *columns)

    return Hooked(tok)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", slow_after(3, range(40)))
def test_texts_are_those_of_the_original(kind, seed):
    from spm_lite.transformers import accelerate

    tok = make(kind)
    tok.clean_up_tokenization_spaces = False  # as SGLang loads it
    expected, found = servers.Step(tok), hooked(accelerate(tok))
    for rows in batches(tok, seed):
        assert found.run(rows) == expected.run(rows)


@pytest.mark.parametrize("has_decoder", [True, False])
def test_rows_that_are_not_fixed_are_decoded(has_decoder):
    from tokenizers import decoders

    from spm_lite.transformers import accelerate
    from spm_lite.transformers.sglang_adapter import decode_rows

    tok = make("llama")
    if not has_decoder:
        tok._tokenizer.decoder = decoders.CTC("a")
    tok.clean_up_tokenization_spaces = False
    rows = [tok._tokenizer.encode(text, add_special_tokens=False).ids for text in ("the in", "\U0001f9ea", "in")]
    rows += [[], [*rows[2], tok.convert_tokens_to_ids("<unk>")]]
    manager = SimpleNamespace(tokenizer=accelerate(tok))
    expected = tok.batch_decode(rows, skip_special_tokens=False)
    assert decode_rows(None, manager, rows, [False] * 5, [True] * 5) == expected


@pytest.mark.parametrize("change", ["clean up", "method", "backend", "original", "none"])
def test_a_tokenizer_that_decodes_in_its_own_way_is_left_to_the_original(change):
    from spm_lite.transformers import accelerate
    from spm_lite.transformers.sglang_adapter import decode_rows

    tok = make("wordpiece")
    tok.clean_up_tokenization_spaces = change == "clean up"
    fast = tok if change == "original" else accelerate(tok)
    if change == "method":
        kind = type(fast)
        fast.__class__ = type("Own", (kind,), {"decode": lambda self, ids, **options: "own"})
    if change == "backend":
        fast._tokenizer.decode = lambda ids, skip_special_tokens: "own"
    manager = SimpleNamespace(tokenizer=None if change == "none" else fast)
    assert decode_rows(lambda *columns: ["original"], manager, [[9]], [True], [True]) == ["original"]


@pytest.fixture
def hooks(monkeypatch):
    """SGLang's registry of hooks; its parent packages are there too."""
    found = []
    registry = SimpleNamespace(register=lambda target, hook, kind: found.append((target, hook.__name__, kind)))
    for name in ("sglang", "sglang.srt", "sglang.srt.plugins", "sglang.srt.plugins.hook_registry"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    module = sys.modules["sglang.srt.plugins.hook_registry"]
    module.HookRegistry, module.HookType = registry, SimpleNamespace(AFTER="after", AROUND="around")
    return found


@pytest.mark.parametrize(("named", "n"), [(None, 0), ("other", 0), ("other, spm_lite", 3)])
def test_the_plugin_does_nothing_unless_it_is_named(hooks, monkeypatch, named, n):
    from spm_lite.transformers.sglang_adapter import plugin

    if named is None:
        monkeypatch.delenv("SGLANG_PLUGINS", raising=False)
    else:
        monkeypatch.setenv("SGLANG_PLUGINS", named)
    plugin()
    assert len(hooks) == n
    assert {hook for _, hook, _ in hooks} <= {"loaded", "decode_rows"}


def test_the_entry_points_lead_to_the_plugins():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for group, module in (("vllm.general_plugins", "vllm_adapter"), ("sglang.srt.plugins", "sglang_adapter")):
        assert f'[project.entry-points."{group}"]\nspm_lite = "spm_lite.transformers.{module}:plugin"\n' in text


def test_without_sglang_the_call_says_why(monkeypatch):
    from spm_lite.transformers.sglang_adapter import register

    monkeypatch.setitem(sys.modules, "sglang", None)
    with pytest.raises(OptionError, match=r"SGLang cannot be told to use spm_lite.*tested with sglang"):
        register()


def test_loaded_tokenizers_are_accelerated():
    from spm_lite.transformers.backend import Backend
    from spm_lite.transformers.sglang_adapter import loaded

    tok = make("llama")
    expected = tok(LINES)["input_ids"]
    found = loaded(tok, "folder", tokenizer_mode="auto")
    assert isinstance(found._tokenizer, Backend)
    assert found(LINES)["input_ids"] == expected
    assert loaded(None, "no tokenizer") is None


def test_sglang_itself(tmp_path, monkeypatch):
    """Its own loader and its own manager, with our hooks in them."""
    module = servers.real("sglang.srt.managers.detokenizer_manager")
    hook_registry = servers.real("sglang.srt.plugins.hook_registry")
    from spm_lite.transformers.backend import Backend
    from spm_lite.transformers.sglang_adapter import register

    def manager(tokenizer):
        found = object.__new__(module.DetokenizerManager)
        found.tokenizer, found.vocab_size = tokenizer, len(tokenizer)
        found.decode_status = module.LimitedCapacityDict(capacity=1000)
        found.disable_tokenizer_batch_decode = found.is_tool_call_parser_gpt_oss = False
        found.tool_close_token_ids = frozenset()
        return found

    def step(manager, rows):
        names, ids, offsets, matched, stays, skips = map(list, zip(*rows, strict=True))
        reasons = [None if one is None else {"matched": one if one != "" else None} for one in matched]
        columns = {
            "rids": names, "decode_ids": ids, "read_offsets": offsets, "finished_reasons": reasons,
            "no_stop_trim": stays, "skip_special_tokens": skips, "decoded_texts": [""] * len(rows),
            "spaces_between_special_tokens": [True] * len(rows),
        }  # fmt: skip
        return manager._decode_batch_token_id_output(SimpleNamespace(**columns))

    for kind in ("byte_bpe", "llama", "unigram"):
        folder = str(tmp_path / kind)
        make(kind).save_pretrained(folder)
    loader = servers.real("sglang.srt.utils.hf_transformers.tokenizer").get_tokenizer
    originals = {kind: loader(str(tmp_path / kind)) for kind in ("byte_bpe", "llama", "unigram")}
    plain = module.DetokenizerManager._grouped_batch_decode
    register()
    hook_registry.HookRegistry.apply_hooks()
    assert module.DetokenizerManager._grouped_batch_decode is not plain
    for kind, tok in originals.items():
        fast = module.get_tokenizer(str(tmp_path / kind))
        assert isinstance(fast._tokenizer, Backend)
        assert not isinstance(tok._tokenizer, Backend)
        for seed in range(40):
            expected, twin, found = manager(tok), servers.Step(tok), manager(fast)
            for rows in batches(tok, seed):
                if rows:
                    texts = step(found, rows)
                    assert texts == step(expected, rows) == twin.run(rows)
