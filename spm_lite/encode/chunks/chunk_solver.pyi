from typing import final

from spm_lite.encode.segment.byte_fallback import ByteFallback
from spm_lite.encode.segment.segmenter import Segmenter

@final
class ChunkScratch: ...

@final
class ChunkSolver:
    def __new__(cls, segmenter: Segmenter, fallback: ByteFallback) -> ChunkSolver: ...
