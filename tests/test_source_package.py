"""The source package: the tests, pages and tools that it holds are whole."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("Cython")
pytest.importorskip("setuptools")

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("folder", ["docs", "proto", "tests", "tools"])
def test_no_file_is_left_out(tmp_path, folder):
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    listed = set((tmp_path / "spm_lite.egg-info" / "SOURCES.txt").read_text(encoding="utf-8").splitlines())
    files = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    there = {path.as_posix() for path in files if not {"__pycache__", "_build"} & set(path.parts)}
    assert there - listed == set()
