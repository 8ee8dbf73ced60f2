"""Sets of characters against those of Python, and all properties against tokenizers and tiktoken on all code points."""

import random

import pytest
from oracle import extras
from oracle.slow import slow_after

from spm_lite.base.patterns.character_sets import (
    N_CHARACTERS,
    cases,
    categories,
    is_member,
    members,
    named,
    negated,
    scripts,
    shared,
    united,
    without_case,
)
from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import RUST

tokenizers = pytest.importorskip("tokenizers")
EVERY = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
PROPERTIES = [
    r"\s",
    r"\w",
    r"\d",
    r"[\w]",
    r"\W",
    r"\p{L}",
    r"\p{N}",
    r"\p{M}",
    r"\p{P}",
    r"\p{S}",
    r"\p{Han}",
    r"\P{Lu}",
]
PROPERTIES += [rf"\p{{{name}}}" for name in (*categories(), "Cn", "C", "LC", "Letter", "Any", "Greek", "hira", "Latin")]


def random_set(rng):
    return united([(begin, begin + rng.randrange(1, 9)) for begin in (rng.randrange(60) for _ in range(4))])


def test_sets_are_those_of_python():
    rng = random.Random(2)
    for _ in range(300):
        some, others = random_set(rng), random_set(rng)
        here, there = {*members(some)}, {*members(others)}
        assert {*members(united([some, others]))} == here | there
        assert {*members(shared(some, others))} == here & there
        assert [is_member(some, code) for code in range(70)] == [code in here for code in range(70)]
        assert negated(negated(some)) == some
        assert not here & {*members(shared(negated(some), (0, 70)))}
    assert negated(()) == (0, N_CHARACTERS)


def test_names_are_read_loosely():
    assert named("Uppercase_Letter") == named("lu") == named("Uppercase letter")
    assert named("Klingon") is None
    assert named("HIRAGANA") == named("hira")
    assert len(scripts()) > 300


def test_case():
    assert [*members(without_case((0x73, 0x74)))] == [0x53, 0x73, 0x17F]
    assert all(code in group for code, group in cases().items())


@pytest.mark.parametrize("pattern", slow_after(4, PROPERTIES))
def test_properties_are_those_of_tokenizers(pattern):
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed", invert=True)
    expected = "".join(text for text, _ in split.pre_tokenize_str(EVERY))
    data = EVERY.encode()
    assert b"".join(data[begin:end] for begin, end in compile_pattern(pattern).matches(data)).decode() == expected


@pytest.mark.dev
@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"\w", r"\s", r"\d", r"\p{L}", r"[^\w]", r"\pN", "(?i:[a-zé])", "."])
def test_properties_are_those_of_tiktoken(pattern):
    tiktoken = extras.need("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    data = EVERY.encode()
    found = b"".join(data[begin:end] for begin, end in compile_pattern(pattern, RUST).matches(data))
    assert found == bytes(encoding.encode_ordinary(EVERY))
