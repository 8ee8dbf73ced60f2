"""Which of many texts cannot be encoded: an error of a whole batch does not say it."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import TextError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def raise_first(texts: Iterable[Any], encode: Callable[[Any], object], name: Callable[[int], str]) -> None:
    """Raise the TextError of the first text that `encode` refuses, after its name; return if there is none."""
    for i, text in enumerate(texts):
        try:
            encode(text)
        except TextError as error:
            raise TextError(f"{name(i)}: {error}") from None
