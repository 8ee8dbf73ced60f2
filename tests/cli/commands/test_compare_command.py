"""Excerpts of two documents, cut around their first difference."""

from spm_lite.cli.commands.compare_command import excerpts


def test_excerpts():
    a, b = list("abcdefghij" * 9), [*"abcdefghij", "abcdefghij" * 8]
    left, right = excerpts(a, b)
    assert left.split(" | ") == ["...", *a[4:40], "..."]
    assert right.split(" | ") == ["...", *b[4:]]
    assert excerpts(["a"], ["a"]) == ["a", "a"]
    assert excerpts(["a", "b"], ["a"]) == ["a | b", "a"]
