"""Compiles the modules of this folder against an spm_lite.

    python tests/native/compile.py INCLUDE OUTPUT

INCLUDE is the folder that holds the package spm_lite with its .pxd files. The modules come into OUTPUT, an empty
folder. It is a program of its own: what compilers print, warn and leave behind is not a test's business.
"""

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIRECTIVES = {"language_level": 3, "cdivision": True, "boundscheck": False, "freethreading_compatible": True}


def compile_all(include: str, output: str) -> None:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    os.chdir(output)
    unix = ["-std=c++17", "-O1", "-g0", "-ffp-contract=off", "-Wno-unused-function", "-Wno-unreachable-code"]
    args = ["/std:c++17", "/fp:precise", "/utf-8"] if sys.platform == "win32" else [*unix, "-pthread"]
    modules = []
    for path in sorted(HERE.glob("*.pyx")):
        shutil.copyfile(path, path.name)
        modules.append(Extension(f"native.{path.stem}", [path.name], language="c++", extra_compile_args=args))
    n_threads = os.cpu_count() or 1
    command = build_ext(
        Distribution(
            {
                "ext_modules": cythonize(
                    modules, include_path=[include], compiler_directives=DIRECTIVES, nthreads=n_threads, quiet=True
                )
            }
        )
    )
    command.build_lib, command.build_temp, command.parallel = ".", "objects", n_threads
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    compile_all(sys.argv[1], sys.argv[2])
