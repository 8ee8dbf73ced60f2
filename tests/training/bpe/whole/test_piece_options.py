"""Options that restrict pieces, alone and in pairs: the merges of a naive twin, and encoding that keeps the rules."""

import itertools
import random

import pytest
from oracle import byte_bpe
from oracle.slow import slow_after
from oracle.validity import has_few_digits

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training.options.checks import check_options

WORDS = [
    "12", "1234567", "१२३", "क१", "٧", "ก", "กิ", "กาก", "ขึ้น", "कि", "नमक्या", "e\u0301", "한글", "가", "🇩🇪🇫🇷",
    "👩\u200d👩\u200d👧", "日本", "ab", "a,b", " ", "  ", "\u2581", "\0", "\r\n", "'s",
]  # fmt: skip
ILL_FORMED = [b"\xff", b"\xe0\xb8", b"\xb8\x81", b"\x81", b"\xe0", b"\xf0\x9f", b"\xe0\x80\x80", b"\xed\xa0\x80"]
RULES = [
    {"split_digits": True},
    {"split_digits": 2},
    {"whole_characters": True},
    {"graphemes": True},
    {"split_pattern": r"\p{L}+|\p{N}{1,3}|[^\p{L}\p{N}]"},
    {"split_by_whitespace": False},
    {"max_sentencepiece_length": 3},
]
SETS = [*RULES, *({**a, **b} for a, b in itertools.combinations(RULES, 2))]
PLAIN = {"split_by_unicode_script": False, "split_by_number": False}


def corpus(rng):
    words = rng.sample(WORDS, rng.randrange(2, 9))
    texts = ["".join(rng.choices(words, k=rng.randrange(1, 12))).encode() for _ in range(rng.randrange(1, 7))]
    if rng.random() < 0.4:
        texts.append(b"".join(rng.choices([*ILL_FORMED, b"a", "ก".encode(), b"1"], k=9)))
    return texts * rng.choice([1, 1, 3])


def train(texts, n_merges, **options):
    given = {"bos_id": -1, "eos_id": -1, "hard_vocab_limit": False, **options}
    return spm_lite.train(texts=texts, model_type="byte_bpe", vocab_size=256 + n_merges, **given)


def pieces_of(tok):
    return [tok.id_to_piece(i).encode("utf-8", "surrogateescape") for i in range(len(tok))]


def spec_of(options) -> TrainerSpec:
    return check_options(model_type="byte_bpe", vocab_size=300, **options).trainer


@pytest.mark.parametrize("options", SETS, ids=str)
@pytest.mark.parametrize("seed", slow_after(4, range(60)))
def test_merges_and_encoding(seed, options):
    rng = random.Random(f"{seed}{options}")
    texts, n_merges, options = corpus(rng), rng.randrange(1, 60), {**PLAIN, **options}
    tok = train(texts, n_merges, num_threads=rng.choice([1, 2, 7]), **options)
    spec = spec_of(options)
    expected = byte_bpe.learn(texts, spec, n_merges)
    assert pieces_of(tok)[256:] == expected, (texts, options)
    every = pieces_of(tok)
    for text in [*texts, b"".join(rng.choices([*ILL_FORMED, *map(str.encode, WORDS)], k=12))]:
        parts = [every[i] for i in tok.encode(text)]
        assert b"".join(parts) == text
        if spec.whole_characters or spec.split_digits or spec.graphemes:
            assert all(map(byte_bpe.is_whole, parts))
        assert all(has_few_digits(part.decode("utf-8", "ignore"), spec) for part in parts)


def test_pieces_are_whole_characters_or_parts_of_one():
    """A character without a piece is spelled by parts of itself alone, and text around it is as it was."""
    texts = ["กากีกึ", "ขาขีขึ", "한글 한국 하늘", "é è ê ë", "日本 日米"] * 30
    plain, whole = train(texts, 150), train(texts, 150, whole_characters=True)
    assert not all(map(byte_bpe.is_whole, pieces_of(plain)))
    assert all(map(byte_bpe.is_whole, pieces_of(whole)))
    assert any(len(piece) > 1 and byte_bpe.PART.fullmatch(piece) for piece in pieces_of(whole))
    for data in ["ก๙ข".encode(), "กก".encode()[:-1], "กก".encode()[1:], b"\xff\xe0\xb8a", "日本é".encode()]:
        parts = [pieces_of(whole)[i] for i in whole.encode(data)]
        assert b"".join(parts) == data and all(map(byte_bpe.is_whole, parts))


def test_a_table_and_a_checkpoint_have_no_part_in_it(tmp_path):
    """The option changes no count: one table serves both models, and so do a checkpoint's counts after an error."""
    texts = ["กากีกึ 12", "ขาขีขึ"] * 30
    table = spm_lite.CountTable.count(texts, model_type="byte_bpe")
    with pytest.raises(spm_lite.OptionError, match="whole_characters has no part in counting"):
        spm_lite.CountTable.count(texts, model_type="byte_bpe", whole_characters=True)
    for value in False, True:
        given = {"model_type": "byte_bpe", "vocab_size": 290, "whole_characters": value, "hard_vocab_limit": False}
        assert spm_lite.train(table, **given) == spm_lite.train(texts, **given)
        assert spm_lite.train(texts, checkpoint=tmp_path / "c", **given) == spm_lite.train(texts, **given)


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "wordpiece", "word", "char"])
def test_other_model_types(model_type):
    given = {"vocab_size": 300, "hard_vocab_limit": False, "model_type": model_type, "whole_characters": True}
    with pytest.raises(spm_lite.OptionError, match="pieces of these models are whole characters anyway") as caught:
        spm_lite.train(["a b"] * 9, **given)
    assert {"model_type": "byte_bpe"} in caught.value.remedies
    for change in caught.value.remedies:
        assert len(spm_lite.train(["a b"] * 9, **given | change))
