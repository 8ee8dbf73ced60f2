"""Byte-level BPE training against a naive twin, on random corpora with ties, repeats and odd bytes."""

import random

import pytest
from oracle import byte_bpe
from oracle.slow import slow_after

import spm_lite

ALPHABETS = [
    ["a", "b", "ab", " ", "  ", "\u2581"],
    ["é", "世", "界", "🌍", " ", "e\u0301", "\0"],
    ["low", "er", "est", "new", " ", " ", "wid"],
    ["a", "aa", " a", "  ", "\n", "\t"],
]
PLAIN = {"split_by_unicode_script": False, "split_by_number": False}
OPTIONS = [
    {},
    {"treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False},
    {"allow_whitespace_only_pieces": False},
    {"max_sentencepiece_length": 3},
    {"max_sentencepiece_length": 2, "split_by_whitespace": False},
]


def corpus(rng):
    alphabet = rng.choice(ALPHABETS)
    texts = ["".join(rng.choices(alphabet, k=rng.randrange(1, 14))) for _ in range(rng.randrange(1, 9))]
    data = [text.encode() for text in texts * rng.choice([1, 1, 3])]
    if rng.random() < 0.3:
        data.append(bytes(rng.choices([0xC3, 0xA9, 0x80, 0x80, 0xFF, 0x20, 0x41], k=9)))
    return data


def pieces_of(tok):
    return [
        tok.id_to_piece(i).encode("utf-8", "surrogateescape") for i in range(len(tok)) if tok.piece_type(i) != "control"
    ]


def train(texts, vocab_size, **options):
    return spm_lite.train(
        texts, model_type="byte_bpe", vocab_size=vocab_size, hard_vocab_limit=False, bos_id=-1, eos_id=-1, **options
    )


@pytest.mark.parametrize("seed", slow_after(40, range(400)))
def test_merges_of_random_corpora(seed):
    rng = random.Random(seed)
    texts, options = corpus(rng), {**PLAIN, **rng.choice(OPTIONS)}
    n_merges = rng.randrange(1, 40)
    tok = train(texts, 256 + n_merges, num_threads=rng.choice([1, 2, 7]), **options)
    expected = byte_bpe.learn(texts, spec_of(options), n_merges)
    assert pieces_of(tok) == [bytes([byte]) for byte in range(256)] + expected, (texts, options)
    ranks = {piece: i for i, piece in enumerate(expected)}
    assert all(byte_bpe.merged(piece, ranks) == [piece] for piece in expected)


def spec_of(options):
    from spm_lite.specs import TrainerSpec

    return TrainerSpec(model_type="byte_bpe", **options)


def test_every_piece_is_rebuilt_by_its_own_merges(tmp_path):
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdé世", k=rng.randrange(2, 9))) for _ in range(300)]
    texts = [" ".join(rng.choices(words, k=12)) for _ in range(300)]
    tok = train(texts, 2000)
    for piece_id, piece in enumerate(pieces_of(tok)):
        assert tok.encode(piece) == [piece_id]


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_sources_and_threads_give_the_same_bytes(tmp_path, n_threads):
    rng = random.Random(5)
    texts = ["".join(rng.choices(["the ", "cat", " sat", "世界", "é", "  ", "x"], k=30)) for _ in range(200)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    options = {"model_type": "byte_bpe", "vocab_size": 400, "num_threads": n_threads}
    model = spm_lite.train(texts, model_type="byte_bpe", vocab_size=400, num_threads=1).to_bytes()
    assert spm_lite.train(path, **options).to_bytes() == model
    assert spm_lite.train(iter(texts), **options).to_bytes() == model
    table = spm_lite.CountTable.count(path, model_type="byte_bpe", num_threads=n_threads)
    assert spm_lite.train(table, **options).to_bytes() == model
    halves = [spm_lite.CountTable.count(half, model_type="byte_bpe") for half in (texts[:70], texts[70:])]
    assert spm_lite.train(halves, **options).to_bytes() == model


def test_scripts_digits_and_marks_are_not_joined():
    texts = ["abc世界 12 ab1\u0301 кот\u0301кот", "a\u2581b\u2581"] * 20
    tok = train(texts, 400, split_digits=True)
    learned = [piece.decode("utf-8", "replace") for piece in pieces_of(tok)[256:]]
    assert not any(any(a.isascii() and a.isalpha() for a in piece) and "世" in piece for piece in learned)
    assert not any("1" in piece and len(piece) > 1 for piece in learned)
    assert " " + "abc"[0:2] in learned or "abc" in learned


def test_a_table_of_another_type_is_refused():
    table = spm_lite.CountTable.count(["a b"] * 9)
    with pytest.raises(spm_lite.OptionError, match=r"chunks that are pieces.*chunks that are bytes|bytes.*pieces"):
        spm_lite.train(table, model_type="byte_bpe", vocab_size=300)


@pytest.mark.parametrize("seed", slow_after(30, range(200)))
def test_merges_that_occur_often_enough(seed):
    """Before weights: the order is that of weighted counts, and occurrences decide."""
    rng = random.Random(seed)
    texts, least, n_merges = [corpus(rng) for _ in range(2)], rng.choice([1, 2, 4]), rng.randrange(1, 40)
    sources = dict(zip("ab", texts, strict=True))
    weights = {"a": 1, "b": rng.choice([1, 7, 30])}
    rules = {**PLAIN, "graphemes": rng.random() < 0.5}
    options = {"min_count": least, "num_threads": rng.choice([1, 2]), **rules}
    tok = train(sources, 256 + n_merges, weights=weights, **options)
    factors = [tok.report.sources[name].factor for name, given in sources.items() for _ in given]
    made = {}
    expected = byte_bpe.learn([*texts[0], *texts[1]], spec_of(rules), n_merges, least, factors, made)
    assert pieces_of(tok)[256:] == expected, (texts, weights, least)
    assert tok.report.rare_pieces == sum(n < 5 for n in made.values())
    plain = train(texts[0], 256 + n_merges, **options)
    made = {}
    assert pieces_of(plain)[256:] == byte_bpe.learn(texts[0], spec_of(rules), n_merges, least, made=made)
    assert plain.report.rare_pieces == sum(n < 5 for n in made.values())


def test_a_higher_min_count_than_anything_leaves_the_bytes():
    texts = ["the mill turns the wheel"] * 9
    assert pieces_of(train(texts, 300, min_count=1000)) == [bytes([byte]) for byte in range(256)]
    assert train(texts, 300, min_count=1) == train(texts, 300)
