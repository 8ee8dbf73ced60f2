"""spm-lite play: it says where the page is, answers there, and ends on Ctrl-C."""

import signal
import subprocess
import sys
import urllib.request

import pytest

import spm_lite
from spm_lite.cli.main import main


@pytest.mark.slow
def test_it_runs_until_ctrl_c(tmp_path):
    path = tmp_path / "m.model"
    spm_lite.byte_tokenizer().save(path)
    program = subprocess.Popen(
        [sys.executable, "-m", "spm_lite", "play", str(path)], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url) as response:
        assert b"m.model" in response.read()
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate()
    assert (program.returncode, out) == (0, "")
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "0 models given, one or two expected"),
        (["a", "b", "c"], "3 models given"),
        (["m.model", "--port", "70000"], "--port 70000 is not between 0 and 65535"),
        (["nowhere.model"], "nowhere.model"),
    ],
)
def test_wrong_arguments(capsys, arguments, message):
    assert main(["play", *arguments]) in (1, 2)
    assert message in capsys.readouterr().err
