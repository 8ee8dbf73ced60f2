"""How the programs end: exit codes, closed and full outputs, signals; and that they are installed."""

import contextlib
import importlib
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from oracle.repository import ROOT
from oracle.terminal import see

from spm_lite.sentencepiece.programs.program import Program, run_program


def command(program, *arguments):
    return [sys.executable, "-m", f"spm_lite.sentencepiece.programs.{program}", *arguments]


@pytest.mark.parametrize("program", ["train", "encode", "decode", "normalize", "export_vocab"])
def test_they_are_installed(program):
    """Under the original's names."""
    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (place,) = re.findall(rf'^spm_{program} = "(.*):main"$', scripts, re.MULTILINE)
    assert callable(importlib.import_module(place).main)


def test_an_unexpected_error(capsys):
    def work(arguments):
        raise KeyError("x")

    assert run_program(Program("spm_x", "", (), work), []) == 1
    assert capsys.readouterr().err.startswith("spm_x: error: unexpected KeyError: 'x' (set SPM_LITE_TRACEBACK=1")


def test_a_reader_that_leaves(one_model):
    """No message, and the code of a program ended by SIGPIPE."""
    process = subprocess.Popen(
        command("encode", f"--model={one_model}"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"the cat\n")
    process.stdin.flush()
    assert process.stdout.readline().endswith(b"\n")  # lines come as soon as they are there
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):  # the program has ended already
        process.stdin.write(b"the cat\n" * 100_000)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    with process.stderr:
        assert (process.wait(timeout=500), process.stderr.read()) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(one_model, folder):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("encode", f"--model={one_model}", "text.txt"), stdout=full, stderr=subprocess.PIPE, timeout=500
        )
    assert done.returncode == 1
    assert done.stderr == b"spm_encode: error: cannot write standard output: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_half_file(number, code, one_model, folder):
    before = {path.name for path in folder.iterdir()}
    process = subprocess.Popen(
        command("encode", f"--model={one_model}", "--output=out.txt"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"the cat\n")
    process.stdin.flush()
    while {path.name for path in folder.iterdir()} == before:  # until the unfinished file is there
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, error = process.communicate(timeout=500)
    assert process.returncode == code and error in (b"", b"spm_encode: interrupted\n")
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_terminal(columns, one_model, folder):
    """Names and pieces with escape sequences in errors do not reach a terminal raw; the log is plain text."""
    seen = see(command("encode", f"--model={one_model}", "a\x1b[31m"), columns, cwd=folder)
    assert seen.code == 1 and b"\x1b" not in seen.raw and "a\\x1b[31m" in "".join(seen.lines)
    flags = ("--input=corpus.txt", "--model_prefix=m", "--hard_vocab_limit=false", "--model_type=char")
    seen = see(command("train", *flags), columns, cwd=folder)
    assert seen.code == 0 and b"\x1b" not in seen.raw and b"Saving model: m.model" in seen.raw
