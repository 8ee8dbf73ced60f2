"""Kinds of junk, by hand."""

import pytest

from spm_lite.evaluation.vocabulary.junk import groups_of, kinds_of, without_space


@pytest.mark.parametrize(
    ("surface", "kinds"),
    [
        (" ", ["whitespace"]), ("   ", ["whitespace"]), (" the", []), (" and so", ["crosses_space"]), ("a ", []),
        ("\x07", ["control"]), ("\t", ["whitespace"]), ("\ufffd", ["replacement"]), ("\ue000", ["private_use"]),
        ("\U000e0fff", ["unassigned"]), (" 1", ["digits_1"]), ("12", ["digits_2"]), ("12345", ["digits_4+"]),
        ("a1", ["digits_and_letters"]), ("aж", ["mixed_script"]), ("?!", ["punctuation_run"]),
        ("----", ["punctuation_run", "repeat"]), ("aaaa", ["repeat"]), ("ab" * 9, ["long"]), ("aaa", []),
    ],
)  # fmt: skip
def test_kinds(surface, kinds):
    assert list(kinds_of(surface)) == kinds


def test_groups():
    assert groups_of("abcab") == {"groups": 2, "pieces": 4, "surplus": 2}
    assert groups_of("") == {"groups": 0, "pieces": 0, "surplus": 0}
    assert [without_space(text) for text in ("", " ", "  ", " a", "a ")] == ["", " ", " ", "a", "a "]
