from typing import final

from spm_lite.base.system.memory_budget import CacheBudget
from spm_lite.chunks.chunk_cutter import ChunkCutter
from spm_lite.segment.emitter import Emitter
from spm_lite.segment.segmenter import Segmenter

@final
class ChunkScratch: ...

@final
class ChunkEncoder:
    def __init__(self, segmenter: Segmenter, emitter: Emitter, budget: CacheBudget) -> None: ...
    @property
    def cutter(self) -> ChunkCutter: ...
    @property
    def budget(self) -> CacheBudget: ...
