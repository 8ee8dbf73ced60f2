from collections.abc import Iterable
from typing import final

from spm_lite.encode.segment.segmenter import Segmenter
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.cut_rules import CutRules
from spm_lite.training.counts.spill import Spill

def words_of(
    blocks: Iterable[ChunkTable], rules: CutRules, has_sources: bool, spill: Spill | None = None
) -> ChunkTable: ...

@final
class PhraseCutter:
    def __new__(cls, words: ChunkTable, rules: CutRules, segmenter: Segmenter) -> PhraseCutter: ...
    def count(self, phrases: ChunkTable) -> None: ...
    def cut(
        self, blocks: Iterable[ChunkTable], floor: int, is_sorted: bool, spill: Spill | None = None
    ) -> ChunkTable: ...
    def likely_floor(self, n_pairs: int) -> int: ...
