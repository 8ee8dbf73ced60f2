"""Compiled patterns against a naive backtracking search, and the number of characters that they read."""

import random

import pytest
from oracle import backtracking

from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import parse_pattern
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN, O200K_PATTERN

PATTERNS = [
    GPT2_PATTERN, O200K_PATTERN, "", "a", "a*", "a+?b", "a??b", "(a|ab)(c|bcd)?", "a{2,3}?b?", "a++b", "a*+",
    "(?>a{1,2})a", "(?i:'s|LL)", "(?i)x|'S", r"\bfoo\b|\B", "^a|b$", r"\Aa|b\z|c\Z", "(?=ab)a|b", "(?!ab)[ab]",
    "(?<=a)b|(?<!a)c",
    r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))", r"(?=(?:\d{3})+(?!\d))", "(?=.*b)a", "(?!.*(?=b)a)b|a", "[^ab]+|a|b",
    r"[\p{Lu}&&[^A-C]]+", "[^[^a]]", r"x(?:ab|a)*b", "(?:a|b)*?c|a", ".+", "(?m:.+)", r"\s+(?!\S)|\s+", r"[\s\S]{2}",
    "aaab|aa|b", "(?=a(?=b(?=c)))a|.", "a(?=b)b|(?!c)(?=.)(?<=b).",
]  # fmt: skip
SIGNS = [b"a", b"b", b"c", b"A", b"1", b"23", b" ", b"  ", b"\n", b"\r", b"'", b"s", b"LL", "é".encode(), "中".encode(),
         "\u0301".encode(), "ſ".encode(), b"\xff", b"\xe4\xb8", b"\xf0", b"foo", b"x", b"d"]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_matches_are_those_of_a_naive_search(pattern):
    scanner, tree, rng = compile_pattern(pattern), parse_pattern(pattern), random.Random(3)
    for _ in range(300):
        text = b"".join(rng.choice(SIGNS) * rng.choice((1, 1, 1, 2, 4)) for _ in range(rng.randrange(9)))
        assert scanner.matches(text) == backtracking.matches(tree, text), text


LONG = 200_000


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (GPT2_PATTERN, b"the cat " * (LONG // 8)),
        ("[a-z]+1", b"a" * LONG),  # each walk but the first would read on to the end
        ("a*b|a", b"a" * LONG),
        ("(?:ab)*c|a|b", b"ab" * (LONG // 2)),
        (r"(?=(?:\d{3})+(?!\d))", b"1" * LONG),
        (r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))", b"1" * LONG),
        ("a(?=.*b)", b"a" * LONG),
        (r"\s+x|\s", b" " * LONG),
        ("(?:a|b|ab)+c|[ab]", b"ab" * (LONG // 2)),
        ("😀+x|😀", "😀".encode() * (LONG // 4)),
        ("a*?b|a(?!a*c)", b"a" * LONG),
    ],
)
def test_the_number_of_characters_read_grows_with_the_text(pattern, text):
    found, n_steps = compile_pattern(pattern).counted_matches(text)
    assert n_steps <= 120 * len(text)  # where nothing is kept: some half of its square
    assert len(found) <= len(text) + 1


def test_a_text_ends_where_it_ends():
    whole = "a中b 12".encode()
    for size in range(len(whole) + 1):
        text = whole[:size]
        for pattern in (GPT2_PATTERN, ".", r"\w+", "(?=.b)."):
            assert compile_pattern(pattern).matches(text) == backtracking.matches(parse_pattern(pattern), text)


@pytest.mark.parametrize("n", [16, 31, 32, 33, 64, 65, 90])
def test_a_pattern_may_have_many_sets(n):
    """Classes are told apart by more sets than an integer of C has bits."""
    signs = [chr(0x4E00 + i) for i in range(n)]
    scanner = compile_pattern("|".join(f"{sign}{after}" for sign, after in zip(signs, reversed(signs), strict=True)))
    found = [f"{a}{b}" for a in signs for b in signs if scanner.matches(f"{a}{b}".encode())]
    assert found == [f"{sign}{after}" for sign, after in zip(signs, reversed(signs), strict=True)]
