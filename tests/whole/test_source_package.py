"""The source package: the tests, pages and tools that it holds are whole."""

import subprocess
import sys

import pytest
from oracle import extras
from oracle.repository import ROOT

pytestmark = pytest.mark.dev
extras.need("Cython")
extras.need("setuptools")


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """The names of the files that a source package of this tree would hold."""
    folder = tmp_path_factory.mktemp("egg")
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return set((folder / "spm_lite.egg-info" / "SOURCES.txt").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("folder", ["docs", "proto", "tests", "tools"])
def test_no_file_is_left_out(listed, folder):
    files = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert {path.as_posix() for path in files if "__pycache__" not in path.parts} - listed == set()
