"""Arguments for the texts of a batch -> `Texts`; arrays and columns without a Python object per text."""

from __future__ import annotations

import sys

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_iterable, as_num_threads, refuse_accidental, with_surrogates
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.texts.object_texts import ObjectTexts
from spm_lite.texts.text_view import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from spm_lite.texts.arrow_texts import ArrowTexts


SOME_TEXTS = "a list of texts, such as [text]"  # for messages


def as_texts(texts: Any, surrogates: bool = False) -> Texts:
    """Return the texts of an iterable of str or bytes, a numpy array, or a column with Arrow's C data interface.

    surrogates: lone ones are taken as the bytes that would encode them. `Texts` are returned as they are.
    Raises ArgumentTypeError for other objects, OptionError for an array that is not flat, TextError for nulls.
    """
    kind = type(texts)
    if kind is list or kind is tuple:
        return texts_of_objects(texts, surrogates)
    if isinstance(texts, Texts):
        return texts
    if isinstance(texts, (str, bytes)):
        raise ArgumentTypeError(f"texts is one {kind.__name__}: pass {SOME_TEXTS}, or call a method for one text")
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(texts, numpy.ndarray):
        return texts_of_array(texts, surrogates)
    column = as_column(texts)
    return texts_of_objects(as_iterable(texts, "texts", SOME_TEXTS), surrogates) if column is None else column


def texts_and_threads(texts: Any, num_threads: int | None) -> tuple[Texts, int]:
    """Return the texts of a batch and the number of threads for them."""
    items = as_texts(texts)
    return items, max(1, min(as_num_threads(num_threads), len(items)))


def column_of_texts(source: Any) -> ArrowTexts | None:
    """Return the column of `source`; None if it is none, or one that Arrow cannot read but that iterates over texts."""
    try:
        return as_column(source)
    except ArgumentTypeError:  # such as a categorical column of polars
        if hasattr(source, "__iter__") and isinstance(next(iter(source), None), (str, bytes)):
            return None
        raise


def is_column(texts: Any) -> bool:
    """Whether `texts` has Arrow's C data interface."""
    return hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__")


def as_column(texts: Any) -> ArrowTexts | None:
    """Return the column of an object with Arrow's C data interface; None for other objects."""
    if not is_column(texts):
        return None
    refuse_accidental(texts, "texts", SOME_TEXTS)
    if hasattr(texts, "to_lists"):
        raise ArgumentTypeError("texts is a Batch, which holds ids: pass decode_batch of it, or texts")
    from spm_lite.texts.arrow_texts import ArrowTexts

    try:
        return ArrowTexts(texts)
    except ImportError:  # a pandas Series where pyarrow is missing
        return None


def texts_of_objects(texts: Iterable[Any], surrogates: bool) -> Texts:
    """Return the texts of an iterable."""
    if surrogates:
        return ObjectTexts(tuple(map(with_surrogates, texts)))
    return ObjectTexts(texts if type(texts) is list else tuple(texts))


def texts_of_array(array: Any, surrogates: bool) -> Texts:
    """Return the texts of a numpy array."""
    import numpy as np

    from spm_lite.texts.numpy_texts import PaddedBytes, PaddedStrings

    if array.ndim != 1:
        raise OptionError(f"texts is an array of {array.ndim} dimensions: must be flat, such as after ravel()")
    if array.dtype.kind not in ("S" if surrogates else "SU") or isinstance(array, np.ma.MaskedArray):
        return texts_of_objects(array.tolist(), surrogates)
    flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return PaddedBytes(flat) if array.dtype.kind == "S" else PaddedStrings(flat)
