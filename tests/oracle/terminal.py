"""Runs a program in a pseudo-terminal, and shows what a reader of the terminal sees."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

pyte = pytest.importorskip("pyte")
pty = pytest.importorskip("pty")  # not on Windows


class Seen(NamedTuple):
    """What a program showed."""

    lines: list[str]  # at the end, with those that have scrolled away
    raw: bytes
    code: int  # exit code


def see(arguments: list[str], columns: int, rows: int = 24, cwd: Path | None = None, **environment: str) -> Seen:
    """Run a program whose three standard streams are a terminal of this size."""
    import fcntl  # here, since Windows lacks them
    import termios

    if cwd is None and (Path.cwd() / "spm_lite").is_dir():
        cwd = Path(tempfile.gettempdir())  # the sources here would hide the installed package
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    process = subprocess.Popen(
        arguments, stdin=side, stdout=side, stderr=side, cwd=cwd, close_fds=True,
        env={**inherited, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip
    os.close(side)
    raw = b""
    while True:
        try:
            data = os.read(main, 1 << 16)
        except OSError:  # Linux: the program has ended
            break
        if not data:
            break
        raw += data
    os.close(main)
    code = process.wait(timeout=500)
    screen = pyte.HistoryScreen(columns, rows, history=10_000)
    pyte.ByteStream(screen).feed(raw)
    gone = ["".join(line[column].data for column in range(columns)) for line in screen.history.top]
    return Seen([line.rstrip() for line in (*gone, *screen.display)], raw, code)


def whole_lines(raw: bytes) -> list[str]:
    """The lines that a program wrote, however wide the terminal was, without colours and what was written over."""
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", raw).decode("utf-8", "replace")
    return [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n")]


def see_python(program: str, columns: int, **settings: str) -> Seen:
    """Run a program of Python."""
    return see([sys.executable, "-c", program], columns, **settings)  # type: ignore[arg-type]
