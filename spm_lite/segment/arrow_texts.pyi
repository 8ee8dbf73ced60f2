from collections.abc import Iterator
from typing import Any, final

from spm_lite.segment.texts import Texts

@final
class ArrowChunk: ...

@final
class ArrowTexts(Texts):
    def __init__(self, source: Any) -> None: ...
    def __iter__(self) -> Iterator[str | bytes]: ...
