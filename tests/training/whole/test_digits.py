"""split_digits in digits of many scripts: which pieces are learned, how numbers are encoded, which tables fit."""

import random
import sys
import unicodedata

import pytest
from oracle import byte_bpe
from oracle.slow import slow_after
from oracle.validity import is_valid

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training.count_table import CountTable
from spm_lite.training.counts.cut_rules import is_valid_piece

ZEROS = "0٠۰߀०০๐໐༠၀០᠐꘠０𞥐𝟎"  # of sixteen scripts and styles; ASCII and full width are those of the original
LETTERS = ["a", " b", "क", "กา", "ب", "文", ".", ",", "e\u0301", "👍\u200d"]
TYPES = ["bpe", "unigram", "byte_bpe"]


def numbers(rng, n=400):
    """Numbers of one script each, beside letters of any."""
    texts = []
    for _ in range(n):
        zero = ord(rng.choice(ZEROS))
        digits = "".join(chr(zero + rng.choice([0, 1, 1, 2, 9])) for _ in range(rng.randrange(1, 9)))
        texts.append(rng.choice(["", *LETTERS]) + digits + rng.choice(["", *LETTERS]))
    return texts


def n_digits(text):
    return sum(map(str.isdecimal, text))


def train(texts, model_type, **options):
    return spm_lite.train(texts, model_type=model_type, vocab_size=700, hard_vocab_limit=False, **options)


@pytest.fixture(scope="module")
def texts():
    return numbers(random.Random(1)) * 3


@pytest.mark.parametrize("model_type", TYPES)
def test_every_digit_is_a_piece_of_its_own(model_type, texts):
    tok = train(texts, model_type, split_digits=True)
    learned = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
    assert not [piece for piece in learned if n_digits(piece) and len(piece) > 1]
    assert {chr(ord(zero) + 1) for zero in ZEROS} <= {*learned}
    for text in texts:
        pieces = tok.pieces(text)
        assert [piece for piece in pieces if n_digits(piece)] == [c for c in text if c.isdecimal()]
        assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("most", [2, 3])
def test_at_most_so_many_digits(model_type, most, texts):
    tok = train(texts, model_type, split_digits=most)
    counts = [n_digits(tok.id_to_piece(i)) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
    assert max(counts) == most
    for text in texts:
        assert max(map(n_digits, tok.pieces(text))) <= most
        assert tok.decode(tok.encode(text)) == text
    if model_type != "byte_bpe":  # there, no byte of a digit joins another character either
        free = train(texts, model_type, max_sentencepiece_length=most)
        assert train(texts, model_type, max_sentencepiece_length=most, split_digits=most) == free


def test_byte_pieces_hold_no_part_of_a_digit_and_anything_else():
    """Two letters and a digit begin with the same bytes, so that plain merges cross the beginning of the digit."""
    texts = ["कै", "कै कै", "क१", "कृ"] * 50
    for options, crosses in ({}, True), ({"split_digits": True}, False), ({"split_digits": 2}, False):
        tok = train(texts, "byte_bpe", **options)
        pieces = [tok.id_to_piece(i).encode("utf-8", "surrogateescape") for i in range(len(tok))]
        assert all(map(byte_bpe.is_whole, pieces)) is not crosses
        for text in texts:
            assert b"".join(pieces[i] for i in tok.encode(text)).decode() == text


def test_all_decimal_digits():
    """Those of Python's Unicode, which is older than ours or the same."""
    lone, few = TrainerSpec(split_digits=True), TrainerSpec(split_digits=2, split_by_unicode_script=False)
    lone_bytes = TrainerSpec(split_digits=True, model_type="byte_bpe")
    few_bytes = TrainerSpec(split_digits=2, model_type="byte_bpe")
    for point in range(sys.maxunicode + 1):
        c = chr(point)
        if unicodedata.category(c) != "Nd":
            continue
        for text in c + c, f"a{c}", f"{c}\u0301":
            assert is_valid_piece(c, lone) and not is_valid_piece(text, lone)
            assert is_valid_piece(c.encode(), lone_bytes) and not is_valid_piece(text.encode(), lone_bytes)
        for text, is_piece in (f"1{c}a", True), (f"1{c}2", False), (f"{c}a{c}", True), (c * 3, False):
            assert is_valid_piece(text, few) == is_piece == is_valid_piece(text.encode(), few_bytes)
    for c in "²½Ⅷ一a":
        assert is_valid_piece(c + c, lone) and is_valid_piece((c + c).encode(), lone_bytes)


def test_the_digits_of_the_original_under_its_rules():
    spec = TrainerSpec(split_digits=True, split_by_unicode_script=False)
    for zero in ZEROS:
        assert is_valid_piece(zero + zero, spec, True) == (zero not in "0０") == is_valid(zero + zero, spec, True)


@pytest.mark.parametrize("seed", slow_after(100, range(2000)))
def test_pieces_of_random_texts(seed):
    rng = random.Random(seed)
    spec = TrainerSpec(
        split_digits=rng.choice([True, 2, 3]), split_by_number=rng.random() < 0.5,
        split_by_unicode_script=rng.random() < 0.5,
    )  # fmt: skip
    for _ in range(20):
        text = "".join(rng.choices([*ZEROS, "a", "\u2581", ",", "\u0301", "क", "\0"], k=rng.randrange(1, 7)))
        assert is_valid_piece(text, spec) == is_valid(text, spec), (text, spec)


def test_tables(texts):
    """A number cuts no text. A table of digits that were cut as in older versions is read and gives the same merges."""
    for model_type in TYPES:
        plain = CountTable.count(texts, model_type=model_type)
        assert plain == CountTable.count(texts, model_type=model_type, split_digits=3)
        assert train(plain, model_type, split_digits=3) == train(texts, model_type, split_digits=3)
        every = CountTable.count(texts, model_type=model_type, split_digits=True)
        assert train(every, model_type, split_digits=True) == train(texts, model_type, split_digits=True)
        assert CountTable.from_arrow(every, model_type=model_type, split_digits=True) == every
    with pytest.raises(spm_lite.OptionError, match=r"split_digits=False, the count table has split_digits=True"):
        train(CountTable.count(texts, split_digits=True), "unigram", split_digits=3)
    for model_type, space in ("bpe", "\u2581"), ("byte_bpe", " "):
        older = [("१२३", 9), (f"{space}क१", 4), ("7", 5), ("क", 3)]
        older = [(text.encode(), n) for text, n in older]
        rows = arrow_rows(older)
        table = CountTable.from_arrow(rows, model_type=model_type, split_digits=True)
        tok = train(table, model_type, split_digits=True)
        learned = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
        assert not [piece for piece in learned if n_digits(piece) and len(piece) > 1]


def arrow_rows(rows):
    pa = pytest.importorskip("pyarrow")
    texts, counts = zip(*rows, strict=True)
    return pa.table({"text": pa.array(texts, pa.binary()), "count": pa.array(counts, pa.int64())})


@pytest.mark.parametrize("options", [{}, {"split_digits": False}])
def test_the_default_changes_nothing(options, texts):
    for model_type in TYPES:
        assert train(texts, model_type, **options) == train(texts, model_type)


def test_checkpoints(texts, tmp_path):
    for value in True, 3:
        folder = tmp_path / str(value)
        tok = train(texts, "bpe", split_digits=value, checkpoint=folder)
        assert tok == train(texts, "bpe", split_digits=value)


WRONG = [
    ({"split_digits": 1}, "split_digits=1: must be True, False or 2..512", {"split_digits": True}),
    ({"split_digits": 0}, "split_digits=0: must be True, False or 2..512", {"split_digits": False}),
    ({"split_digits": -3}, "split_digits=-3: must be 2..512", {"split_digits": 2}),
    ({"split_digits": 3, "reference_rules": True}, "each digit is a piece or", {"reference_rules": False}),
    (
        {"split_digits": 3, "model_type": "wordpiece"},
        "has no meaning for model_type='wordpiece'",
        {"split_digits": False},
    ),
    ({"split_digits": 3, "model_type": "word"}, "words and characters are taken whole", {"split_digits": False}),
    ({"split_digits": 3, "model_type": "char"}, "words and characters are taken whole", {"split_digits": False}),
]


@pytest.mark.parametrize(("options", "message", "remedy"), WRONG, ids=str)
def test_wrong_values(options, message, remedy, texts):
    given = {"model_type": "bpe", "vocab_size": 700, "hard_vocab_limit": False, **options}
    with pytest.raises(spm_lite.OptionError, match=message) as caught:
        spm_lite.train(texts, **given)
    assert remedy in caught.value.remedies
    for change in caught.value.remedies:
        assert len(spm_lite.train(texts, **given | change))


@pytest.mark.parametrize("value", [2.0, "3", None])
def test_wrong_types(value):
    with pytest.raises(spm_lite.ArgumentTypeError, match=r"split_digits=.* must be bool \| int"):
        train(["a"], "bpe", split_digits=value)
