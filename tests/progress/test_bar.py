"""The progress bar of a call: its phases, and when it shows them."""

import subprocess
import sys
import tempfile
from typing import Any

import pytest

import spm_lite
from spm_lite.progress import bar
from spm_lite.progress import screens as screens_module
from spm_lite.progress.bar import ProgressBar
from spm_lite.progress.meter import Progress

pytestmark = pytest.mark.thread_unsafe  # a terminal, a clock or a folder for itself

TEXTS = ["ab ab abc", "the cat sat on the mat"] * 9


class Recorder:
    """A screen that keeps what it is shown."""

    def __init__(self, now: Any) -> None:
        self.now = now
        self.seen: list[Any] = []
        self.closed = 0

    def update(self, seconds: float) -> None:
        self.seen.append(self.now())

    def close(self) -> None:
        self.closed += 1
        self.seen.append(self.now())


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets, and the screens that were made."""
    screens: list[Recorder] = []

    def screen(now):
        screens.append(Recorder(now))
        return screens[-1]

    class Clock:
        now = 100.0
        made = screens

    monkeypatch.setattr(bar.time, "monotonic", lambda: Clock.now)
    monkeypatch.setattr(screens_module, "screen_for", screen)
    return Clock


def test_a_short_call_shows_nothing(clock):
    with ProgressBar() as shown:
        shown("count", 1, 2)
        clock.now += 0.2
        shown("count", 2, 2)
    assert clock.made == []


def test_a_quiet_one_shows_nothing(clock):
    with ProgressBar(quiet=True) as shown:
        clock.now += 9
        shown("count", 1, 2)
    assert clock.made == []


def test_finished_phases_stay_with_their_time(clock):
    """Phases that alternate have one row each, with all of their time; the running one is the last."""
    with ProgressBar() as shown:
        for phase in ("count", "spill", "count", "alphabet"):
            shown(phase, 1, 4)
            clock.now += 2.0
        shown("alphabet", 4, 4)
        shown.measured(Progress("em", 0.25, None, 5, "pieces"))
        clock.now += 1.0
    (screen,) = clock.made
    rows = [[(state.progress.phase, state.seconds, state.is_running) for state in states] for states in screen.seen]
    assert rows[-2][-2:] == [("alphabet", 2.0, False), ("em", 0.0, True)]
    assert rows[-1] == [
        ("spill", 2.0, False), ("count", 4.0, False), ("alphabet", 2.0, False), ("em", 1.0, False),
    ]  # fmt: skip
    assert screen.closed == 1
    shown("em", 2, 4)  # too late
    assert len(screen.seen) == len(rows)


def test_progress_true(clock, monkeypatch):
    """In Python, of every call that reports; the bar is closed at the end, after an error too."""
    monkeypatch.setattr(bar, "DELAY", 0)
    spm_lite.train(TEXTS, vocab_size=280, progress=True)
    spm_lite.CountTable.count(TEXTS, progress=True)
    with pytest.raises(spm_lite.TrainingError):
        spm_lite.train(TEXTS, vocab_size=9000, progress=True)
    phases = [{state.progress.phase for state in screen.seen[-1]} for screen in clock.made]
    assert phases[0] >= {"count", "alphabet", "seeds", "em"} and phases[1] == {"count"} and len(phases) == 3
    assert [screen.closed for screen in clock.made] == [1, 1, 1]


def test_progress_true_of_files(clock, monkeypatch, tmp_path):
    monkeypatch.setattr(bar, "DELAY", 0)
    (tmp_path / "a.txt").write_text("the cat\n" * 9)
    spm_lite.train(TEXTS, vocab_size=280).encode_files(tmp_path / "a.txt", tmp_path / "ids.npy", progress=True)
    assert [state.progress.phase for state in clock.made[0].seen[-1]] == ["encode"]
    assert clock.made[0].closed == 1


def test_progress_false():
    assert spm_lite.train(TEXTS, vocab_size=280, progress=False).vocab_size == 280


def test_nothing_is_loaded_for_it():
    program = f"""
import sys, spm_lite
spm_lite.train({TEXTS!r}, vocab_size=280, progress=True)
assert "rich" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=500, cwd=tempfile.gettempdir())
