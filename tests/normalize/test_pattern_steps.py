"""Replacements by patterns against naive matches and tokenizers; marked parts against naive splits."""

import json
import pickle
import random

import pytest
from oracle import backtracking

from spm_lite.base.patterns.pattern_parser import parse_pattern
from spm_lite.errors import ModelError
from spm_lite.normalize.component_steps import steps_of
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.pattern_steps import PartsStep, ReplaceStep
from spm_lite.normalize.rules.charsmap import Charsmap

SIGNS = [*"aabbxxABe1.-_ ", "\n", "\r\n", "\t", "é", "e\u0301", "\u2581", "\u00a0", "中", "😀", "the", "  "]
PATTERNS = [
    r"a+", r"x*", "", "^", "^a", r"(?m)^a", r"\A", r"\A.", "$", "a$", r"\z", r"\Z", r"\s+\z", r"\s+$", r"\b", r"\Bb",
    r"(?<=a)", "(?!b)a", r"(?i)the", "(?m).+", ".+", r"\p{N}", r"[^\w\s]", "a|ab", r"(?:ab)*", r"(?<!a)b?", "é", "a{2}",
]  # fmt: skip
SPLITS = [
    (("-", "Removed", False),),
    ((r"\s+", "Removed", False), ("[.-]", "Isolated", False)),
    (("[ab]+", "MergedWithNext", True),),
    ((r"\s", "MergedWithPrevious", False), (r"\p{N}", "Contiguous", False)),
]


def random_text(draw):
    return "".join(draw.choices(SIGNS, k=draw.randint(0, 12)))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_matches_become_the_content(pattern):
    draw, tree = random.Random(pattern), parse_pattern(pattern)
    for content in (b"", b"-", "a▁".encode()):
        step = ReplaceStep(pattern, content)
        for _ in range(100):
            text = random_text(draw).encode()
            expected, done = b"", 0
            for begin, end in backtracking.matches(tree, text):
                expected += text[done:begin] + content
                done = end
            # A text that is empty is not looked at, in tokenizers neither.
            assert step.normalize(text) == (expected + text[done:] if text else b""), text


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_become_what_they_become_in_tokenizers(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(pattern)
    there = tokenizers.normalizers.Replace(tokenizers.Regex(pattern), "_x")
    part = {"type": "Replace", "pattern": {"Regex": pattern}, "content": "_x"}
    step = steps_of([json.dumps(part)])[0]
    for text in ["", *(random_text(draw) for _ in range(300))]:
        assert step.normalize(text.encode()).decode() == there.normalize_str(text), text


@pytest.mark.parametrize("is_prefixed", [True, False])
@pytest.mark.parametrize("splits", SPLITS)
def test_parts_are_marked(splits, is_prefixed):
    draw, sign = random.Random(str(splits)), "▁"
    trees = [(parse_pattern(pattern), behavior, invert) for pattern, behavior, invert in splits]
    step = PartsStep(splits, sign.encode(), is_prefixed)
    for _ in range(300):
        text = random_text(draw).encode()
        found = [text[begin:end].decode().replace(" ", sign) for begin, end in backtracking.parts(trees, text)]
        marked = [part if part.startswith(sign) or not is_prefixed else sign + part for part in found]
        assert step.normalize(text).decode() == "".join(marked), text


@pytest.mark.parametrize("seed", range(10))
def test_offsets_never_fall_and_end_in_the_text(seed):
    draw = random.Random(f"offsets {seed}")
    parts = [
        {"type": "Replace", "pattern": {"Regex": draw.choice(PATTERNS)}, "content": draw.choice(["", "y", "▁▁"])},
        {"type": "Split", "pattern": {"Regex": draw.choice(PATTERNS)}, "behavior": "Isolated", "invert": False},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    ]
    form, early, words = steps_of([json.dumps(part) for part in parts])
    normalizer = Normalizer(Charsmap(), False, False, True, compact=True, form=form, early=early, words=words)
    for _ in range(60):
        text = random_text(draw).encode()
        out, align = normalizer.normalize(text, True)
        assert out == normalizer.normalize(text)
        if out:
            assert len(align) == len(out) + 1 and align == sorted(align) and 0 <= align[0] <= align[-1] <= len(text)


def test_a_long_text_takes_as_long_as_its_parts():
    """Were the text read to its end from each place, this would take hours."""
    text = b"a " * 200_000 + b"a" * 200_000 + b" " * 200_000
    assert ReplaceStep("a+b", b"-").normalize(text) == text
    assert ReplaceStep(r"\s+$", b"-").normalize(text) == text.rstrip() + b"-"
    assert ReplaceStep("x*", b"-").normalize(text) == b"-" + b"".join(b"%c-" % sign for sign in text)


def test_steps_are_values():
    for step in (ReplaceStep("a+", b"-"), PartsStep((("-", "Removed", False),), b"_", False)):
        assert pickle.loads(pickle.dumps(step)).normalize(b"baa-b c") == step.normalize(b"baa-b c")


def test_bytes_that_are_not_utf8_stay():
    assert ReplaceStep("a", b"b").normalize(b"a\xffa\xe2\x28") == b"b\xffb\xe2\x28"
    assert PartsStep((("-", "Removed", False),), b"_").normalize(b"\xff-\xe2 ") == b"_\xff_\xe2_"


def test_a_pattern_that_is_not_read_is_an_error():
    with pytest.raises(ModelError, match="the escape"):
        ReplaceStep(r"(a)\1", b"")
    with pytest.raises(ModelError, match="the escape"):
        PartsStep(((r"(a)\1", "Removed", False),), b"_")
