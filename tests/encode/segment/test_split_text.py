"""Words of ASCII, eight characters at once, against a look at each character."""

import random
from itertools import product

import pytest

import spm_lite
from spm_lite.encode.segment.split_text import matches
from spm_lite.vocab.split_pattern_names import RULES

SIGNS = ["a", "z", "A", "Z", "`", "{", "@", "[", "'", " ", "\n", "1", "-", "\0", "\x7f", "\u00e9", "\u0301", "\u4e2d"]


@pytest.mark.parametrize("pattern", RULES)
def test_every_sign_at_every_place(pattern):
    for word, sign, after in product(
        ("abcdefghijklmnopqrst", "ABCDEFGHIJKLMNOPqrstu", " abcdefghijklmnopq"), SIGNS, SIGNS
    ):
        for place in range(len(word) + 1):
            text = (word[:place] + sign + after + word[place:]).encode()
            assert matches(text, pattern) == matches(text, pattern, one_by_one=True), text


@pytest.mark.parametrize("pattern", RULES)
def test_random_words(pattern):
    rng = random.Random(4)
    for _ in range(4000):
        text = "".join(rng.choice(SIGNS) * rng.choice((1, 1, 2, 5, 7, 8, 9, 16)) for _ in range(rng.randrange(12)))
        assert matches(text.encode(), pattern) == matches(text.encode(), pattern, one_by_one=True), text


@pytest.mark.parametrize("pattern", RULES)
def test_what_stands_after_a_text_in_memory_changes_nothing(pattern, tmp_path):
    own = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264).to_tiktoken(tmp_path / "x")
    assert own != pattern
    tok = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x", pattern=pattern)
    whole = b"  the catS Sat'S'll abcdefgHIJKLMNOP"
    texts = [whole[:size] for size in range(len(whole))]
    parts = [matches(text, pattern, one_by_one=True) for text in texts]
    assert tok.encode_lists(texts) == [[i for part in some for i in tok.encode(part)] for some in parts]
