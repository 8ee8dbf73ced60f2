"""The list of modules that are compiled for speed, and the program that chooses them."""

import runpy
import subprocess
import sys

import pytest
from oracle import extras
from oracle.repository import ROOT

TOOL = ROOT / "tools" / "bench" / "hot_modules.py"
HOT = TOOL.with_suffix(".txt").read_text(encoding="utf-8").splitlines()


def test_the_list_names_compiled_modules_once_and_in_order():
    assert sorted(set(HOT)) == HOT
    assert [name for name in HOT if name != "_shared" and not (ROOT / "spm_lite" / f"{name}.pyx").exists()] == []


def test_help():
    done = subprocess.run([sys.executable, TOOL, "--help"], capture_output=True, text=True, check=True)
    assert "--rows" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("row", ["extend unigram", "prune unigram"])
def test_rows_of_calls_with_options_run(row, shared_data):
    done = subprocess.run([sys.executable, TOOL, "--run", row], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0


@pytest.mark.dev
@pytest.mark.skipif(sys.platform == "win32", reason="one level of optimization")
def test_hot_modules_are_optimized_most():
    extras.need("Cython")
    extras.need("setuptools")
    arguments = {one.name: one.extra_compile_args for one in runpy.run_path(str(ROOT / "setup.py"))["extensions"]()}
    assert "spm_lite._shared" in arguments
    hot = {name.removeprefix("spm_lite.").replace(".", "/") for name, given in arguments.items() if "-O3" in given}
    assert hot == {*HOT}
    assert all(("-O1" in given) != ("-O3" in given) for given in arguments.values())
