"""Progress in terminals of several widths, in a pipe, and in a notebook."""

import re
import subprocess
import sys
import tempfile
import types

import pytest
from oracle.terminal import see_python

from spm_lite.progress import screens
from spm_lite.progress.meter import Progress
from spm_lite.progress.rows import PhaseState

pytestmark = pytest.mark.thread_unsafe  # a terminal, a clock or a folder for itself

STEPS = """
import sys
from spm_lite.progress import bar, screens
bar.DELAY, screens.PAUSE = 0, PAUSE
with bar.ProgressBar() as shown:
    for phase, total in (("count", 31000000), ("spill", 9000000), ("seeds", 1), ("merges", 8000), ("a\\x1b[31m", 9)):
        for step in range(5):
            shown(phase, total * step // 4, total)
            live = getattr(shown._screen, "_live", None)
            if live:
                live.refresh()
    print("a note", file=sys.stderr)
""".replace("PAUSE\n", f"{screens.PAUSE}\n")
PHASES = ["counting", "writing counts", "seed pieces", "merging pairs", "a\\x1b[31m"]
COLOUR = re.compile(rb"\x1b\[(?:[0-9]*;)*(?:3[0-79]|9[0-7]|38[0-9;]*)m")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_terminal(columns):
    """One row for each phase stays, nothing is wrapped or scrolled, and notes stand above."""
    seen = see_python(STEPS, columns)
    assert seen.code == 0
    lines = [line for line in seen.lines if line]
    assert lines[0] == "a note" and len(lines) == 1 + len(PHASES), lines
    for line, label in zip(lines[1:], PHASES, strict=True):
        assert re.match(re.escape(label) + r"  +\d+\.\d s", line), line
    assert "31.0 MB" in lines[1] and "8,000 merges" in lines[4]
    assert COLOUR.search(seen.raw)
    assert seen.raw.count(b"\x1b[?25h") == 1  # the cursor is visible again
    assert b"left" in seen.raw and "━".encode() in seen.raw


def test_no_color():
    seen = see_python(STEPS, 80, NO_COLOR="1")
    assert not COLOUR.search(seen.raw) and "━".encode() in seen.raw


def test_a_dumb_terminal_gets_lines():
    seen = see_python(STEPS.replace(f"= 0, {screens.PAUSE}", "= 0, 0"), 80, TERM="dumb")
    assert b"\x1b" not in seen.raw.replace(b"\\x1b", b"") and "counting: 25%" in "\n".join(seen.lines)


def test_an_error_leaves_the_terminal_in_order():
    seen = see_python(STEPS.replace('print("a note", file=sys.stderr)', "1 / 0"), 80)
    assert seen.code == 1 and seen.raw.count(b"\x1b[?25h") == 1
    assert seen.lines[0].startswith("counting") and "ZeroDivisionError" in "\n".join(seen.lines)


def test_a_pipe_gets_few_lines(monkeypatch, capsys):
    now = [PhaseState(Progress("count", 0.5, 2e6, 10_000_000, "bytes"), 5.0, True)]
    screen = screens.LogScreen(lambda: now)
    for second in range(4000):
        screen.update(float(second))
    screen.close()
    lines = capsys.readouterr().err.splitlines()
    assert set(lines) == {"counting: 50%, 10.0 MB, 2.0 MB/s, 0:05, 0:05 left"}
    assert 4000 / 60 < len(lines) < 120  # at most one in 5 seconds, at least one in 60


def test_a_pipe_of_a_short_call_stays_empty():
    steps = STEPS.replace('print("a note", file=sys.stderr)', "")
    done = subprocess.run([sys.executable, "-c", steps], capture_output=True, timeout=500, cwd=tempfile.gettempdir())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_closed_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    screen = screens.screen_for(lambda: [PhaseState(Progress("count", 0.5, None, 1, "bytes"), 5.0, True)])
    screen.update(9.0)
    screen.close()


def test_notebook(monkeypatch):
    """Rows of text that are replaced, and escaped; no widget is needed."""
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data)

    def display(data, raw, display_id):
        shown.append(data)
        return Handle()

    class ZMQInteractiveShell:
        pass

    ipython, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython, module.display = ZMQInteractiveShell, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    now = [PhaseState(Progress("<b>", 0.5, 2e6, 10_000_000, "bytes"), 5.0, True)]
    screen = screens.screen_for(lambda: now)
    for seconds in (0.1, 0.2, 0.6, 0.7):
        screen.update(seconds)
    screen.close()
    assert len(shown) == 3  # the first, one after half a second, and the last
    assert shown[-1]["text/html"].startswith("<pre>&lt;b&gt;  ━━━━") and shown[-1]["text/plain"].startswith("<b>  ━━━━")


def test_two_bars_at_once_do_not_disturb_each_other():
    begin = "with bar.ProgressBar() as shown:"
    other = "other = bar.ProgressBar(); other('encode', 1, 2)"
    seen = see_python(STEPS.replace(begin, f"{other}\n{begin}") + "\nother.close()", 80)
    assert seen.code == 0
    assert [line.split()[0] for line in seen.lines if line] == ["a", "encoding"]
