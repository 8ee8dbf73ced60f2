from collections.abc import Iterable
from typing import final

from spm_lite.progress.meter import Reporter
from spm_lite.training.counts.chunk_table import ChunkTable

@final
class UnigramExtender:
    def extend(
        self,
        counts: ChunkTable,
        old: dict[str, float],
        characters: list[str],
        seeds: list[str],
        n_pieces: int,
        alphabet: Iterable[str],
        *,
        num_threads: int = 1,
        progress: Reporter | None = None,
    ) -> dict[str, float]: ...
