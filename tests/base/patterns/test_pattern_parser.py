"""Constructs that are not read are named with their place; two dialects say the same in their own spellings."""

import pytest

from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import ONIGURUMA, RUST, parse_pattern, respelled
from spm_lite.errors import ModelError


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        (r"(a)\1", r"the escape \\1 at character 3"),
        (r"\k<a>", r"the escape \\k at character 0"),
        ("a(?<=bc)", "a look behind at other than one character at character 1"),
        ("(?:ab)++", "a possessive quantifier of more than one character at character 6"),
        ("(?>ab|c)", "an atomic group around more than one repeated character"),
        ("(?:a*)*", "a repeated group that may be empty at character 6"),
        ("(a", "an open group at character 0"),
        ("a)", r"an unopened \) at character 1"),
        ("[a", r"an open \[ at character 0"),
        ("[]a]", r"a \] right after \["),
        ("[[:alpha:]]", "a bracket of POSIX at character 1"),
        (r"\p{Klingon}", "the property 'Klingon' at character 0"),
        ("*a", r"a \* that repeats nothing at character 0"),
        ("a{2000}", "a count above 1000 at character 1"),
        ("(?x:a b)", "the flag 'x' at character 0"),
        ("(?~a)", r"the group \(\?~ at character 0"),
        (r"\xff", "a number of a byte at character 0"),
        ("(?i:ss)", "letters that are one character in another case"),
        ("(?i:ß)", "a character that is several in another case"),
        ("[z-a]", "a range that ends before it begins"),
        ("[a&&]", "a && with nothing after it"),
        (r"[^\s\S]", "a set of no characters"),
        (r"[^[^\w]&&[^\W]b]", "a && of sets that share no character beyond ASCII"),
        (r"([ab])\1", r"the escape \\1 at character 6"),
        (r"([ab])(?:[cd])\1*", r"the escape \\1 at character 14"),
        (r"(?<name>a)([b])\1*", r"the escape \\1 at character 15"),
        (r"(.)\1*", r"the escape \\1 at character 3"),
        (r"[\w-a]", "a - after a set"),
        (r"\z*", "a quantifier of what has no characters"),
        ("(" * 200, "more than 100 groups in one another"),
        (r"\G", r"the escape \\G at character 0"),
    ],
)
def test_a_construct_that_is_not_read_is_named_with_its_place(pattern, what):
    with pytest.raises(ModelError, match=what):
        parse_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(?:a{0,99}){0,99}{0,99}", "[ab]*a[ab]{20}", "(?:a{1000}){1000}"])
def test_a_pattern_that_would_need_much_memory_is_refused(pattern):
    with pytest.raises(ModelError, match=r"states|parts|at character"):
        compile_pattern(pattern)


SAME = [  # of the dialect of Oniguruma, of Rust
    (r"a\z", "a$"),
    (r"\Aa", "^a"),
    (r"(?>a{1,2})", "a{1,2}+"),
    ("(?m:.)", "(?s:.)"),
    ("a$", "(?m)a$"),
    ("(?:a$)", "(?mu:a$)"),
    (r"(?i)\Aa", "(?iu-m)^a"),
    (r"(?:\Aa)", "(?-m:^a)"),
    (r"\p{L}+", r"\pL+"),
    (r"\p{L}(?:a)", r"\pL(?<name>a)"),
    ("(?:a{2})b", "a{2}?b"),
    ("(?:a{2})?b", "a{2}??b"),
    (r"\x{41}", r"\u{41}"),
]


@pytest.mark.parametrize(("oniguruma", "rust"), SAME)
def test_two_dialects_say_the_same(oniguruma, rust):
    assert parse_pattern(oniguruma, ONIGURUMA) == parse_pattern(rust, RUST)
    assert parse_pattern(respelled(rust, RUST, ONIGURUMA)) == parse_pattern(oniguruma)
    assert parse_pattern(respelled(oniguruma, ONIGURUMA, RUST), RUST) == parse_pattern(oniguruma)


@pytest.mark.parametrize(
    "pattern", ["a{1,2}+", "a{2}?", "^a$", r"a\Z", "a(?i)b|c", "a{,3}b", r"(?<name>a)", "(?m)a.|b", r"\h+"]
)
def test_a_pattern_of_tokenizers_is_respelled_for_tiktoken(pattern):
    text = respelled(pattern, ONIGURUMA, RUST)
    given, spelled = compile_pattern(pattern), compile_pattern(text, RUST)
    for sample in (b"", b"a", b"aa\n", b"aaab\naB", b"aaaaac\n\nab", b"abBa c0fF"):
        assert given.matches(sample) == spelled.matches(sample), text


def test_a_word_has_other_signs_in_brackets():
    assert compile_pattern(r"\w").matches("²".encode()) == [(0, 2)]
    assert compile_pattern(r"[\w]").matches("²".encode()) == []
    assert compile_pattern(r"\w", RUST).matches("²\u200d".encode()) == [(2, 5)]


def test_the_number_of_a_group_of_one_character_makes_runs_of_it():
    """As in the pattern of Nougat and Galactica."""
    signs = parse_pattern(r"([!?])\1*")
    assert signs == parse_pattern(r"!+|\?+")
    assert parse_pattern(r"([ab])\1+") == parse_pattern("a{2,}|b{2,}")
    assert parse_pattern(respelled(r"([!?])\1*", "oniguruma", "rust"), "rust") == signs
