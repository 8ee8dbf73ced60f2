"""What all comparisons share: differences are counted, shown and told by the exit status; conditions allow some."""

import importlib
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).resolve().parents[3] / "tools" / "compare"


@pytest.fixture(scope="module")
def tool():
    if not COMPARE.exists():
        pytest.skip(f"no {COMPARE}: the tests are run without the tools")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(COMPARE))
        return importlib.import_module("comparison")


def run(tool, monkeypatch, cases, *arguments):
    monkeypatch.setattr(sys, "argv", ["program", *arguments])
    monkeypatch.setattr(tool.Comparison, "shown", tool.Comparison.shown)  # set by `run`, and put back here
    return tool.run(tool.parser_of("About it.", seed=1), lambda args: iter(cases))


def test_differences_are_counted_shown_and_returned(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "BLOCK", 3)
    monkeypatch.setattr(tool.Comparison, "shown", 2)
    same, other = tool.Comparison("same"), tool.Comparison("other")
    same.compare("abcdefg", list, list)
    other.compare("abcdefg", list, lambda block: [sign.upper() if sign > "b" else sign for sign in block])
    assert (same.n_differences, other.n_differences) == (0, 5)
    shown = capsys.readouterr().out
    assert shown.count("other: ids of ") == 2 and "ours   'c'" in shown and "theirs 'C'" in shown
    assert run(tool, monkeypatch, [same, other]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["differs: other", "2 cases, 14 texts, 5 differences in 1 cases"]
    assert run(tool, monkeypatch, [same]) == 0


def test_a_condition_allows_differences_of_texts_that_do_not_meet_it(tool, capsys):
    case = tool.Comparison("case", lambda text: ["no x in the text"] if "x" in text else [])
    case.check(["ax", "b", "c"], [1, 2, 3], [4, 5, 3])
    assert case.n_differences == 1
    assert case.counts["other ids by a condition"] == 1
    assert "'b'" in capsys.readouterr().out


def test_results_of_another_number_are_an_error(tool):
    with pytest.raises(ValueError):
        tool.Comparison("case").check(["a", "b"], [1, 2], [1])


def test_what_is_refused_is_no_difference(tool, monkeypatch, capsys):
    case = tool.Comparison("case")
    case.refused(ValueError("not this kind"))
    assert run(tool, monkeypatch, [case]) == 0
    assert "case: 1 refused, 0 differences" in capsys.readouterr().out


def test_a_program_says_how_many_differences_it_shows(tool, monkeypatch, capsys):
    def cases():
        case = tool.Comparison("case")
        case.check("abc", "abc", "xyz")
        yield case

    assert run(tool, monkeypatch, cases(), "--show", "1") == 1
    assert capsys.readouterr().out.count("case: ids of") == 1


def test_lines_of_corpora(tool, tmp_path):
    (tmp_path / "one").write_bytes(b"a\nb\r\nc\n")
    (tmp_path / "two").write_bytes(b"d\ne")
    paths = [tmp_path / "one", tmp_path / "two"]
    assert tool.read_lines(paths) == ["a", "b\r", "c", "", "d", "e"]
    assert tool.read_lines(paths, 2) == ["a", "c", "d"]
    assert (tool.evenly("abcdefg", 3), tool.evenly("ab", 9), tool.evenly("ab", 0)) == ("ace", "ab", [])
