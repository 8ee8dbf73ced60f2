"""Cuts after ByteLevel, as Falcon has them: the ids of tokenizers, or a refusal that names what is cut otherwise."""

import json
import random
from itertools import pairwise

import pytest

import spm_lite
from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.read_cuts import NUMBERS

tokenizers = pytest.importorskip("tokenizers")

PUNCTUATION = {"type": "Punctuation", "behavior": "Contiguous"}
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
DIGITS = {"type": "Digits", "individual_digits": False}
EACH_DIGIT = {"type": "Digits", "individual_digits": True}
SIGNS = [
    *("0", "1", "12", "123", "4567", "a", "the", " ", "  ", "\n", "\t", ".", "...", "?!", "-", "'s", "é", "ò", "²"),
    *("³¹", "½", "¾", "\u0664\u0665", "\u0e32", "\u0e20\u0e32", "東京", "日", "e\u0301", "👩\u200d👧", "\u2581", "\0"),
    *("\u00a0", "\U00011de3", "\u2488", "Ⅷ", "x1", "1x", "²3", "3²", "òò", "\ufffd"),
]


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


THREES = split("[0-9][0-9][0-9]")
FALCON = [PUNCTUATION, LEVEL, DIGITS, THREES]


def texts(n=600):
    draw = random.Random(3)
    return ["".join(draw.choices(SIGNS, k=draw.randint(0, 14))) for _ in range(n)]


def trained(steps):
    """A file whose vocabulary is trained with these cuts."""
    parts = json.loads(tokenizers.Tokenizer(tokenizers.models.BPE()).to_str())
    partner = tokenizers.Tokenizer.from_str(json.dumps(parts | {"pre_tokenizer": sequence(steps)}))
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    partner.train_from_iterator(
        texts(), tokenizers.trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    )
    return json.loads(partner.to_str())


def sequence(steps):
    return {"type": "Sequence", "pretokenizers": steps}


def load(parts):
    return spm_lite.load(json.dumps(parts).encode(), format="tokenizer.json")


@pytest.mark.parametrize(
    "steps",
    [
        FALCON,
        [PUNCTUATION, LEVEL, EACH_DIGIT, THREES],
        [LEVEL | {"use_regex": False}, DIGITS],
        [LEVEL | {"add_prefix_space": True}, THREES, DIGITS],
        [LEVEL, split("[a-z]1|[.?]+", "MergedWithNext"), split("(?:12|x)+", "Contiguous")],
        [LEVEL | {"use_regex": False}, split("[0-9a-z]+", "Removed", True)],
    ],
)
def test_texts_get_the_ids_of_tokenizers(steps):
    parts = trained(steps)
    tok, other = load(parts), tokenizers.Tokenizer.from_str(json.dumps(parts))
    again = spm_lite.load(tok.to_bytes())
    for text in texts():
        ids = other.encode(text).ids
        assert tok.encode(text) == again.encode(text) == ids, text


def test_numbers_are_what_digits_takes_for_them():
    digits = tokenizers.pre_tokenizers.Digits(True)
    assert {sign for sign in BYTES if len(digits.pre_tokenize_str(f"a{sign}a")) == 3} == NUMBERS
    assert sorted(BYTES[sign] for sign in NUMBERS if not sign.isascii()) == [0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE]


@pytest.mark.parametrize(
    ("steps", "change", "message"),
    [
        ([LEVEL, DIGITS], {"merges": [["\u00c3", "²"]]}, "Digits after ByteLevel, which cuts what the merge of"),
        ([LEVEL, DIGITS], {"merges": [["1", "a"]]}, "the merge of '1' and 'a'"),
        ([LEVEL, EACH_DIGIT], {"merges": [["1", "1"]]}, "the merge of '1' and '1'"),
        ([LEVEL, DIGITS], {"ignore_merges": True}, "a prefix or suffix of pieces or ignore_merges"),
        ([LEVEL, DIGITS], {"vocab": {"a": 0}}, "no piece for the byte 0x"),
        ([LEVEL, split(r"\p{N}")], {}, "matches more than printable ASCII"),
        ([LEVEL, split("(?<=a)b")], {}, "matches more than printable ASCII"),
        ([LEVEL, split("a*")], {}, "matches more than printable ASCII"),
        ([LEVEL, split(r"(a)\1")], {}, "pre_tokenizer: the pattern .*the escape"),
        ([LEVEL, DIGITS, split("[0-9a]")], {}, "matches more than the digits 0 to 9, after Digits"),
        ([LEVEL, {"type": "Whitespace"}], {}, "the component Whitespace after ByteLevel"),
        ([LEVEL, LEVEL], {}, "the component ByteLevel after ByteLevel"),
        ([PUNCTUATION, LEVEL | {"add_prefix_space": True}, DIGITS], {}, "add_prefix_space: true, after Punctuation"),
    ],
)
def test_what_would_cut_otherwise_is_named(steps, change, message):
    vocab = {sign: i for i, sign in enumerate(BYTES)}
    for left, right in change.get("merges", []):
        vocab[left + right] = len(vocab)
    model = {"type": "BPE", "vocab": vocab, "merges": [], **change}
    with pytest.raises(ModelError, match=message):
        load({"version": "1.0", "pre_tokenizer": sequence(steps), "model": model})


def test_merges_of_a_trained_file_join_nothing_that_digits_cuts():
    """The definition: no piece of Falcon's training has a number beside another byte."""
    for piece in trained(FALCON)["model"]["vocab"]:
        assert all((a in NUMBERS) == (b in NUMBERS) for a, b in pairwise(piece)), piece
