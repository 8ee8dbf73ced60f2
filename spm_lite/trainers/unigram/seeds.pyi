from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.specs import TrainerSpec

class SuffixSorter: ...

def find_seeds(
    counts: ChunkTable, alphabet: str, spec: TrainerSpec, n_seeds: int, num_threads: int = 1
) -> list[tuple[str, float]]: ...
