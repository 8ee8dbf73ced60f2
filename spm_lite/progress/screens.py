"""Where progress is shown: a terminal (with rich), a notebook, or lines of a log."""

from __future__ import annotations

import _thread
import contextlib
import html
import importlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from spm_lite.progress.rows import PhaseState, line_of, row_of

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.text import Text

Now = Callable[[], Sequence[PhaseState]]  # the phases so far, as they are at the time of the call

BAR = ("━", "─")  # what is done, what is not; different without colour, too
REDRAWS = 5  # a second, of a terminal
PAUSE = 5.0  # seconds between two lines of a log, at least
SHARE = 0.05  # of the time since the beginning that passes between two lines, up to
LONGEST_PAUSE = 60.0  # seconds
NOTEBOOK_WIDTH = 78  # columns
NOTEBOOK_PAUSE = 0.5  # seconds
_one_terminal = threading.Lock()  # only one bar can be drawn at the bottom of a terminal


class Screen(Protocol):
    """Where progress is shown."""

    def update(self, seconds: float) -> None:
        """Show what is new. seconds: since the beginning."""

    def close(self) -> None:
        """Show the end."""


def screen_for(now: Now) -> Screen:
    """The screen of this process: a notebook, a terminal, or else lines on standard error."""
    if is_notebook():
        return NotebookScreen(now)
    if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return TerminalScreen(now)
    return LogScreen(now)


def is_notebook() -> bool:
    """Whether the program runs in a notebook that shows HTML."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    names = {kind.__name__ for kind in type(shell).__mro__}
    return "ZMQInteractiveShell" in names or "google.colab" in type(shell).__module__


class TerminalScreen:
    """Rows at the bottom of a terminal, drawn again some times a second; they stay at the end."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._live: Any = None
        if _one_terminal.acquire(blocking=False):
            try:
                self._start()
            except BaseException:
                _one_terminal.release()
                raise

    def _start(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=QuietStream(sys.stderr))  # type: ignore[arg-type]
        # Standard output may go elsewhere, so it is left alone. What is written to standard error appears above; if the
        # program has other threads, that stream is left alone too, and lines that they write may be drawn over.
        self._live = Live(
            get_renderable=lambda: self._rows(console),
            console=console,
            refresh_per_second=REDRAWS,
            redirect_stdout=False,
            redirect_stderr=not _thread._count(),
        )
        self._live.start()

    def _rows(self, console: Console) -> Group:
        from rich.console import Group

        states = list(self._now())
        label_width = max((len(state.label) for state in states), default=0)
        return Group(*(self._row(state, console, label_width) for state in states))

    @staticmethod
    def _row(state: PhaseState, console: Console, label_width: int) -> Text:
        from rich.text import Text

        row = row_of(state, console.width, label_width)
        text = Text(row.label, style="bold" if state.is_running else "green", no_wrap=True, overflow="crop")
        if row.bar_width:
            full, empty = ("=", "-") if console.options.ascii_only else BAR
            done = int(row.bar_width * row.fraction)
            text.append("  ").append(full * done, "magenta").append(empty * (row.bar_width - done), "bright_black")
        for field in row.fields:
            text.append("  ").append(field, "" if state.is_running else "dim")
        return text

    def update(self, seconds: float) -> None:
        """Nothing: the rows are drawn again by themselves."""

    def close(self) -> None:
        if self._live is None:
            return
        try:
            self._live.stop()
        finally:
            self._live = None
            _one_terminal.release()


class NotebookScreen:
    """Rows in the output of a cell."""

    def __init__(self, now: Now) -> None:
        display: Any = importlib.import_module("IPython.display").display
        self._now = now
        self._shown_at = 0.0
        self._handle = display(self._rows(), raw=True, display_id=True)

    def _rows(self) -> dict[str, str]:
        """The rows, by the type of what a front end can show."""
        states = list(self._now())
        label_width = max((len(state.label) for state in states), default=0)
        text = "\n".join(row_of(state, NOTEBOOK_WIDTH, label_width).text(*BAR) for state in states)
        return {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}

    def update(self, seconds: float) -> None:
        if seconds - self._shown_at >= NOTEBOOK_PAUSE:
            self._shown_at = seconds
            self._handle.update(self._rows(), raw=True)

    def close(self) -> None:
        self._handle.update(self._rows(), raw=True)


class LogScreen:
    """Lines on standard error, at most one in PAUSE seconds, and fewer in a long job."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._next = PAUSE  # seconds since the beginning

    def update(self, seconds: float) -> None:
        if seconds >= self._next:
            self._next = seconds + min(max(PAUSE, SHARE * seconds), LONGEST_PAUSE)
            state = next(state for state in self._now() if state.is_running)
            QuietStream(sys.stderr).write(line_of(state) + "\n")

    def close(self) -> None:
        """Nothing: the lines say how far it was."""


class QuietStream:
    """A standard stream on which what cannot be written is lost; None: it is closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
