"""Which parameters of a test are slow: `pytest` runs the others, `pytest -m slow` these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow_after(n: int, values: Iterable[Any], *, are_rows: bool = False) -> list[Any]:
    """`values` as the parameters of a test, of which all after the first `n` are marked slow.

    are_rows: each value is a row of several parameters.
    """
    rows = [value if are_rows else (value,) for value in values]
    return [pytest.param(*row, marks=[] if k < n else [pytest.mark.slow]) for k, row in enumerate(rows)]
