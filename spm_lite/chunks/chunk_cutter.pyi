from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class ChunkCutter:
    def __init__(self, segmenter: Segmenter) -> None: ...
