"""The names of the installed sentencepiece, compared with ours as for a new release."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

TOOL = Path(__file__).resolve().parents[3] / "tools" / "compare" / "watch_upstream.py"


def test_names_of_the_known_version(tmp_path):
    command = [sys.executable, str(TOOL), "--only", "names", "--data", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500)
    if "sentencepiece 0.2.3;" not in done.stdout:
        pytest.skip("another version is installed")
    if "no messages to compare" in done.stdout:
        pytest.skip("the messages of sentencepiece need a newer protobuf")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 differences" in done.stdout
