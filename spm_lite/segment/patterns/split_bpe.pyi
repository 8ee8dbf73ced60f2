from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class SplitBpeSegmenter(Segmenter): ...

def matches(text: bytes, pattern: str) -> list[bytes]: ...
