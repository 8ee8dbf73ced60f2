"""The soak tests of files, in short: kills while files are written, and full disks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite

SOAK = Path(__file__).resolve().parents[3] / "tools" / "soak"

pytest.importorskip("numpy")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="POSIX only")]


@pytest.mark.parametrize(
    ("part", "rounds", "options"),
    [("kills", 19, []), ("full_disk", 56, []), ("full_disk", 56, ["--no-mount"])],
)
def test_no_losses(part, rounds, options, tmp_path):
    command = [sys.executable, str(SOAK / f"{part}.py"), "--rounds", str(rounds), "--seed", "7", *options]
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent), "TMPDIR": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert ran.stdout, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["losses"] == 0, found["details"]
    assert ran.returncode == 0, ran.stderr
    assert (found["part"], found["calls"]) == (part, rounds)
    assert found["faults"] > rounds // 4
    assert list(tmp_path.iterdir()) == []
