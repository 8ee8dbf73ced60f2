from spm_lite.counts.chunk_table import CountTable
from spm_lite.specs import TrainerSpec

class SuffixSorter: ...

def find_seeds(
    counts: CountTable, alphabet: str, spec: TrainerSpec, n_seeds: int, num_threads: int = 1
) -> list[tuple[str, float]]: ...
