from collections.abc import Callable
from typing import final

from spm_lite.encode.segment.split_text import SplitSegmenter

NO_PREFIX: int
ALWAYS: int
UNLESS_SPACE: int
AT_START: int
EACH_WORD: int
BY_TEXT: int
BY_SPACE: int
BY_TOKEN: int
BY_CUT: int

@final
class TokenSpans:
    def __init__(
        self,
        surfaces: list[bytes | None],
        added: dict[int, str],
        continues: list[bool],
        prefix: int,
        words: int,
        marks_space: bool,
        drops_space: bool,
        normalize: Callable[[str], str] | None = None,
        cuts: SplitSegmenter | None = None,
    ) -> None: ...
    def find(self, text: str, ids: list[int]) -> tuple[list[tuple[int, int]], list[int]] | None: ...
    def trim(self, ids: list[int], offsets: list[tuple[int, int]], has_prefix: bool) -> list[tuple[int, int]]: ...
