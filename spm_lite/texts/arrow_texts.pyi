from collections.abc import Iterator
from typing import Any, final

from spm_lite.texts.text_view import Texts

@final
class ArrowChunk: ...

@final
class ArrowTexts(Texts):
    def __new__(
        cls, source: Any, column: str | None = None, nulls_are_empty: bool = False, first: int = 0
    ) -> ArrowTexts: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def as_objects(self) -> Iterator[str | bytes]: ...
