from typing import final

from spm_lite.encode.segment.segmenter import Scratch, Segmenter
from spm_lite.encode.segment.text_cuts import TextCuts
from spm_lite.vocab.split_pattern_names import RULES as RULES

@final
class SplitBpeScratch(Scratch): ...

@final
class SplitBpeSegmenter(Segmenter):
    @property
    def cuts(self) -> TextCuts | None: ...

def matches(text: bytes, pattern: str, one_by_one: bool = False) -> list[bytes]: ...
