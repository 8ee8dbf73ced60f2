"""Processes that run a program in Python with the tested package, and that die at a moment of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import spm_lite

FOLDER = str(Path(spm_lite.__file__).parent.parent)
DIES_AT_RENAME = """
import os, signal, sys
from pathlib import Path
steps_left = int(sys.argv.pop())
rename = Path.replace
def replace(self, target):
    global steps_left
    if steps_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    steps_left -= 1
    return rename(self, target)
Path.replace = replace
"""


def start(
    program: str, *arguments: object, cwd: str | Path = sys.prefix, pipes: bool = False
) -> subprocess.Popen[bytes]:
    """Start a program with arguments. pipes: its standard input and output come from here, and go here."""
    settings: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE) if pipes else {}
    environment = {**os.environ, "PYTHONPATH": FOLDER}
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], cwd=cwd, env=environment, **settings)


def dying_at_rename(program: str, *arguments: object, step: int, cwd: str | Path) -> int:
    """Run a program that is killed at its step-th rename of a file, -1 for none; return the exit code."""
    return start(DIES_AT_RENAME + program, *arguments, step, cwd=cwd).wait()
