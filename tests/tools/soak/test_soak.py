"""A short form of each attack on reliability; the long form is `python tools/soak`."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ROUNDS = {"mixed_calls": 3, "forks": 60, "first_imports": 12, "memory_steps": 3}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "tools" / "soak").is_dir(), reason="no source tree"),
    pytest.mark.skipif(not hasattr(os, "fork") or not Path("/proc/self/statm").exists(), reason="needs fork and /proc"),
]


@pytest.mark.parametrize("part", ROUNDS)
def test_no_losses(part: str) -> None:
    program = [
        sys.executable,
        str(ROOT / "tools" / "soak" / f"{part}.py"),
        "--rounds",
        str(ROUNDS[part]),
        "--seed",
        "5",
    ]
    done = subprocess.run(program, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["losses"] == 0
    assert result["calls"] > 0


@pytest.mark.parametrize(
    ("program", "patience", "code"),
    [("import sys; sys.exit(3)", 60, 3), ("import time; time.sleep(1e6)", 0.5, None), ("while True: pass", 0.5, None)],
)
def test_children_that_hang(program: str, patience: float, code: int | None) -> None:
    spec = importlib.util.spec_from_file_location("common_of_soak", ROOT / "tools" / "soak" / "common.py")
    common = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(common)
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", program], os.environ)
    assert common.wait(child, patience) == code
