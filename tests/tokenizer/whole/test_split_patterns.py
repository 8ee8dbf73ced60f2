"""Byte-level BPE with split patterns: the ids of tiktoken and of llama.cpp, and the whole face of a Tokenizer."""

import base64
import pickle
import random

import pytest

import spm_lite
from spm_lite.encode.segment.split_text import matches
from spm_lite.errors import ModelError, OptionError
from spm_lite.vocab.split_pattern_names import PATTERNS, RULES

NAMES = list(PATTERNS)
PARTS = [
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u3000",
    "'s",
    "'LL",
    "the",
    "The",
    " cat",
    "aB",
    "世界",
    "é",
    "e\u0301",
    "12345",
]
PARTS += [
    "🌍",
    "👨\u200d👩\u200d👧",
    "ไทย",
    "\u2581",
    "\0",
    "==",
    "//",
    "…",
    "don't",
    "I'M",
    "\n  ",
    "   \n",
    "<|end|>",
    " Misunderstanding",
    "INTERNATIONALize",
]


def hostile(n, seed):
    rng = random.Random(seed)
    return ["".join(rng.choices(PARTS, k=rng.randrange(16))) for _ in range(n)]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """A rank file with two pieces that no merges make: tiktoken finds them as whole matches."""
    path = tmp_path_factory.mktemp("ranks") / "x.tiktoken"
    tok = spm_lite.train(hostile(3000, 1), model_type="byte_bpe", vocab_size=900, split_by_whitespace=False)
    tok.to_tiktoken(path)
    with path.open("ab") as file:
        for rank, piece in enumerate((b" unreachable", b"zzzzqqqq"), len(tok) - 2):
            file.write(base64.b64encode(piece) + b" %d\n" % rank)
    return path


def load(ranks, name):
    return spm_lite.Tokenizer.from_tiktoken(ranks, name=name, special_tokens=["<|end|>"])


def theirs(ranks, pattern):
    tiktoken = pytest.importorskip("tiktoken")
    pairs = map(bytes.split, ranks.read_bytes().splitlines())
    found = {base64.b64decode(piece): int(rank) for piece, rank in pairs}
    return tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=found, special_tokens={"<|end|>": len(found)})


@pytest.mark.slow
@pytest.mark.parametrize("pattern", RULES)
def test_ids_of_tiktoken(ranks, pattern):
    other = theirs(ranks, pattern)
    tok = spm_lite.Tokenizer.from_tiktoken(ranks, pattern=pattern, special_tokens=["<|end|>"])
    texts = [*hostile(3000, 2), "".join(hostile(3000, 3)), " unreachable", "a zzzzqqqq zzzzqqqqz", " \n" * 900]
    expected = other.encode_ordinary_batch(texts)
    assert tok.encode_lists(texts) == expected
    assert tok.encode_lists(texts, num_threads=2) == expected
    assert [tok.encode(text) for text in texts] == expected
    assert [tok.encode(text.encode()) for text in texts] == expected
    assert tok.count_batch(texts).tolist() == list(map(len, expected))
    assert [tok.decode(ids) for ids in expected] == texts
    assert tok.encode("a<|end|>", allow_special=["<|end|>"])[-1] == len(tok) - 1


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_face(ranks, name, tmp_path):
    tok = load(ranks, name)
    texts = hostile(300, 5)
    for text in texts if name != "qwen2" else [text for text in texts if tok.normalize(text) == text]:
        ids = tok.encode(text)
        spans = tok.spans(text, unit="byte")
        assert len(spans) == len(ids)
        assert spans == sorted(spans)
        assert b"".join(map(tok.token_bytes, ids)) == text.encode()
        stream = tok.stream()
        assert "".join(map(stream.push, ids)) + stream.flush() == tok.decode(ids) == text
        assert "".join(text[begin:end] for begin, end in tok.chunks(text, 6)) == text
        for limit in (1, 3, 7):
            cut = tok.truncate(text, limit)
            assert tok.count(cut) <= limit
            assert text.startswith(cut)
    tok.save(tmp_path / "x.model")
    again = spm_lite.Tokenizer.load(tmp_path / "x.model")
    assert again == tok
    assert pickle.loads(pickle.dumps(tok)).encode_lists(texts) == tok.encode_lists(texts) == again.encode_lists(texts)
    assert again.info.split_pattern == PATTERNS[name]
    assert spm_lite.evaluate(again, texts).tokens == sum(map(len, tok.encode_lists(texts)))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "qwen2"])
def test_truncation_is_the_longest(ranks, name):
    """Against trying every prefix."""
    tok = load(ranks, name)
    for text in hostile(150, 7):
        for limit in (0, 2, 5):
            best = max(i for i in range(len(text) + 1) if tok.count(text[:i]) <= limit)
            assert len(tok.truncate(text, limit)) == best, (text, limit)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_long_texts_that_come_in_parts(ranks, name):
    tok = load(ranks, name)
    rng = random.Random(9)
    for part in ("a", "aB", "世", " ", "\n ", "!", "12", "é'"):
        text = part * 70_000 + "".join(hostile(2000, rng.random())) + part * 70_000
        whole = tok.encode(text)
        assert tok.count(text) == len(whole)
        assert tok.encode_lists([text] * 2, num_threads=2) == [whole] * 2
        parts = matches(tok.normalize(text).encode(), tok.info.split_pattern)
        ids = {match: tok.encode(match) for match in set(parts)}
        assert whole == [piece_id for match in parts for piece_id in ids[match]]


def test_qwen2_normalizes(ranks):
    tok = load(ranks, "qwen2")
    assert tok.normalize("e\u0301") == "é"
    assert tok.encode("e\u0301") == tok.encode("é")
    assert not tok.info.is_lossless
    with pytest.raises(OptionError, match="normalizes a text first"):
        tok.to_tiktoken("x.tiktoken")


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_out_and_in_again(ranks, name, tmp_path):
    tok = load(ranks, name)
    assert tok.to_tiktoken(tmp_path / "y.tiktoken") == PATTERNS[name]
    assert (tmp_path / "y.tiktoken").read_bytes() == ranks.read_bytes()


@pytest.mark.slow
def test_gpt2_of_llama_cpp(shared_data):
    """The published ids of llama.cpp, and those of tiktoken over real texts."""
    folder = shared_data / "interop"
    tok = spm_lite.Tokenizer.from_tiktoken(folder / "p50k_base.tiktoken", name="p50k_base")
    texts = (folder / "ggml-vocab-gpt-2.gguf.inp").read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n")
    rows = (folder / "ggml-vocab-gpt-2.gguf.out").read_text(encoding="utf-8").splitlines()
    small = [int(i) for row in rows for i in row.split()]
    assert max(small) < 50256
    gpt2 = gpt2_of(folder)
    for text, row in zip(texts, rows, strict=False):
        assert gpt2.encode(text) == [int(i) for i in row.split()], text
    assert tok.id_to_piece(50256) == "<|endoftext|>"


def gpt2_of(folder, tmp=None):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as place:
        for name in ("vocab.json", "merges.txt"):
            (Path(place) / name).write_bytes((folder / f"gpt2.{name}").read_bytes())
        return spm_lite.Tokenizer.load(place, format="gpt2", name="gpt2")


def test_real_ranks_over_corpora(shared_data):
    tiktoken = pytest.importorskip("tiktoken")
    path = shared_data / "interop" / "p50k_base.tiktoken"
    pairs = map(bytes.split, path.read_bytes().splitlines())
    found = {base64.b64decode(piece): int(rank) for piece, rank in pairs}
    for name in ("p50k_base", "cl100k_base", "o200k_base"):
        tok = spm_lite.Tokenizer.from_tiktoken(path, pattern=PATTERNS[name], special_tokens={"<|endoftext|>": 50256})
        other = tiktoken.Encoding("x", pat_str=PATTERNS[name], mergeable_ranks=found, special_tokens={})
        for corpus in ("en-tweets", "ja-commonvoice", "th-wisesight-social", "ko-nsmc-social", "hi-commonvoice"):
            lines = (shared_data / "corpora" / f"{corpus}.txt").read_text(encoding="utf-8").split("\n")[:700]
            texts = [*lines, "\n".join(lines)]
            assert tok.encode_lists(texts) == other.encode_ordinary_batch(texts)


def test_what_is_refused(ranks):
    for options, message in (
        ({}, "does not say how a text is cut: give name=NAME of its tokenizer, one of gpt2, "),
        ({"pattern": r"\w+", "name": "gpt2"}, "and name='gpt2' both say how a text is cut: give one of them"),
        ({"pattern": r"(a)\1"}, "the escape .* at character 3"),
        ({"name": "gpt-2"}, "did you mean 'gpt2'"),
        ({"name": "cl100k_base", "special_tokens": {"<|x|>": 3}}, "that of one of"),
    ):
        with pytest.raises(OptionError, match=message):
            spm_lite.Tokenizer.from_tiktoken(ranks, **options)
    tok = load(ranks, "gpt2")
    for call in (
        lambda: tok.nbest("the cat", 2),
        lambda: tok.sample("the cat", seed=1),
        lambda: tok.lattice.entropy("the cat"),
    ):
        with pytest.raises(OptionError, match="split pattern"):
            call()


def test_damaged_patterns(ranks):
    data = load(ranks, "gpt2").to_bytes()
    message = spm_lite.Tokenizer.from_bytes(data)._file.message() if hasattr(spm_lite.Tokenizer, "from_bytes") else None
    if message is None:
        message = spm_lite.Tokenizer._from_bytes(data, "x")._file.message()
    from spm_lite.vocab.messages import extension_of, serialize

    extension = extension_of(message)
    for change, text in (
        (lambda: setattr(extension, "split_pattern", r"\w+"), "is not known to this version"),
        (lambda: setattr(extension, "format_version", 2), "format version 3"),
        (lambda: setattr(extension, "format_version", 5), "format version 5 > 4"),
    ):
        change()
        with pytest.raises(ModelError, match=text):
            spm_lite.Tokenizer._from_bytes(serialize(message), "x")
        extension.split_pattern, extension.format_version = PATTERNS["gpt2"], 3
