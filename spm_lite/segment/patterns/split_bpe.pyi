from typing import final

from spm_lite.segment.patterns.named import RULES as RULES
from spm_lite.segment.segmenter import Scratch, Segmenter

@final
class SplitBpeScratch(Scratch): ...

@final
class SplitBpeSegmenter(Segmenter): ...

def matches(text: bytes, pattern: str, one_by_one: bool = False) -> list[bytes]: ...
