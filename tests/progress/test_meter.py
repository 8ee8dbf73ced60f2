"""Fraction and rate of a phase, and the tuple that holds them."""

import pickle

import pytest

from spm_lite import ArgumentTypeError, Progress
from spm_lite.progress import meter, reporter


def told(steps: list[tuple[float, str, int, int]], monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    """What a progress function gets for (time, phase, done, total)."""
    seen: list[Progress] = []
    report = meter.Meter(seen.append)
    for now, phase, done, total in steps:
        monkeypatch.setattr(meter.time, "perf_counter", lambda now=now: now)
        report(phase, done, total)
    return seen


def test_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(0.0, "count", 0, 0), (2.0, "count", 500, 0), (4.0, "count", 600, 1000)]
    first, second, third = told(steps, monkeypatch)
    assert first == ("count", None, None, 0, "bytes")
    assert second == ("count", None, 250.0, 500, "bytes")
    assert third == ("count", 0.6, 150.0, 600, "bytes")


def test_a_phase_that_begins_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a checkpoint, and between two runs of temporary files."""
    steps = [(1.0, "merges", 400, 1000), (2.0, "merges", 410, 1000), (3.0, "merge", 9, 9)]
    steps += [(5.0, "merge", 2, 9), (6.0, "merge", 4, 9)]
    assert [progress.rate for progress in told(steps, monkeypatch)] == [None, 10, None, None, 2]


def test_phases_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = told([(0.0, "seeds", 0, 1), (1.0, "seeds", 1, 1)], monkeypatch)
    assert seen == [("seeds", 0.0, None, 0, ""), ("seeds", 1.0, None, 1, "")]


def test_what_is_no_function_of_one_argument() -> None:
    assert reporter.as_reporter(None) is None
    assert reporter.as_reporter(print) is not None
    for wrong in (3, "x", lambda: None, lambda phase, done, total: None):
        with pytest.raises(ArgumentTypeError, match="progress="):
            reporter.as_reporter(wrong)  # type: ignore[arg-type]


def test_named_tuples_without_typing_are_named_tuples() -> None:
    value = Progress("count", 0.5, None, 10, "bytes")
    assert value == ("count", 0.5, None, 10, "bytes")
    assert value._replace(done=11).done == 11
    assert pickle.loads(pickle.dumps(value)) == value
    assert repr(value) == "Progress(phase='count', fraction=0.5, rate=None, done=10, unit='bytes')"
    assert Progress._fields == ("phase", "fraction", "rate", "done", "unit")
    assert "how far" in Progress.__doc__.lower()
