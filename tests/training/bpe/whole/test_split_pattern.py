"""Training with a split pattern: against a naive twin, against tokenizers, and as other programs read the models."""

import random

import pytest
from oracle import byte_bpe
from oracle.extras import is_installed
from oracle.other_trainers import (
    BY_BYTE,
    BY_SIGN,
    learned,
    of_rustbpe,
    of_tokenizers,
    patterns_of,
    trained_by_ids,
)
from oracle.slow import slow_after

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training import checkpoint, counting
from spm_lite.training.counts.chunk_budget import Budget

WORDS = (
    "don't", "I'LL", " the", " The", "cat", " 12345", "x=1", "日本語", " テキスト", "naïve", "e\u0301", "สวัสดี", "\n",
    "👩\u200d👧", "\r\n", "  ", "\t", "\u3000", "!!", " ()", "'s", "_a", "\u2581", "\0",
    "ΑΒγ", "ǅ", "१२३", "/*", "..\n",
    " \n ", "ab\u0301c",
)  # fmt: skip
OWN = r"\p{L}+|\s+|[0-9]{2}"  # leaves text between its matches
NAMES = ["gpt2", "cl100k", "llama3", "o200k", "qwen2", "qwen3.5", "tekken"]  # each is one pattern
ALL = [*NAMES, "deepseek_v3"]
WAYS = ["llama3", "deepseek_v3", OWN]  # written out in Cython, several patterns, a scanner
NO_EDGES = {"bos_id": -1, "eos_id": -1, "hard_vocab_limit": False, "model_type": "byte_bpe"}


def corpus(rng, n=30):
    return ["".join(rng.choices(WORDS, k=rng.randrange(1, 12))) for _ in range(rng.randrange(2, n))]


@pytest.mark.dev
@pytest.mark.parametrize("name", [*ALL, OWN])
@pytest.mark.parametrize("seed", slow_after(8, range(30)))
def test_merges_of_random_corpora(seed, name):
    rng = random.Random(f"{seed} {name}")
    texts, n_merges = corpus(rng), rng.randrange(1, 40)
    options = rng.choice([{}, {"max_sentencepiece_length": 3}, {"split_by_whitespace": True}])
    tok = spm_lite.train(
        texts, vocab_size=256 + n_merges, split_pattern=name, num_threads=rng.choice([1, 2, 7]), **NO_EDGES, **options
    )
    from oracle import split_patterns

    spec = TrainerSpec(
        **{"model_type": "byte_bpe", "max_sentencepiece_length": 512, "split_by_whitespace": False, **options}
    )
    patterns = [OWN] if name == OWN else patterns_of(name)
    chunks = [part for text in texts for part in split_patterns.parts_of(patterns, text)]
    assert learned(tok) == byte_bpe.learn(chunks, spec, n_merges), (texts, options)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", slow_after(2, range(20)))
def test_with_their_rule_for_ties_the_merges_are_those_of_tokenizers(seed, name):
    tokenizers = pytest.importorskip("tokenizers")
    if not hasattr(tokenizers, "trainers"):
        pytest.skip("release 1.0 does not train")
    texts = corpus(random.Random(seed), 400)
    tok = trained_by_ids(texts, BY_SIGN, vocab_size=600, split_pattern=name, num_threads=2, **NO_EDGES)
    assert learned(tok) == of_tokenizers(texts, 600, patterns_of(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", slow_after(2, range(20)))
def test_with_its_rule_for_ties_the_merges_are_those_of_rustbpe(seed, name):
    pytest.importorskip("rustbpe")
    texts = corpus(random.Random(seed), 400)
    tok = trained_by_ids(texts, BY_BYTE, vocab_size=600, split_pattern=name, num_threads=2, **NO_EDGES)
    assert learned(tok) == of_rustbpe(texts, 600, *patterns_of(name))


@pytest.mark.parametrize("name", ALL)
def test_models_leave_and_come_back(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(name)
    tok = spm_lite.train(corpus(rng, 200), vocab_size=500, split_pattern=name, **NO_EDGES)
    texts = [*corpus(rng, 300), "", " ", "\ud7ff\ue000", "a" * 300, "\n" * 99]
    ids = tok.encode_lists(texts)
    assert tok.decode_batch(ids) == texts
    assert tok.info.split_pattern
    raw = [bytes(rng.choices(range(256), k=20)) for _ in range(50)]
    assert [tok.decode_bytes(tok.encode(one)) for one in raw] == raw
    assert spm_lite.load(tok.to_bytes()).encode_lists(texts) == ids
    assert tok.to_hf(tmp_path / "folder").conditions == []
    other = tokenizers.Tokenizer.from_file(str(tmp_path / "folder" / "tokenizer.json"))
    assert [other.encode(text, add_special_tokens=False).ids for text in texts] == ids
    assert spm_lite.load(tmp_path / "folder").encode_lists(texts) == ids
    if name != "cl100k":
        tok.to_gguf(tmp_path / "m.gguf")
        assert spm_lite.load(tmp_path / "m.gguf").encode_lists(texts) == ids
    if name == "deepseek_v3":  # tiktoken has one pattern
        with pytest.raises(spm_lite.OptionError, match="one after the other"):
            tok.to_tiktoken(tmp_path / "ranks")
        return
    pattern = tok.to_tiktoken(tmp_path / "ranks")
    assert spm_lite.load(tmp_path / "ranks", format="tiktoken", pattern=str(pattern)).encode_lists(texts) == ids
    if is_installed("tiktoken"):
        import tiktoken

        ranks = {tok.token_bytes(i): i for i in range(len(tok))}
        encoding = tiktoken.Encoding("x", pat_str=str(pattern), mergeable_ranks=ranks, special_tokens={})
        assert [encoding.encode_ordinary(text) for text in texts] == ids


@pytest.mark.parametrize("name", WAYS)
def test_ways_to_read_give_the_same_bytes(name, tmp_path):
    rng = random.Random(5)
    texts = [text.replace("\n", " ").replace("\r", " ") for text in corpus(rng, 400) * 3]
    options = {**NO_EDGES, "vocab_size": 400, "split_pattern": name}
    model = spm_lite.train(texts, num_threads=1, **options).to_bytes()
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8", newline="")
    for n_threads, limit in ((2, None), (4, "1GB"), (1, "80MB"), (4, "80MB")):
        assert spm_lite.train(path, num_threads=n_threads, memory_limit=limit, **options).to_bytes() == model
    assert spm_lite.train(path, checkpoint=tmp_path / "c", **options).to_bytes() == model
    counted = {"model_type": "byte_bpe", "split_pattern": name, "bos_id": -1, "eos_id": -1}
    halves = [spm_lite.CountTable.count(half, **counted) for half in (texts[:70], texts[70:])]
    halves[0].save(tmp_path / "half.counts")
    halves[0] = spm_lite.CountTable.load(tmp_path / "half.counts")
    assert spm_lite.train(halves, **options).to_bytes() == model
    assert spm_lite.train({"all": texts}, weights={"all": 1}, **options).to_bytes() == model
    with pytest.raises(spm_lite.OptionError, match="split_pattern"):
        spm_lite.train(halves, **{**options, "split_pattern": "gpt2"})


def test_special_pieces_are_cut_out_first():
    texts = ["the<|sep|>cat 12<|sep|>34"] * 20
    tok = spm_lite.train(texts, vocab_size=290, split_pattern="llama3", user_defined_symbols=["<|sep|>"], **NO_EDGES)
    assert tok.pieces(texts[0]).count("<|sep|>") == 2
    assert not any(b"sep" in piece for piece in learned(tok))


@pytest.mark.parametrize("name", WAYS)
def test_chunks_that_a_memory_limit_leaves_out(name, monkeypatch):
    """They are the same with any number of threads, for texts and for tables."""
    monkeypatch.setattr(counting, "table_budget", lambda *_: Budget(1000, 3, 1))
    texts = corpus(random.Random(6), 900)
    options = {**NO_EDGES, "vocab_size": 300, "split_pattern": name, "memory_limit": "128MB"}
    models = [spm_lite.train(texts, num_threads=n_threads, **options) for n_threads in (1, 2, 4)]
    assert models[0].report.chunks_left_out > 0
    assert len({tok.to_bytes() for tok in models}) == 1
    assert spm_lite.train(texts * 3, **options).to_bytes() == models[0].to_bytes()


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("phase", ["count", "alphabet", "merges"])
def test_a_training_that_was_stopped_goes_on(name, phase, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint.Checkpoint.__init__, "__defaults__", (0.0,))
    rng = random.Random(7)
    texts = ["".join(rng.choices(WORDS[:24], k=60)) for _ in range(4000)]
    options = {**NO_EDGES, "vocab_size": 3000, "split_pattern": name}
    seen = []

    def stop(progress):
        seen.append(progress.phase)
        if seen.count(phase) == 2 or (seen.count(phase) == 1 and phase != "merges"):
            raise KeyError(phase)

    with pytest.raises(KeyError):
        spm_lite.train(texts, checkpoint=tmp_path / "c", progress=stop, num_threads=2, **options)
    assert (tmp_path / "c" / "state.json").exists() is (phase == "merges")
    if phase != "count":  # before that, nothing is kept
        with pytest.raises(spm_lite.OptionError, match="split_pattern"):
            spm_lite.train(texts, checkpoint=tmp_path / "c", **{**options, "split_pattern": "tekken"})
    again = spm_lite.train(texts, checkpoint=tmp_path / "c", num_threads=4, **options)
    assert again.to_bytes() == spm_lite.train(texts, **options).to_bytes()


@pytest.mark.parametrize("name", WAYS)
def test_weighted_sources_are_repeated_texts(name):
    sources = {"a": corpus(random.Random(8), 90), "b": corpus(random.Random(9), 90)}
    options = {**NO_EDGES, "vocab_size": 400, "split_pattern": name}
    tok = spm_lite.train(sources, weights={"a": 1, "b": 3}, **options)
    factors = {source: figures.factor for source, figures in tok.report.sources.items()}
    assert len(set(factors.values())) == 2
    whole = [text for source, texts in sources.items() for text in texts * factors[source]]
    assert spm_lite.train(whole, **options).to_bytes() == tok.to_bytes()
    assert spm_lite.train(sources, weights={"a": 1, "b": 3}, num_threads=4, **options).to_bytes() == tok.to_bytes()


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("special", [{}, {"user_defined_symbols": ["the ", "<|sep|>"], "control_symbols": ["<x>"]}])
def test_each_size_of_a_sweep_is_that_of_a_training(name, special):
    rng = random.Random(10)
    texts = ["<|sep|>".join(corpus(rng)) for _ in range(60)]
    options = {**NO_EDGES, **special, "split_pattern": name}
    found = spm_lite.sweep(texts, [290, 400, 9000], held_out=texts[:20], num_threads=2, **options)
    for row, size in zip(found.rows, (290, 400, 9000), strict=True):
        tok = spm_lite.train(texts, vocab_size=size, **options)
        assert found[size].to_bytes() == tok.to_bytes()
        assert row.tokens == sum(map(len, tok.encode_lists(texts[:20])))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model_type": "bpe"}, "model_type='byte_bpe'"),
        ({"model_type": "unigram"}, "model_type='byte_bpe'"),
        ({"model_type": "char"}, "only byte_bpe, bpe, unigram models take a pattern"),
        ({"model_type": "word"}, "only byte_bpe, bpe, unigram models take a pattern"),
        ({"model_type": "wordpiece"}, "only byte_bpe, bpe, unigram models take a pattern"),
        ({"model_type": "bpe", "reference_rules": True, "split_pattern": "[ab]"}, "sentencepiece has no patterns"),
        ({"split_pattern": "gtp2"}, "did you mean 'gpt2'"),
        ({"split_pattern": "(a"}, "split_pattern"),
        ({"split_pattern": r"(?<=a+)b"}, "split_pattern"),
        ({"split_pattern": r"(?i)'s|\w+"}, "a set of sets where case is ignored"),
        ({"split_pattern": 3}, "must be str"),
    ],
)
def test_errors_have_remedies_that_help(options, words):
    given = {"model_type": "byte_bpe", "split_pattern": "gpt2", "vocab_size": 300, "hard_vocab_limit": False, **options}
    texts = ["the cat sat"] * 9
    with pytest.raises(spm_lite.OptionError if given["split_pattern"] != 3 else spm_lite.ArgumentTypeError) as caught:
        spm_lite.train(texts, **given)
    assert words in str(caught.value)
    for remedy in getattr(caught.value, "remedies", ()):
        spm_lite.train(texts, **{**given, **remedy})
