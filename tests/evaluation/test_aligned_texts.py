"""`align`: pairs of tokenizers against the definition; tokenizers of other packages; what people see."""

import base64
import io
import json
import pickle
import random

import numpy as np
import pytest
from oracle.aligned_groups import aligned, uncovered
from oracle.covered_bytes import covered, places_of
from oracle.extras import is_installed
from oracle.fast_tokenizers import KINDS, make, needs_transformers
from oracle.fast_tokenizers import TEXTS as FAST_TEXTS

import spm_lite
from spm_lite import ArgumentTypeError, IdError, OptionError, TextError

UNITS = [
    "the", "cat", "CAT", "É", "é", "ß", "½", "㎏", "ﷺ", "ﬁ", "각", "ガ", "日本", "テキスト", "ภาษาไทย", "กำ", "ꙮ", "①",
    "\u2581", "e\u0301", "\u0301", "\u200d", "👩\u200d👩\u200d👧", "🤷\u200d♀️", "\0", "\t", "\n\n", "\u3000", "\xa0",
    "\u200b", "\ufeff", "\ufffd", ".", ",", "12", "don't",
]  # fmt: skip
BROKEN = [b"\xe3\x81", b"\xff", b"\xf0\x9f", b"\x80"]
JOINED = {"bytes", "llama2", "t5_base", "albert_30k", "gpt2", "llama-3", "lowercase"}  # their pieces join to the text
PAIRS = [
    ("llama2", "t5_base"), ("gpt2", "llama2"), ("llama-3", "gpt2"), ("bert-uncased", "t5_base"), ("bytes", "gpt2"),
    ("bytes", "bert-uncased"), ("albert_30k", "gpt2"), ("albert_30k", "llama2"), ("lowercase", "bytes"),
    ("bert-multilingual-cased", "clip"), ("t5", "qwen-2"), ("lowercase", "albert_30k"),
]  # fmt: skip
CORPUS = ["the cat sat on the mat, 12 cats", "don't é 日本語 テキスト ภาษาไทย"] * 9


def load(name, shared_data):
    if name == "bytes":
        return spm_lite.byte_tokenizer()
    if name == "lowercase":  # characters that it does not know are unknown, side by side
        options = {"normalization": "nmt_nfkc_cf", "byte_fallback": False, "hard_vocab_limit": False}
        return spm_lite.train(CORPUS, model_type="unigram", vocab_size=120, **options)
    file = shared_data / "models" / f"{name}.model"
    return spm_lite.load(file if file.exists() else shared_data / "shapes" / name)


def hard_texts(seed, n):
    rng = random.Random(seed)
    for _ in range(n):
        units = [unit.encode() for unit in rng.sample(UNITS, 6)] + (BROKEN if rng.random() < 0.2 else [])
        space = rng.choice([b"", b" ", b" ", b"  ", b" \n"])
        yield b"".join(rng.choice(units) + rng.choice([b"", space]) for _ in range(rng.randrange(8)))


def covers(tok, name, texts):
    """The bytes that each id covers, from the definition if the pieces join to the text."""
    if name in JOINED:
        return [covered(tok, text) for text in texts]
    return places_of(tok, texts)


def check_pair(first, second, names, texts, words):
    """All that an Alignment holds, against the definition."""
    found = spm_lite.align(first, second, texts, words=words)
    a, b = covers(first, names[0], texts), covers(second, names[1], texts)
    assert found.a == first.encode_batch(texts)
    assert found.b == second.encode_batch(texts)
    assert len(found) == len(texts)
    assert (found.offsets[0], found.offsets[-1]) == (0, len(found.spans))
    for i, text in enumerate(texts):
        groups = aligned(text, a[i], b[i], words)
        ids = found.a[i].tolist(), found.b[i].tolist()
        assert found[i] == [
            ([ids[0][k] for k in group[0]], [ids[1][k] for k in group[1]], *group[2:]) for group in groups
        ], text
    for rows, spans in ((found.a_uncovered, a), (found.b_uncovered, b)):
        assert rows.tolist() == [[i, *gap] for i, text in enumerate(texts) for gap in uncovered(len(text), spans[i])]


@pytest.mark.parametrize(
    ("names", "n"),
    [*((names, 60) for names in PAIRS), *(pytest.param(names, 3000, marks=pytest.mark.slow) for names in PAIRS)],
    ids=str,
)
def test_pairs(shared_data, names, n):
    first, second = (load(name, shared_data) for name in names)
    texts = list(hard_texts(str(names), n))
    for words in (False, True):
        check_pair(first, second, names, texts, words)


@pytest.fixture(scope="module")
def tok():
    return spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)


def test_each_form_of_text_and_thread(tok):
    other = spm_lite.byte_tokenizer()
    texts = [text.decode("utf-8", "replace") for text in hard_texts(1, 500)]
    found = spm_lite.align(tok, other, texts, num_threads=1)
    for same in (
        spm_lite.align(tok, other, iter(texts), num_threads=3),
        spm_lite.align(tok, other, np.array(texts, object)),
        spm_lite.align(tok, other, [text.encode() for text in texts]),
    ):
        assert same.spans.tolist() == found.spans.tolist()
        assert [*same] == [*found]
        assert same.a_uncovered.tolist() == found.a_uncovered.tolist()


def test_types_of_the_arrays(tok):
    for texts in ([], [""], ["the cat"]):
        found = spm_lite.align(tok, tok, texts)
        for name in ("offsets", "a_offsets", "b_offsets", "a_uncovered", "b_uncovered"):
            assert getattr(found, name).dtype == np.int64
        assert found.spans.dtype == np.int32
        assert found.spans.shape == (len(found.a_offsets) - 1, 2) == (len(found.b_offsets) - 1, 2)
        assert found.a_uncovered.shape == (0, 3)
        assert [len(group.a) for groups in found for group in groups] == [1] * len(found.spans)


def test_sources_of_tokenizers(tok, tmp_path):
    """Whatever `load` and `as_tokenizer` take."""
    tok.save(tmp_path / "m.model")
    expected = spm_lite.align(tok, tok, ["the cat"]).spans.tolist()
    processor = spm_lite.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    (tmp_path / "g").mkdir()
    spm_lite.byte_tokenizer().to_hf(tmp_path / "g")
    written = json.loads((tmp_path / "g" / "tokenizer.json").read_text(encoding="utf-8"))
    for source in (tmp_path / "m.model", str(tmp_path / "m.model"), tok.to_bytes(), io.BytesIO(tok.to_bytes()),
                   processor, spm_lite.as_tokenizer(tok)):  # fmt: skip
        assert spm_lite.align(source, tok, ["the cat"]).spans.tolist() == expected
    for source in (tmp_path / "g", written, json.dumps(written)):
        assert len(spm_lite.align(source, tok, ["the cat"]).a.ids) == 7


class Letters:
    """A tokenizer of characters that tells spans."""

    def encode_batch(self, texts):
        return [[ord(char) for char in text] for text in texts]

    def spans_batch(self, texts):
        return [[(k, k + 1) for k in range(len(text))] for text in texts]


def test_spans_of_others_are_in_characters():
    found = spm_lite.align(Letters(), spm_lite.byte_tokenizer(), ["aé", "", "日"])
    assert [[group[2:] for group in groups] for groups in found] == [[(0, 1), (1, 3)], [], [(0, 3)]]
    assert found.a.ids.tolist() == [97, 233, 0x65E5]
    assert found.kinds() == {"1:1": 1, "1:n": 2, "n:1": 0, "n:m": 0, "a only": 0, "b only": 0}


class Halves:
    """A tokenizer of two bytes at once, with a space before the text."""

    def __init__(self, prefix=b" "):
        self.prefix = prefix

    def encode_batch(self, texts):
        data = [(self.prefix + text.encode()) * bool(text) for text in texts]
        return [[int.from_bytes(part[k : k + 2], "big") for k in range(0, len(part), 2)] for part in data]

    def token_bytes(self, token_id):
        return token_id.to_bytes(2, "big").lstrip(b"\0")


@pytest.mark.parametrize(("prefix", "spans"), [(b"", [(0, 2), (2, 4)]), (b" ", [(0, 1), (1, 3), (3, 4)])])
def test_bytes_of_single_tokens_tell_spans(prefix, spans):
    found = spm_lite.align(Halves(prefix), spm_lite.byte_tokenizer(), ["aéb", ""])
    assert [group[2:] for group in found[0]] == spans
    assert found[1] == []


def test_decoded_single_tokens_tell_spans():
    class Characters:
        encode_batch = staticmethod(lambda texts: [[ord(char) for char in text] for text in texts])
        decode = staticmethod(lambda ids: "".join(map(chr, ids)))

    assert spm_lite.align(Characters(), spm_lite.byte_tokenizer(), ["aé"]).spans.tolist() == [[0, 1], [1, 3]]


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 1)], "1 spans for 2 ids"),
        ([(0, 1), (1, 9)], r"\(1, 9\) is no part of its 2 characters"),
        ([(1, 2), (0, 1)], r"\(0, 1\) begins before the span of the token before it, at 1"),
        ([(1, 0), (1, 2)], r"\(1, 0\) is no part"),
        ([0, 1], "wrong spans"),
        ([(None, 1), (1, 2)], "wrong spans"),
    ],
)
def test_wrong_spans(spans, message):
    class Wrong(Letters):
        def spans_batch(self, texts):
            return [[(k, k + 1) for k in range(len(text))] if text != "xy" else spans for text in texts]

    with pytest.raises(OptionError, match=rf"tokenizer 'a' gave wrong spans for text 1: .*{message}|{message}"):
        spm_lite.align(Wrong(), spm_lite.byte_tokenizer(), ["ab", "xy"])


def test_tokenizers_that_tell_no_spans(tok):
    for given, message in (
        (lambda text: list(text.encode()), r"tokenizer 'b' has no spans.*text 0: load its files by spm_lite.load"),
        ([[1, 2], [3]], "tokenizer 'b' is only ids.*pass the tokenizer that made them"),
    ):
        with pytest.raises(OptionError, match=message):
            spm_lite.align(tok, given, ["ab", "c"])
    with pytest.raises(OptionError, match="gave the ids of 1 texts for 2"):

        class Few(Letters):
            def spans_batch(self, texts):
                return [[]]

        spm_lite.align(Few(), tok, ["ab", "c"])


def test_wrong_arguments(tok):
    with pytest.raises(ArgumentTypeError, match="tokenizer 'a' is int"):
        spm_lite.align(5, tok, ["a"])
    with pytest.raises(ArgumentTypeError, match="texts is one str"):
        spm_lite.align(tok, tok, "a")
    with pytest.raises(ArgumentTypeError, match="words"):
        spm_lite.align(tok, tok, ["a"], words="yes")
    with pytest.raises(TextError, match="lone surrogate"):
        spm_lite.align(tok, tok, ["a", "\ud800"])
    with pytest.raises(TextError, match="text 1 of the batch is not UTF-8"):
        spm_lite.align(tok, Letters(), ["a", b"\xff"])
    found = spm_lite.align(tok, tok, ["a"])
    with pytest.raises(IdError, match="text 1 is outside the alignment: it has 1 texts"):
        found[1]
    with pytest.raises(ArgumentTypeError, match="not by str"):
        found["a"]
    assert found[-1] == found[0]


def test_what_people_see(tok):
    other = spm_lite.byte_tokenizer()
    assert repr(spm_lite.align(tok, other, [])) == "Alignment(0 texts, 0 groups)"
    found = spm_lite.align(tok, other, ["the cat", "sat"])
    assert repr(found) == f"Alignment(2 texts, {len(found.spans)} groups: " + ", ".join(
        f"{n} {kind}" for kind, n in found.kinds().items() if n
    ) + ")"  # fmt: skip
    assert sum(found.kinds().values()) == len(found.spans)
    again = pickle.loads(pickle.dumps(found))
    assert [*again] == [*found]
    assert repr(again) == repr(found)


def test_sums_of_groups(tok):
    """What distillation does: a value of each token, summed over the tokens of each group."""
    found = spm_lite.align(tok, spm_lite.byte_tokenizer(), ["the cat", "", "sat"])
    sums = np.diff(np.append(0, np.ones(len(found.b.ids)).cumsum())[found.b_offsets])
    assert sums.tolist() == [len(group.b) for groups in found for group in groups]


@pytest.mark.skipif(not is_installed("tiktoken"), reason="tiktoken is not installed")
def test_tiktoken(shared_data):
    """Its tokens may end inside a character; ours of the same ranks cover the same bytes."""
    import tiktoken

    path = shared_data / "interop" / "p50k_base.tiktoken"
    own = spm_lite.load(path)
    rows = (line.split() for line in path.read_bytes().splitlines())
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in rows}
    pattern = own.info.split_pattern
    other = tiktoken.Encoding("p50k", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    texts = [text.decode("utf-8", "replace") for text in hard_texts(3, 300)]
    found = spm_lite.align(own, other, texts)
    assert found.a == found.b
    assert found.kinds()["1:1"] == len(found.spans) > 0


@pytest.mark.dev
@needs_transformers
@pytest.mark.parametrize("kind", KINDS)
def test_transformers(kind, tmp_path):
    """A tokenizer of transformers against its files read by us: same ids, groups that end at the same places."""
    other = make(kind)
    other.save_pretrained(tmp_path)
    own = spm_lite.load(tmp_path)
    texts = [text for text in FAST_TEXTS if own.encode(text) == other.encode(text, add_special_tokens=False)]
    found = spm_lite.align(own, other, texts)
    assert found.a == found.b
    kinds = found.kinds()
    assert kinds["1:n"] == kinds["n:1"] == 0
    assert kinds["1:1"] > 3 * kinds["n:m"]
