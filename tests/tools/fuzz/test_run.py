"""The watcher of a fuzz: which runs are too long."""

import importlib.util
import sys

import pytest
from oracle.repository import ROOT

TOOLS = ROOT / "tools" / "fuzz"
pytestmark = pytest.mark.skipif(not TOOLS.exists() or sys.platform == "win32", reason="no source tree, or no resource")


@pytest.fixture
def attend(monkeypatch):
    """What `attend` says of a child whose states are seen one after the other."""
    monkeypatch.syspath_prepend(str(TOOLS))
    spec = importlib.util.spec_from_file_location("fuzz_run", TOOLS / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "time", Clock)
    monkeypatch.setattr(module, "cpu_seconds_of", lambda process: 60.0)

    def seen(*states):
        return module.attend(Child, Seen(module.State(*state, 7, 1) for state in states), 100.0, 5.0)[0]

    yield seen
    sys.modules.pop("mutate", None)


class Clock:
    """Of a machine that has run for long."""

    @staticmethod
    def monotonic():
        return 10_000.0

    @staticmethod
    def sleep(seconds):
        """No time passes."""


class Child:
    pid = 1

    @staticmethod
    def poll():
        return None


class Seen:
    """What a child wrote, each time it is read."""

    def __init__(self, states):
        self.states = iter(states)

    def read(self):
        return next(self.states)


END = (9, 10_000.0, 101.0, b"")


def test_a_state_that_is_being_written_is_no_long_run(attend):
    assert attend((3, 0.0, 60.0, b"x"), (3, 10_000.0, 60.0, b"x"), END) == ""
    assert attend((3, 10_000.0, 0.0, b"x"), (4, 10_000.0, 60.0, b"x"), END) == ""


def test_a_long_run_is_found(attend):
    assert attend((3, 10_000.0, 50.0, b"x"), (3, 10_000.0, 50.0, b"x"), END).startswith("more than 5.0 seconds of CPU")
    assert attend((3, 9_000.0, 60.0, b"x"), (3, 9_000.0, 60.0, b"x"), END).startswith("no end within")
