"""The source package: the tests, pages and tools that it holds are whole; and how setup.py chooses by the compiler."""

import runpy
import subprocess
import sys
from types import SimpleNamespace

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


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the compiler")
@pytest.mark.parametrize(
    ("name", "version", "is_gcc"),
    [
        ("g++", "g++ 12.2.0, (C) 2022 Free Software Foundation, Inc.", True),
        ("c++", "Apple clang version 17", False),
        ("ccache", "g++ 12.2.0, (C) 2022 Free Software Foundation, Inc.", False),
    ],
)
def test_headers_are_compiled_in_advance_for_gcc_only(tmp_path, name, version, is_gcc):
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\necho '{version}'\n", encoding="utf-8")
    program.chmod(0o755)
    link = tmp_path / "link"
    link.symlink_to(program)
    has_gcc = runpy.run_path(str(ROOT / "setup.py"))["ParallelBuildExt"].has_gcc
    for command in ([str(program), "-fPIC"], [str(link)]):
        assert has_gcc(SimpleNamespace(compiler=SimpleNamespace(compiler_so_cxx=command))) == is_gcc
    for compiler in (SimpleNamespace(), SimpleNamespace(compiler_so_cxx=[str(tmp_path / "missing")])):
        assert not has_gcc(SimpleNamespace(compiler=compiler))


def test_a_module_that_fails_with_compiled_headers_is_compiled_without(monkeypatch):
    from setuptools.command.build_ext import build_ext
    from setuptools.errors import CompileError

    tried = []

    def build(command, extension):
        tried.append(list(extension.extra_compile_args))
        if "-include" in tried[-1] or "-broken" in tried[-1]:
            raise CompileError("internal compiler error")

    monkeypatch.setattr(build_ext, "build_extension", build)
    kind = runpy.run_path(str(ROOT / "setup.py"))["ParallelBuildExt"]
    kind.build_extension(kind.__new__(kind), SimpleNamespace(extra_compile_args=["-O1", "-include", "headers.h"]))
    assert tried == [["-O1", "-include", "headers.h"], ["-O1"]]
    with pytest.raises(CompileError):
        kind.build_extension(kind.__new__(kind), SimpleNamespace(extra_compile_args=["-broken"]))
