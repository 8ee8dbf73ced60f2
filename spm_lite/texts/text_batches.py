"""Batches of texts, and rows that hold a text by name -> the texts one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError

if TYPE_CHECKING:
    from typing import Any


def is_batch(item: object) -> bool:
    """Whether an item of an iterable holds texts: a list of them, or a row or some columns by name."""
    return isinstance(item, (list, tuple, Mapping))


def texts_of_batches(items: Iterable[Any], column: str) -> Iterator[Any]:
    """Yield the texts of batches, one level deep. column: what holds them in a row, such as {"text": "ab", "id": 7}.

    Raises OptionError for a row without the column.
    """
    for number, item in enumerate(items):
        held = item
        if isinstance(item, Mapping):
            if column not in item:
                raise OptionError(
                    f"item {number} has no field {column!r:.60}: it has {', '.join(map(repr, item)):.120}. "
                    "Name it with column='NAME'"
                )
            held = item[column]
        if isinstance(held, (list, tuple)):
            yield from held
        else:
            yield held
