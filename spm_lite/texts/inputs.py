"""Arguments for the texts of a batch -> `Texts`; arrays and columns without a Python object per text.

Batches of texts, and rows that hold a text by name, give their texts one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_iterable, as_num_threads, refuse_accidental, with_surrogates
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.texts.object_texts import ObjectTexts
from spm_lite.texts.text_view import Texts
from spm_lite.texts.wrong_texts import refuse_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from spm_lite.texts.arrow_texts import ArrowTexts


def is_batch(item: object) -> bool:
    """Whether an item of an iterable holds texts: a list of them, or a row or some columns by name."""
    return isinstance(item, (list, tuple, Mapping))


def texts_of_batches(items: Iterable[Any], columns: tuple[str, ...]) -> Iterator[Any]:
    """Yield the texts of batches, one level deep. columns: what holds them in a row, such as {"text": "ab", "id": 7}.

    In a row, `values_at` finds them. Raises OptionError for a row without a column, or with a value that is no text.
    """
    for number, item in enumerate(items):
        if isinstance(item, Mapping):
            for column in columns:
                try:
                    found = [*values_at(item, column)]
                except LookupError as error:
                    raise OptionError(
                        f"item {number} has no field {column!r:.60}: {error.args[0]}. Name it with column='NAME'"
                    ) from None
                except RecursionError:
                    raise OptionError(f"item {number}: {column!r:.60} is nested too deep: name another field") from None
                for value in found:
                    if not isinstance(value, (str, bytes)):
                        kind = "null" if value is None else type(value).__name__
                        raise ArgumentTypeError(
                            f"item {number}: {column!r:.60} is {kind}, not a text: leave the row out, or name another "
                            "column"
                        )
                    yield value
        elif isinstance(item, (list, tuple)):
            yield from item
        else:
            yield item


def values_at(row: Mapping[str, Any], column: str, missing_is_null: bool = False) -> Iterator[Any]:
    """Yield the values of a field of a row. column: its name, or a path such as "translation.en".

    A list on the way is entered: each of its items has values. A name may end in "[]" to say so. A field whose name
    has a dot comes before a path. Raises LookupError, which tells what there is, for a row without the field; or gives
    None for it, if missing_is_null.

    >>> [*values_at({"messages": [{"content": "hi"}, {"content": "hello"}]}, "messages.content")]
    ['hi', 'hello']
    """
    if column in row:
        return values_below(row[column], [], missing_is_null)
    return values_below(row, [name.removesuffix("[]") for name in column.split(".")], missing_is_null)


def values_below(value: Any, names: list[str], missing_is_null: bool) -> Iterator[Any]:
    """Yield the values that a path reaches from a value. names: the rest of the path. Else as `values_at`."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from values_below(item, names, missing_is_null)
        return
    if not names:
        yield value
        return
    if isinstance(value, Mapping):
        for n in range(len(names), 0, -1):
            name = ".".join(names[:n])
            if name in value:
                yield from values_below(value[name], names[n:], missing_is_null)
                return
    if missing_is_null:
        yield None
        return
    if isinstance(value, Mapping):
        raise LookupError(f"it has {', '.join(map(repr, value)):.120}")
    raise LookupError(f"{names[0]!r:.60} is looked for in {'null' if value is None else type(value).__name__}")


AS_TEXTS = "name a column of texts, or make texts of it, such as with astype(str) in pandas"
SOME_TEXTS = "a list of texts, such as [text]"  # for messages


def as_texts(texts: Any, surrogates: bool = False, column: str | None = None) -> Texts:
    """Return the texts of an iterable of str or bytes, a numpy array, or a column with Arrow's C data interface.

    An iterable may also give columns or tables of Arrow. column: the name of the texts in a table.
    surrogates: lone ones are taken as the bytes that would encode them. `Texts` are returned as they are.
    Raises ArgumentTypeError for other objects, OptionError for an array that is not flat, TextError for nulls.
    """
    kind = type(texts)
    if kind is list or kind is tuple:
        return texts_of_objects(texts, surrogates, column)
    if isinstance(texts, Texts):
        return texts
    if isinstance(texts, (str, bytes)):
        raise ArgumentTypeError(f"texts is one {kind.__name__}: pass {SOME_TEXTS}, or call a method for one text")
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(texts, numpy.ndarray):
        return texts_of_array(texts, surrogates)
    found = as_column(texts, column)
    if found is not None:
        return found
    return texts_of_objects(as_iterable(texts, "texts", SOME_TEXTS), surrogates, column)


def texts_and_threads(texts: Any, num_threads: int | None) -> tuple[Texts, int]:
    """Return the texts of a batch and the number of threads for them."""
    items = as_texts(texts)
    return items, max(1, min(as_num_threads(num_threads), len(items)))


def column_of_texts(source: Any, column: str | None = None) -> ArrowTexts | None:
    """Return the column of `source`; None if it is not a column, or one that Arrow cannot read but that gives texts.

    column: its name in a table.
    """
    try:
        return as_column(source, column)
    except ArgumentTypeError:  # such as a categorical column of polars
        is_table = hasattr(source, "columns")  # iterating one of pandas gives the names of its columns
        if not is_table and hasattr(source, "__iter__") and isinstance(next(iter(source), None), (str, bytes)):
            return None
        raise


def is_column(texts: Any) -> bool:
    """Whether `texts` has Arrow's C data interface."""
    return hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__")


def as_column(texts: Any, column: str | None = None) -> ArrowTexts | None:
    """Return the column of an object with Arrow's C data interface; None for other objects. column: its name there."""
    if not is_column(texts):
        return None
    if column is None:
        refuse_accidental(texts, "texts", SOME_TEXTS)
    if hasattr(texts, "to_lists"):
        raise ArgumentTypeError("texts is a Batch, which holds ids: pass decode_batch of it, or texts")
    from spm_lite.texts.arrow_texts import ArrowTexts

    try:
        return ArrowTexts(texts, column)
    except ImportError:  # a pandas Series where pyarrow is missing
        return None
    except TypeError as error:  # a pandas Series of several types, which pyarrow refuses
        if isinstance(error, ArgumentTypeError):
            raise
        raise ArgumentTypeError(f"texts is a column that holds more than texts ({error}): {AS_TEXTS}") from None


def texts_of_objects(texts: Iterable[Any], surrogates: bool, column: str | None = None) -> Texts:
    """Return the texts of an iterable, which may give columns."""
    if type(texts) is not list and type(texts) is not tuple:
        texts = tuple(texts)
    if texts and type(texts[0]) is not str and is_column(texts[0]):
        from spm_lite.texts.arrow_texts import ArrowTexts

        return ArrowTexts([checked_part(part, i) for i, part in enumerate(texts)], column)
    if surrogates:
        return ObjectTexts(tuple(map(with_surrogates, texts)))
    return ObjectTexts(texts if type(texts) is list else tuple(texts))


def texts_of_array(array: Any, surrogates: bool) -> Texts:
    """Return the texts of a numpy array."""
    import numpy as np

    from spm_lite.texts.numpy_texts import PaddedBytes, PaddedStrings

    if array.ndim != 1:
        raise OptionError(f"texts is an array of {array.ndim} dimensions: must have one, such as after ravel()")
    if array.dtype.kind not in ("S" if surrogates else "SU") or isinstance(array, np.ma.MaskedArray):
        return texts_of_objects(array.tolist(), surrogates)
    flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return PaddedBytes(flat) if array.dtype.kind == "S" else PaddedStrings(flat)


class ColumnStream:
    """The texts of an Arrow stream, or of a series of columns or tables, read part by part; iterating gives bytes.

    column: the name of the texts in a table; None: the only one. nulls_are_empty: a null is an empty text.
    """

    def __init__(self, source: Any, column: str | None = None, nulls_are_empty: bool = False) -> None:
        self.source, self.column, self.nulls_are_empty = source, column, nulls_are_empty

    def __iter__(self) -> Iterator[bytes]:
        for texts in self.parts():
            yield from texts

    def parts(self) -> Iterator[ArrowTexts]:
        """The texts of each array, in order. Raises as `as_column`; texts are counted from the first part on."""
        from spm_lite.texts.arrow_streams import ArrowStream
        from spm_lite.texts.arrow_texts import ArrowTexts

        n_before = 0
        for number, part in enumerate([self.source] if is_column(self.source) else self.source):
            refuse_counts(checked_part(part, number))
            stream = None if hasattr(part, "__arrow_c_array__") else ArrowStream(part)
            has_more = True
            while has_more:
                texts = ArrowTexts(part if stream is None else stream, self.column, self.nulls_are_empty, n_before)
                n_before += len(texts)
                yield texts
                has_more = bool(stream)


def flattened(texts: Iterable[Any], columns: tuple[str, ...] | None = None) -> Iterable[Any]:
    """The texts of an iterable; of one that gives columns, tables, rows or batches, their texts.

    columns: what holds the texts in rows, and, the first of them, in tables; None: rows and batches are refused.
    """
    items = iter(texts)
    first = next(items, items)
    if first is items:  # there is none
        return ()
    whole = chain((first,), items)
    if is_column(first):
        return ColumnStream(whole, columns[0] if columns else None)
    return whole if columns is None or not is_batch(first) else texts_of_batches(whole, columns)


def checked_part(part: Any, number: int) -> Any:
    """`part`, if it is a column or table of Arrow. Raises ArgumentTypeError, naming its number."""
    if not is_column(part):
        raise ArgumentTypeError(f"item {number} is {type(part).__name__} in a series of Arrow columns or tables")
    return part
