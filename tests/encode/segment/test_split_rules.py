"""Split patterns, written out in Cython, against the same patterns in the package `regex`."""

import random

import pytest
from oracle import split_patterns
from oracle.slow import slow_after

from spm_lite.base.unicode.split_classes import class_of
from spm_lite.encode.segment.split_text import matches
from spm_lite.vocab.split_pattern_names import PATTERNS, RULES

pytestmark = pytest.mark.dev

NAMES = [*PATTERNS, "gpt2 of tokenizers"]
ALL = {**PATTERNS, "gpt2 of tokenizers": next(iter(RULES))}
PARTS = [
    " ", "  ", "   ", "\n", "\r", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x85", "'", "'s", "'S", "'ll",
    "'LL", "'lL", "'re", "'Ve", "'m", "'d", "'t", "'\u017f", "'l", "'r", "a", "B", "ab", "AB", "aB", "Ab", "\u01c5",
    "\u02b0", "\u4e2d", "\u5b57", "\u0e44", "\u0e17", "\u0e22", "\u0e48", "\u0301", "\u0900", "\u0924", "\u093f",
    "\u05e9", "\u0627", "1", "12", "123", "\u0663", "\u00b2", "\u2167", "!", "?!", "/", "//", "-", "_", "\u3002",
    "\u2026", "\U0001f30d", "\u200d", "\ufe0f", "\0", "\u2581", "\ue000", "\u0378", "\U00031350", "#", "$", "(", ")",
    "abcdefg", "Abcdefgh", "abcdefghijklmno", "Abcdefghijklmnop", "HELLOWO", "HELLOWOR", "z", "Z", "{", "[",
]  # fmt: skip


def ours(name, text):
    return [part.decode("utf-8") for part in matches(text.encode(), ALL[name])]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", slow_after(1, range(4)))
def test_random_strings(name, seed):
    rng = random.Random(seed)
    for _ in range(2500):
        text = "".join(rng.choices(PARTS, k=rng.randrange(1, 14)))
        found = ours(name, text)
        assert found == split_patterns.matches(ALL[name], text), text
        for part in found:  # a match stands for itself: chunks are kept in a cache
            assert ours(name, part) == [part]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [997, pytest.param(499, marks=pytest.mark.slow)])  # 1: every character, an hour
def test_every_character(name, step):
    """Alone, and between letters, digits, spaces and apostrophes."""
    for first in range(0, 0x110000, 256 * step):
        last = min(first + 256, 0x110000)
        characters = [chr(code) for code in range(first, last) if not 0xD800 <= code < 0xE000]
        for frame in ("{}", "a{}b", "A{}B", "1{}2", " {} ", "'{}'", "\n{}\n", "\u4e2d{}\u4e2d", "!{}!"):
            text = "\0".join(map(frame.format, characters))
            assert ours(name, text) == split_patterns.matches(ALL[name], text)


@pytest.mark.slow
def test_classes_are_those_of_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    ranks = {bytes([byte]): byte for byte in range(256)}
    for numbers, pattern in (((1, 2, 3), r"\p{L}"), ((1,), r"[\p{Lu}\p{Lt}]"), ((2,), r"\p{Ll}"), ((4,), r"\p{M}"),
                             ((5,), r"\p{N}"), ((6,), r"\s")):  # fmt: skip
        encoding = tiktoken.Encoding("classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        theirs = set(bytes(encoding.encode_ordinary(every)).decode())
        assert {character for character in every if class_of(character) in numbers} == theirs


def test_ill_formed_bytes_are_signs():
    rng = random.Random(3)
    for name in NAMES:
        for _ in range(300):
            text = bytes(rng.choices(b"ab 1'\n\xc3\xa9\xe4\xb8\x96\xf0\xff\x80", k=rng.randrange(20)))
            assert b"".join(matches(text, ALL[name])) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_long_runs_take_linear_time(name):
    """Quadratic work on these would never end."""
    for part in ("a", "A", "aB", "\u4e2d", "1", " ", "\n ", "!", "/\n", "\u4e2dA", "'s", "\u0301", "A\u0301"):
        text = (part * 3_000_000)[:3_000_000].encode()
        assert sum(map(len, matches(text, ALL[name]))) == len(text)
