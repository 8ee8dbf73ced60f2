from typing import final

from spm_lite.encode.segment.segmenter import Segmenter

@final
class ChunkCutter:
    def __new__(cls, segmenter: Segmenter) -> ChunkCutter: ...
