"""Compile the modules that depend on the platform for other platforms, to see that they compile there.

    pip install ziglang
    python tools/cross_compile.py [--target TARGET...] [--module NAME...]

ziglang brings clang with the headers of musl, macOS and MinGW. `make build` must have translated the modules: their C++
is in build/cython. The headers of Python are those of this machine; for Windows, pyconfig.h is a small stand-in. So an
object file shows that the code compiles, and it is not linked. The exit status is 1 if a module does not compile.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRANSLATED = ROOT / "build" / "cython"
TARGETS = ("aarch64-linux-musl", "aarch64-macos", "x86_64-windows-gnu")
MACROS = re.compile(r"_MSC_VER|_WIN32|__linux__|__APPLE__|__GLIBC__|__GNUC__|__x86_64__|__SSSE3__")
WINDOWS_CONFIG = """
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define HAVE_DECLSPEC_DLL
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_PID_T 4
#define SIZEOF_FPOS_T 8
#define ALIGNOF_MAX_ALIGN_T 16
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define PY_LONG_LONG long long
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX LLONG_MAX
#define HAVE_PY_SSIZE_T 1
"""


def modules() -> list[Path]:
    """The sources in which something depends on the platform, and one that uses each header in which something does."""
    sources = sorted((ROOT / "spm_lite").rglob("*.pyx"), key=lambda path: path.stat().st_size)
    texts = {path: path.read_text(encoding="utf-8") for path in sources}
    found = {path for path, text in texts.items() if MACROS.search(text)}
    for header in sorted((ROOT / "spm_lite").rglob("*.pxd")):
        if not MACROS.search(header.read_text(encoding="utf-8")):
            continue
        if header.with_suffix(".pyx") in texts:
            found.add(header.with_suffix(".pyx"))
        else:  # the smallest module that uses it
            imported = f"from {'.'.join(header.relative_to(ROOT).with_suffix('').parts)} cimport"
            found.update([path for path, text in texts.items() if imported in text][:1])
    return sorted(found)


def compiles(source: Path, target: str, folder: Path, headers: Path) -> str:
    """What the compiler says of a module, empty if it compiles."""
    translated = TRANSLATED / source.relative_to(ROOT).with_suffix(".cpp")
    if not translated.exists():
        return f"{translated} is not there: run `make build` first"
    command = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-std=c++17", "-O1", "-c", "-w"]
    command += ["-ffp-contract=off", "-DNDEBUG"]
    command += ["-I", str(headers), "-I", str(translated.parent)]
    done = subprocess.run(
        [*command, str(translated), "-o", str(folder / "module.o")], capture_output=True, text=True, check=False
    )
    return done.stderr.strip() if done.returncode else ""


def main() -> int:
    """1 if a module does not compile for a target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", nargs="*", default=list(TARGETS))
    parser.add_argument("--module", nargs="*", default=[], help="parts of names; default: all that depend on it")
    given = parser.parse_args()
    chosen = [path for path in modules() if not given.module or any(part in str(path) for part in given.module)]
    failed = 0
    for target in given.target:
        with tempfile.TemporaryDirectory() as name:
            folder, headers = Path(name), Path(name) / "headers"
            shutil.copytree(sysconfig.get_paths()["include"], headers)  # they include pyconfig.h from their own folder
            if "windows" in target:
                (headers / "pyconfig.h").write_text(WINDOWS_CONFIG, encoding="utf-8")
            for source in chosen:
                said = compiles(source, target, folder, headers)
                failed += bool(said)
                print(f"{target:<20} {source.relative_to(ROOT)}  {said or 'compiles'}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
