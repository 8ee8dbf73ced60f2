"""The beginning of a text that fits into some columns, found without measuring all beginnings."""

import random

import pytest

from spm_lite.cli.terminal.width import cut, fits, text_width, wrapped

SIGNS = "ab \u00e9\u6f22\uac00\u0301\u200d\ufe0f\u2764\U0001f44d\U0001f3fd\U0001f468\u263a\t\u200b\0\u0e01\u270c"


def cut_by_definition(text, width):
    end = 0
    while end < len(text) and text_width(text[: end + 1]) <= width:
        end += 1
    return text[:end]


@pytest.mark.parametrize("seed", range(4))
def test_cut_equals_its_definition(seed):
    chance = random.Random(seed)
    for _ in range(500):
        text, width = "".join(chance.choices(SIGNS, k=chance.randrange(25))), chance.randrange(-1, 20)
        assert cut(text, width) == cut_by_definition(text, width), (text, width)
        assert fits(text, width) == (text_width(text) <= width), (text, width)


@pytest.mark.parametrize("text", ["a" + "\u0301" * 200_000, "\ufe0f" * 200_000, "\u6f22" * 200_000])
def test_long_texts_are_cut_and_wrapped_in_linear_time(text):
    part = cut(text, 80)
    assert text_width(part) <= 80
    assert part == text or text_width(text[: len(part) + 1]) > 80
    assert wrapped(text, 80).replace("\n", "") == text
