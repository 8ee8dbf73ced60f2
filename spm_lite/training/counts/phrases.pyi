from typing import final

from spm_lite.training.counts.chunk_table import ChunkTable

def mark_of(document: bytes) -> int: ...

@final
class PhraseMaker:
    def __new__(cls, table: ChunkTable, inside: int, in_bytes: bool) -> PhraseMaker: ...
