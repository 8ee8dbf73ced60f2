"""Training with a split pattern: against a naive twin, against tokenizers, and as other programs read the models."""

import json
import random

import pytest
from oracle import byte_bpe
from oracle.extras import is_installed
from oracle.slow import slow_after

import spm_lite
from spm_lite.formats.split_patterns import NAMED
from spm_lite.specs import TrainerSpec
from spm_lite.training import steps

WORDS = (
    "don't", "I'LL", " the", " The", "cat", " 12345", "x=1", "日本語", " テキスト", "naïve", "e\u0301", "สวัสดี", "\n",
    "👩\u200d👧", "\r\n", "  ", "\t", "\u3000", "!!", " ()", "'s", "_a", "\u2581", "\0",
    "ΑΒγ", "ǅ", "१२३", "/*", "..\n",
    " \n ", "ab\u0301c",
)  # fmt: skip
OWN = r"\p{L}+|\s+|[0-9]{2}"  # leaves text between its matches
NAMES = ["gpt2", "cl100k", "llama3", "o200k", "qwen2", "tekken"]
NO_EDGES = {"bos_id": -1, "eos_id": -1, "hard_vocab_limit": False, "model_type": "byte_bpe"}


def corpus(rng, n=30):
    return ["".join(rng.choices(WORDS, k=rng.randrange(1, 12))) for _ in range(rng.randrange(2, n))]


def learned(tok):
    return [tok.token_bytes(i) for i in range(256, len(tok)) if tok.piece_type(i) == "normal"]


def parts_of(pattern, text):
    """The matches of a pattern and the texts between them, by the package regex."""
    from oracle import split_patterns

    found, end = [], 0
    for match in split_patterns.compiled_once(pattern).finditer(text):
        found += [text[end : match.start()], match.group()]
        end = match.end()
    return [part.encode() for part in [*found, text[end:]] if part]


@pytest.mark.dev
@pytest.mark.parametrize("name", [*NAMES, "qwen3.5", OWN])
@pytest.mark.parametrize("seed", slow_after(8, range(30)))
def test_merges_of_random_corpora(seed, name):
    rng = random.Random(f"{seed} {name}")
    texts, n_merges = corpus(rng), rng.randrange(1, 40)
    options = rng.choice([{}, {"max_sentencepiece_length": 3}, {"split_by_whitespace": True}])
    tok = spm_lite.train(
        texts, vocab_size=256 + n_merges, split_pattern=name, num_threads=rng.choice([1, 2, 7]), **NO_EDGES, **options
    )
    pattern = NAMED.get(name, name)
    spec = TrainerSpec(
        **{"model_type": "byte_bpe", "max_sentencepiece_length": 512, "split_by_whitespace": False, **options}
    )
    chunks = [part for text in texts for part in parts_of(pattern, text)]
    assert learned(tok) == byte_bpe.learn(chunks, spec, n_merges), (texts, options)


@pytest.mark.parametrize("seed", slow_after(3, range(20)))
def test_with_the_pattern_of_gpt2_the_merges_are_those_of_tokenizers(seed, monkeypatch):
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(seed)
    texts = corpus(rng, 400)
    new_trainer = steps.Training.new_trainer

    def ordered_by_ids(run):
        trainer = new_trainer(run)
        trainer.by_ids = True
        return trainer

    monkeypatch.setattr(steps.Training, "new_trainer", ordered_by_ids)
    tok = spm_lite.train(texts, vocab_size=600, split_pattern="gpt2", num_threads=2, **NO_EDGES)
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    other = tokenizers.Tokenizer(tokenizers.models.BPE())
    other.pre_tokenizer = byte_level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=byte_level.alphabet(), show_progress=False
    )
    other.train_from_iterator(texts, trainer)
    ids = json.loads(other.to_str())["model"]["vocab"]
    signs = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    signs = {chr(byte): byte for byte in signs}
    rest = (byte for byte in range(256) if byte not in set(signs.values()))
    signs |= {chr(0x100 + i): byte for i, byte in enumerate(list(rest))}
    wanted = [bytes(signs[sign] for sign in piece) for piece, _ in sorted(ids.items(), key=lambda one: one[1])]
    assert learned(tok) == wanted[256:]


@pytest.mark.parametrize("name", [*NAMES, "qwen3.5", "deepseek_v3"])
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
    if name in ("llama3", "o200k", "qwen2", "gpt2", "tekken"):
        tok.to_gguf(tmp_path / "m.gguf")
        assert spm_lite.load(tmp_path / "m.gguf").encode_lists(texts) == ids


@pytest.mark.parametrize("name", ["llama3", "deepseek_v3", OWN])
def test_ways_to_read_give_the_same_bytes(name, tmp_path):
    rng = random.Random(5)
    texts = [text.replace("\n", " ").replace("\r", " ") for text in corpus(rng, 400) * 3]
    options = {**NO_EDGES, "vocab_size": 400, "split_pattern": name}
    model = spm_lite.train(texts, num_threads=1, **options).to_bytes()
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8", newline="")
    assert spm_lite.train(path, num_threads=3, **options).to_bytes() == model
    assert spm_lite.train(path, memory_limit="1GB", **options).to_bytes() == model
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


def test_a_sweep_and_the_table_of_sizes():
    texts = ["the cat sat on the mat 123 456", "don't sit down"] * 30
    found = spm_lite.sweep(texts, [280, 300], model_type="byte_bpe", split_pattern="gpt2", hard_vocab_limit=False)
    assert len(found.rows) == 2


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
