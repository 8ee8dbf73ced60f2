"""Offsets: the span of each id in a text that was encoded, or in the text that ids decode to.

Checks arguments and gives results in their Python form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_ids, as_iterable, as_num_threads
from spm_lite.decode import decoded_spans as decoded
from spm_lite.decode.decode_batch import decode_flat
from spm_lite.encode import spans as engine
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.texts.batch import Batch, as_numpy
from spm_lite.texts.inputs import texts_and_threads
from spm_lite.texts.numpy_texts import PaddedBytes
from spm_lite.texts.object_texts import ObjectTexts

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.decode.decoder import Decoder
    from spm_lite.encode.encoder import Encoder
    from spm_lite.texts.text_view import Texts

UNITS = ("byte", "char", "utf16")


def spans(encoder: Encoder, text: str | bytes, unit: str | None) -> list[tuple[int, int]]:
    return engine.spans_of(encoder, text, as_unit(unit, isinstance(text, bytes)))


def spans_batch(
    encoder: Encoder, texts: Iterable[str | bytes], unit: str | None, num_threads: int | None, pad_id: int
) -> tuple[Batch, NDArray[np.int32]]:
    items, threads = texts_and_threads(texts, num_threads)
    number = as_unit(unit, unit is None and are_bytes(items))
    ids, offsets, flat = engine.spans_batch(encoder, items, number, threads)
    batch = Batch._from_vectors(ids, offsets, pad_id)
    return batch, as_numpy(flat, "int32").reshape(-1, 2)


def decode_spans(decoder: Decoder, ids: Any, unit: str | None) -> list[tuple[int, int]]:
    return decoded.decoded_spans(decoder, as_ids(ids), as_unit(unit, False))


def decode_spans_batch(
    decoder: Decoder, batch: Batch | Iterable[Iterable[Any]], unit: str | None, num_threads: int | None
) -> tuple[list[str], NDArray[np.int32]]:
    number, threads = as_unit(unit, False), as_num_threads(num_threads)
    flat = batch.checked() if isinstance(batch, Batch) else Batch.from_lists(as_lists(batch))
    texts = decode_flat(decoder, flat.ids, flat.offsets, threads, False)
    places = decoded.decoded_spans_flat(decoder, flat.ids, flat.offsets, number, threads)
    return texts, as_numpy(places, "int32").reshape(-1, 2)


def as_lists(batch: Any) -> Any:
    """`batch`, if it may be a sequence of sequences of ids. Raises ArgumentTypeError for texts and for other types."""
    if isinstance(batch, (str, bytes, bytearray)):
        raise ArgumentTypeError(f"batch is {type(batch).__name__}, not a Batch or a sequence of sequences of ids")
    return as_iterable(batch, "batch")


def are_bytes(texts: Texts) -> bool:
    """Whether texts are bytes, not str (Arrow columns count as str). Raises OptionError if only some are bytes."""
    if not isinstance(texts, ObjectTexts):
        return isinstance(texts, PaddedBytes)
    kinds = {isinstance(text, bytes) for text in texts.items}
    if len(kinds) == 2:
        raise OptionError("texts are of both kinds, str and bytes: pass unit='char', 'byte' or 'utf16'")
    return True in kinds


def as_unit(unit: Any, is_bytes: bool) -> int:
    """The number of a unit in UNITS; None: the unit of the text's own indices."""
    if unit is None:
        return 0 if is_bytes else 1
    if not isinstance(unit, str) or unit not in UNITS:
        raise OptionError(f"unit {unit!r:.40}: must be 'char', 'byte' or 'utf16'")
    return UNITS.index(unit)
