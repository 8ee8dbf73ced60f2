"""What a memory limit means: how it is written, and how it is shared among counting and training."""

from __future__ import annotations

import re
from typing import Any

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.specs import TrainerSpec
from spm_lite.trainers.budget import Budget

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
LEAST = 64 * 10**6
PROCESS = 48 * 10**6  # Python, the modules, blocks of text in work, tables by code point
LIMIT = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*([KMGT]?I?B?)", re.IGNORECASE)


def as_memory_limit(value: Any) -> int | None:
    """A limit as bytes. Raises OptionError for one that cannot be read or is too small."""
    if value is None:
        return None
    if isinstance(value, str):
        match = LIMIT.fullmatch(value.strip())
        unit = match[2].upper() if match else "?"
        if match is None or unit not in UNITS:
            raise OptionError(f"memory_limit={value!r:.40}: must be bytes, or a text such as '512MB' (10^6) or '1.5GB'")
        size = int(float(match[1].replace("_", "")) * UNITS[unit])
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        raise ArgumentTypeError(f"memory_limit={value!r:.40}: must be int, str or None, not {type(value).__name__}")
    if size < LEAST:
        raise OptionError(f"memory_limit={value!r:.40}: {LEAST} bytes ('{LEAST // 10**6}MB') is the least")
    return size


def counting_share(limit: int) -> int:
    """Bytes that the tables may take while text is counted, sorting included."""
    return limit - PROCESS


def table_budget(limit: int, spec: TrainerSpec | None = None) -> Budget:
    """What table can be trained on within a limit; without a spec, what can be held and sorted.

    The figures are measured; see tools/bench/memory.py.
    """
    available = limit - PROCESS
    if spec is None or spec.model_type not in ("bpe", "unigram"):
        return Budget(available, 72, 2)
    if spec.model_type == "bpe":
        return Budget(available, 72, 32)
    return Budget(available, 72, 32)
