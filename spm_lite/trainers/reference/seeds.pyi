from typing import final

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.specs import TrainerSpec
from spm_lite.trainers.trainer_interface import Alphabet

@final
class SeedText: ...

@final
class ReferenceSuffixSorter: ...

@final
class SeedList: ...

def list_seeds(
    sentences: ChunkTable,
    alphabet: Alphabet,
    spec: TrainerSpec,
    n_seeds: int,
    num_threads: int = 1,
    part_size: int = 524288000,
) -> list[tuple[str, float]]: ...
