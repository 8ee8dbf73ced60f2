"""The compiled modules of tests/native: what tests ask of the C functions of spm_lite that Python cannot call.

    from oracle import native
    native.keep_all(...)

They are compiled into build/native when the first test that needs them is about to run (see conftest.py), or when a
function is asked for. Collecting such tests compiles nothing. They are compiled again when their source, the .pxd files
of the tested spm_lite, Python or Cython have changed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCES = Path(__file__).resolve().parent.parent / "native"
CACHE = SOURCES.parent.parent / "build" / "native"


def package_folder() -> Path:
    """Where the tested spm_lite is."""
    spec = importlib.util.find_spec("spm_lite")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def key_of(package: Path) -> str:
    """A digest of all that the compiled modules depend on."""
    digest = hashlib.sha256(f"{sys.version} {sysconfig.get_config_var('EXT_SUFFIX')} {version('cython')}".encode())
    headers = sorted(package.rglob("*.pxd"))
    for path in (*sorted(SOURCES.glob("*.py*")), *headers):
        data = path.read_bytes()
        digest.update(f"{path.name} {len(data)} ".encode() + data)
    return digest.hexdigest()[:32]


@functools.cache
def compiled() -> tuple[Path, str]:
    """The folder of the compiled modules, and what the compiler said if there is none.

    Other processes may make it at the same time: it appears when it is complete.
    """
    package = package_folder()
    folder = CACHE / key_of(package)
    if folder.is_dir():
        return folder, ""
    CACHE.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=CACHE, prefix="unfinished-"))
    try:
        # A sanitizer, if there is one, watches the tests, not the compiler.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        command = [sys.executable, str(SOURCES / "compile.py"), str(package.parent), str(work)]
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode != 0:
            return folder, run.stdout.decode(errors="replace")
        try:
            (work / "native").rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder, ""


@functools.cache
def load() -> None:
    """Let this module have the functions of all of them."""
    folder, complaint = compiled()
    assert not complaint, f"tests/native does not compile:\n{complaint}"
    for source in sorted(SOURCES.glob("*.pyx")):
        path = folder / f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}"
        spec = importlib.util.spec_from_file_location(f"native.{source.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        functions = {name: value for name, value in vars(module).items() if is_function_of(value, module)}
        assert not functions.keys() & globals().keys(), f"{source.name} has a name of another module"
        globals().update(functions)


def is_function_of(value: Any, module: ModuleType) -> bool:
    return callable(value) and getattr(value, "__module__", None) == module.__name__


def __getattr__(name: str) -> Any:
    """A function that is asked for before `load`."""
    if name.startswith("_") or load.cache_info().currsize:
        raise AttributeError(f"tests/native has no {name}")
    load()
    return getattr(sys.modules[__name__], name)
