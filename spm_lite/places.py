"""Where ids come from in a text: arguments checked, results in their Python form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_texts
from spm_lite.batch import Batch
from spm_lite.errors import OptionError
from spm_lite.segment import spans as engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.segment.encoder import Encoder

UNITS = ("byte", "char", "utf16")


def spans(encoder: Encoder, text: str | bytes, unit: str | None) -> list[tuple[int, int]]:
    return engine.spans_of(encoder, text, as_unit(unit, isinstance(text, bytes)))


def spans_batch(
    encoder: Encoder, texts: Iterable[str | bytes], unit: str | None, num_threads: int | None, pad_id: int
) -> tuple[Batch, NDArray[np.int32]]:
    import numpy as np

    items, threads = as_texts(texts, num_threads)
    has_bytes = any(isinstance(text, bytes) for text in items)
    if unit is None and has_bytes and not all(isinstance(text, bytes) for text in items):
        raise OptionError("texts are of both kinds, str and bytes: pass unit='char', 'byte' or 'utf16'")
    ids, offsets, flat = engine.spans_batch(encoder, items, as_unit(unit, has_bytes), threads)
    batch = Batch._from_vectors(ids, offsets, pad_id)
    rows = np.frombuffer(flat.view(), dtype=np.int32) if len(flat) else np.empty(0, dtype=np.int32)
    return batch, rows.reshape(-1, 2)


def as_unit(unit: Any, is_bytes: bool) -> int:
    """The number of a unit; None: that of the text's own indices."""
    if unit is None:
        return 0 if is_bytes else 1
    if not isinstance(unit, str) or unit not in UNITS:
        raise OptionError(f"unit {unit!r:.40} is none of 'char', 'byte', 'utf16'")
    return UNITS.index(unit)
