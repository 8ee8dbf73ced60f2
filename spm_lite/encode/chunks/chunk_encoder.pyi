from typing import final

from spm_lite.base.system.memory_budget import MemoryBudget
from spm_lite.encode.chunks.chunk_cutter import ChunkCutter
from spm_lite.encode.segment.byte_fallback import ByteFallback
from spm_lite.encode.segment.segmenter import Segmenter

@final
class ChunkEncoder:
    def __new__(cls, segmenter: Segmenter, fallback: ByteFallback, budget: MemoryBudget) -> ChunkEncoder: ...
    @property
    def cutter(self) -> ChunkCutter: ...
    @property
    def budget(self) -> MemoryBudget: ...
