from collections.abc import Iterable
from typing import Any, final

from spm_lite.counts.chunk_table import CountTable
from spm_lite.progress import Reporter
from spm_lite.specs import TrainerSpec
from spm_lite.training.checkpoint import Checkpoint

TRAINERS: dict[str, tuple[str, str]]
REFERENCE_TRAINERS: dict[str, tuple[str, str]]

@final
class Alphabet:
    n_other_characters: int
    @staticmethod
    def from_items(items: Iterable[tuple[str, int]], n_other_characters: int = 0) -> Alphabet: ...
    def items(self) -> list[tuple[str, int]]: ...
    def __len__(self) -> int: ...
    def __contains__(self, character: str, /) -> bool: ...

class Trainer:
    figures: dict[str, Any]
    owns_counts: bool
    checkpoint: Checkpoint | None
    def learn(
        self,
        counts: CountTable,
        alphabet: Alphabet,
        spec: TrainerSpec,
        n_pieces: int,
        *,
        num_threads: int = 1,
        progress: Reporter | None = None,
        reference_rules: bool = False,
    ) -> list[tuple[str, float]]: ...

def trainer_for(model_type: str, reference_rules: bool = False) -> Trainer: ...
