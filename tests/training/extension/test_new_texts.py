"""What may become a new piece: names of scripts, the order of characters, and bytes of characters."""

import pytest

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.training.extension.new_texts import (
    are_bytes_of,
    new_characters,
    script_of,
    scripts_in,
    text_test,
    wanted_scripts,
)

THAI = frozenset({"Thai"})


def test_scripts() -> None:
    assert [script_of(one) for one in "aжのア漢ก!7\u0301\U0010ffff"] == [
        "Latin", "Cyrillic", "Han", "Han", "Han", "Thai", "Common", "Common", "Inherited", "Common",
    ]  # fmt: skip
    assert scripts_in("a!ก\u0301") == {"Latin", "Thai"}


def test_wanted_scripts() -> None:
    assert wanted_scripts(None, "a", "aก", "all") is None
    assert wanted_scripts("all", "a", "aก", "new") is None
    assert wanted_scripts(None, "a", "aก!", "new") == {"Thai"}
    assert wanted_scripts(["Thai", "Katakana"], "", "", "all") == {"Thai", "Han"}
    assert wanted_scripts("Thai", "", "", "all") == {"Thai"}


@pytest.mark.parametrize(
    ("only", "error", "message"),
    [
        ("Tai", OptionError, "did you mean 'Thai'"),
        ("Elvish", OptionError, "no script of Unicode, as 'Thai'"),
        (["Thai", 3], OptionError, "only holds 3"),
        (3, ArgumentTypeError, "must be the name of a script"),
        (b"Thai", ArgumentTypeError, "must be the name of a script"),
        ("new", OptionError, "letters of all scripts.*give only='all', or name .* such as Latin$"),
    ],
)
def test_wrong_scripts(only, error, message) -> None:
    with pytest.raises(error, match=message):
        wanted_scripts(only, "b", "a", "all")


def test_new_characters() -> None:
    counts = {"a": 90, "ข": 4, "ก": 4, "x": 2}
    assert new_characters(counts, "a", None, 1.0, 9) == ["ก", "ข", "x"]
    assert new_characters(counts, "a", None, 0.98, 9) == ["ก", "ข"]
    assert new_characters(counts, "a", None, 1.0, 1) == ["ก"]
    assert new_characters(counts, "a", frozenset({"Latin"}), 1.0, 9) == ["x"]
    assert new_characters(counts, "", None, 0.9, 9) == ["a"]
    assert new_characters({}, "", None, 1.0, 9) == []


def test_texts() -> None:
    test = text_test(["ab"], "x", None, False)
    assert [test(text) for text in ("ab", "abc", "ax", "a")] == [False, True, False, True]
    test = text_test([], "", THAI, False)
    assert [test(text) for text in ("\u2581ก", "a!", "aก")] == [True, False, True]


def test_bytes_of_characters() -> None:
    letter = "ก".encode()
    assert are_bytes_of(letter, THAI)
    assert are_bytes_of(b" " + letter, THAI)
    assert are_bytes_of(letter[:2], THAI)  # U+0E00 to U+0E3F are Thai alone
    assert are_bytes_of(b" " + letter[:2], THAI)
    assert not are_bytes_of(letter[:1], THAI)  # Lao and others begin so, too
    assert not are_bytes_of(letter[1:], THAI)
    assert not are_bytes_of("ລ".encode()[:2], THAI)
    assert not are_bytes_of(b"abc", THAI)
    assert not are_bytes_of(b"\xed\xa0", THAI)  # of surrogates
    assert not are_bytes_of(b"\xf4\x90\x80", THAI)
    assert are_bytes_of(b"\xd8\xa7", frozenset({"Arabic"}))
    assert all(not are_bytes_of(bytes([byte]), THAI) for byte in range(256))
    assert text_test([], "", THAI, True)(letter)
    assert text_test([letter], "", None, True)(letter) is False
