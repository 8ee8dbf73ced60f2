"""No use of a compiled class ends Python: objects that were never initialized, None and other wrong arguments."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite

PROGRAM = """
import importlib, inspect, pkgutil, spm_lite

SKIPPED = {"__class__", "__new__", "__init_subclass__", "__subclasshook__", "__setattr__", "__delattr__", "__del__"}
ARGUMENTS = [
    (), (None,), (None, None), (None, None, None), (None,) * 4, (None,) * 5, (0,), (0, 0), (-1, 2**70), ("a",), (b"a",),
    ([],), ([None],), (["a"], None), ("a", False), ("a", 1), (b"a", 0, 1), ({},), (object(),),
]

def use(value):
    for arguments in ARGUMENTS:
        try:
            value(*arguments)
        except Exception:
            pass

seen = set()
for module in pkgutil.walk_packages(spm_lite.__path__, "spm_lite."):
    if module.name.endswith(("__main__", "_pb2")):  # protobuf's own classes are not ours
        continue
    try:
        loaded = importlib.import_module(module.name)
    except ModuleNotFoundError as missing:  # the package of an extra: only modules of Python import one at their head
        if missing.name.startswith("spm_lite"):
            raise
        continue
    if loaded.__file__.endswith(".py"):
        continue
    for kind in vars(loaded).values():
        if not isinstance(kind, type) or not kind.__module__.startswith("spm_lite") or kind in seen:
            continue
        seen.add(kind)
        if issubclass(kind, BaseException):
            continue
        print(kind.__module__, kind.__qualname__, flush=True)
        use(kind)
        try:
            thing = kind.__new__(kind)
        except Exception:
            continue
        for name in set(dir(kind)) - SKIPPED:
            print(kind.__qualname__, name, flush=True)
            try:
                value = getattr(thing, name)
            except Exception:
                continue
            if callable(value):
                use(value)
            elif not name.startswith("__"):
                try:
                    setattr(thing, name, None)
                    repr(getattr(thing, name))
                except Exception:
                    pass
print("done", len(seen))
"""


@pytest.mark.slow
def test_nothing_crashes(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout[-300:], done.stderr[-1000:])
    assert done.stdout.splitlines()[-1].startswith("done")
    assert list(tmp_path.iterdir()) == []
