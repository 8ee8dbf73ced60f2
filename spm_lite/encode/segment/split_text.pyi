from typing import final

from spm_lite.base.patterns.text_cuts import TextCuts
from spm_lite.encode.segment.segmenter import Scratch, Segmenter
from spm_lite.vocab.split_pattern_names import RULES as RULES

@final
class SplitScratch(Scratch): ...

@final
class SplitSegmenter(Segmenter):
    @property
    def inner(self) -> Segmenter: ...
    @property
    def cuts(self) -> TextCuts | None: ...

def split_segmenter(inner: Segmenter) -> SplitSegmenter: ...
def matches(text: bytes, pattern: str, one_by_one: bool = False) -> list[bytes]: ...
