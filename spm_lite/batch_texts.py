"""What callers pass as the texts of a batch -> `Texts`, without a Python object per text where there is none yet."""

from __future__ import annotations

import sys
from typing import Any

from spm_lite.arguments import as_iterable, as_num_threads
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.segment.object_texts import ObjectTexts
from spm_lite.segment.texts import Texts


def as_texts(texts: Any) -> Texts:
    """An iterable of str or bytes, an array of numpy, or a column of strings that speaks Arrow's C data interface.

    Raises ArgumentTypeError for what is none of these, OptionError for an array that is not flat, TextError for nulls.
    """
    kind = type(texts)
    if kind is list or kind is tuple:
        return ObjectTexts(tuple(texts))
    if isinstance(texts, (str, bytes)):
        raise ArgumentTypeError(f"texts is one {kind.__name__}: pass a list of texts, or a method for one text")
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(texts, numpy.ndarray):
        return texts_of_array(texts)
    if is_arrow(texts):
        from spm_lite.segment.arrow_texts import ArrowTexts

        try:
            return ArrowTexts(texts)
        except ImportError:  # a Series of pandas where pyarrow is missing
            pass
    return ObjectTexts(tuple(as_iterable(texts, "texts")))


def as_shared(texts: Any, num_threads: int | None) -> tuple[Texts, int]:
    """The texts of a batch and the number of threads for them."""
    items = as_texts(texts)
    return items, max(1, min(as_num_threads(num_threads), len(items)))


def is_arrow(texts: Any) -> bool:
    """Whether texts speak Arrow's C data interface."""
    return hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__")


def texts_of_array(array: Any) -> Texts:
    """The texts of an array of numpy."""
    import numpy as np

    from spm_lite.segment.padded_texts import PaddedBytes, PaddedStrings

    if array.ndim != 1:
        raise OptionError(f"texts is an array of {array.ndim} dimensions: must be flat, such as after ravel()")
    if array.dtype.kind not in "SU" or isinstance(array, np.ma.MaskedArray):
        return ObjectTexts(tuple(array.tolist()))
    flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return PaddedBytes(flat) if array.dtype.kind == "S" else PaddedStrings(flat)
