"""The beginning of a text that fits into some columns, found without measuring all beginnings."""

import random

import pytest

from spm_lite.cli.tables import cut, fits, text_width, wrapped

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


def test_a_word_that_fits_only_without_the_title_begins_near_the_edge():
    row = f"{'digest':<14}{'7c' * 17}"
    assert wrapped(row, 40, " " * 14).split("\n") == ["digest", "  " + "7c" * 17]
    row = f"{'rules':<14}first and_a_word_of_thirty_characters last"
    assert wrapped(row, 40, " " * 14).split("\n") == [
        "rules         first",
        "  and_a_word_of_thirty_characters last",
    ]


def test_shorter_words_stay_beside_the_title_and_longer_ones_are_cut():
    row = f"{'types':<14}one two three four five six"
    assert wrapped(row, 30, " " * 14).split("\n") == [
        "types         one two three",
        " " * 14 + "four five six",
    ]
    row = f"{'digest':<14}{'7c' * 32}"
    assert wrapped(row, 40, " " * 14).split("\n") == ["digest", "  " + "7c" * 19, "  " + "7c" * 13]
