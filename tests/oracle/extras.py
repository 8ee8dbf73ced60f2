"""Packages of the extra `dev`, which few tests need: the tests skip without them, or fail where they must be there."""

import importlib
import importlib.util
import os
from types import ModuleType

import pytest

REQUIRED = "SPM_LITE_EXTRAS"  # names the extras whose tests may not be skipped


def need(name: str) -> ModuleType:
    """Import a package of the extra `dev`. Without it the test skips, or the whole module if that calls this.

    A test that calls this bears the mark `dev`.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        reason = f"needs {name}: pip install '.[dev]'"
        if "dev" in os.environ.get(REQUIRED, "").split(","):
            pytest.fail(f"{REQUIRED} is set, and the test {reason}", pytrace=False)
        pytest.skip(reason, allow_module_level=True)


def is_installed(name: str) -> bool:
    """Whether a package is installed. A folder of tests with the same name has no file of its own."""
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


def skip_without(name: str) -> None:
    """Skip the test if a package is not installed."""
    if not is_installed(name):
        pytest.skip(f"{name} is not installed")
