from spm_lite.specs import TrainerSpec
from spm_lite.trainers.counts import CountTable

class SuffixSorter: ...

def find_seeds(
    counts: CountTable, alphabet: str, spec: TrainerSpec, n_seeds: int, num_threads: int = 1
) -> list[tuple[str, float]]: ...
