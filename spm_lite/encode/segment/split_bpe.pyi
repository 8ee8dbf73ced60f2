from typing import final

from spm_lite.encode.segment.segmenter import Scratch, Segmenter
from spm_lite.vocab.split_pattern_names import RULES as RULES

@final
class SplitBpeScratch(Scratch): ...

@final
class SplitBpeSegmenter(Segmenter): ...

def matches(text: bytes, pattern: str, one_by_one: bool = False) -> list[bytes]: ...
