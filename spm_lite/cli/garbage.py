"""Garbage collection in a program: imports and short work are over before a cycle is worth a search."""

from __future__ import annotations

import contextlib
import gc

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW_OBJECTS = 50_000  # between two searches; Python's own 700 mean a search for every few imported modules


@contextlib.contextmanager
def few_collections(is_whole_process: bool) -> Iterator[None]:
    """Within, garbage is collected rarely; after it, not at all, since the process ends.

    is_whole_process: False leaves the collector as it is, for a call within another program.
    """
    if is_whole_process:
        gc.set_threshold(NEW_OBJECTS)
    try:
        yield
    finally:
        if is_whole_process:
            gc.freeze()  # the end of Python does not search what it frees anyway
