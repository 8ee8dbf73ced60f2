"""The platforms that `tools/portable_wheel.py` builds wheels for, and what it links with."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent.parent / "tools" / "portable_wheel.py"
spec = importlib.util.spec_from_file_location("portable_wheel", TOOL)
portable_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(portable_wheel)


@pytest.mark.parametrize(
    ("about", "target", "tag"),
    [
        (("cpython-311-x86_64-linux-gnu", "x86_64", "2.28"), "x86_64-linux-gnu.2.28", "manylinux_2_28_x86_64"),
        (("cpython-314t-aarch64-linux-gnu", "aarch64", "2.34"), "aarch64-linux-gnu.2.34", "manylinux_2_34_aarch64"),
        (("cpython-312-x86_64-linux-musl", "x86_64", "2.28"), "x86_64-linux-musl", "musllinux_1_2_x86_64"),
    ],
)
def test_platforms(about, target, tag):
    assert portable_wheel.target(*about) == target
    assert portable_wheel.platform_tag(*about) == tag


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_function_without_names_compiles(tmp_path):
    (tmp_path / "a.c").write_text(portable_wheel.NO_NAMES)
    subprocess.run(["cc", "-Wall", "-Werror", "-c", "a.c", "-o", "a.o"], cwd=tmp_path, check=True)


def test_help():
    done = subprocess.run([sys.executable, TOOL, "--help"], capture_output=True, text=True, check=True)
    assert "--glibc" in done.stdout
