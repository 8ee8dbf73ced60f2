"""The attacks of tools/soak call every public function and method, or a list says why not."""

import ast
import inspect
import sys
from pathlib import Path

import pytest

import spm_lite
from spm_lite.engines import datasets, shards, worker

SOAK = Path(__file__).resolve().parents[3] / "tools" / "soak"
pytestmark = pytest.mark.skipif(not SOAK.is_dir(), reason="no source tree")
HELD = (str, tuple, int, Exception)  # whose inherited methods are Python's
RESULTS = {
    "Manifest",
    "Plan",
    "Problem",
    "ShardOptions",
    "Verification",
}  # classes of what the functions of shards return


def public_names():
    """Function or class.method -> the name that a call bears."""
    found = {}
    for name in spm_lite.__all__:
        value = getattr(spm_lite, name)
        if inspect.isclass(value):
            inherited = {method for base in HELD if issubclass(value, base) for method in dir(base)}
            for method in dir(value):
                if not method.startswith("_") and method not in inherited and callable(getattr(value, method)):
                    found[f"{name}.{method}"] = method
        elif callable(value):
            found[f"spm_lite.{name}"] = name
    for module in (shards, worker, datasets):
        found |= {f"{module.__name__}.{name}": name for name in module.__all__ if name not in RESULTS}
    found |= {f"transformers.{name}": name for name in ("Collator", "accelerate", "patch", "unpatch")}
    return found


def test_every_name_is_called(monkeypatch):
    monkeypatch.syspath_prepend(SOAK)
    called = set()
    for path in SOAK.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called |= {node.attr} if isinstance(node, ast.Attribute) else set()
            called |= {node.id} if isinstance(node, ast.Name) else set()
    from not_called import NOT_CALLED

    sys.modules.pop("not_called")
    missing = {name for name, call in public_names().items() if call not in called} - set(NOT_CALLED)
    assert sorted(missing) == []
    assert all(NOT_CALLED.values())
