"""Which parameters of a test are slow: `pytest` runs the others, `pytest -m slow` these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow_after(n: int, values: Iterable[Any]) -> list[Any]:
    """`values` as the parameters of a test, of which all after the first `n` are marked slow."""
    return [value if k < n else pytest.param(value, marks=pytest.mark.slow) for k, value in enumerate(values)]
