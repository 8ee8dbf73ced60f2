"""Packages that only some users have: imported when they are needed, by the name of our extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spm_lite.errors import OptionError

PACKAGES = {"spark": "pyspark.sql", "ray": "ray", "datatrove": "datatrove", "datasets": "datasets"}


def partner(extra: str, module: str = "") -> Any:
    """The package of an extra, or one of its modules. Raises OptionError naming the extra if it is not installed."""
    name = module or PACKAGES[extra]
    try:
        return import_module(name)
    except ImportError as error:
        raise OptionError(
            f"{name} cannot be imported ({error}): install it with pip install 'spm_lite[{extra}]'"
        ) from None


def arrow() -> Any:
    """The package pyarrow. Raises OptionError naming an extra."""
    from spm_lite.files.parquet_ids import parquet_modules

    return parquet_modules()[0]
