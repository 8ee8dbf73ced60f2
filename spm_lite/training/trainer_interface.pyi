from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, final, type_check_only

from spm_lite.progress.meter import Reporter
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable

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

@type_check_only
class _Checkpoint(Protocol):
    def load_state(self) -> Any: ...
    def is_due(self) -> bool: ...
    def save_state(self, state: Mapping[str, Any]) -> None: ...

class Trainer:
    figures: dict[str, Any]
    rare: dict[str | bytes, tuple[int, int]]
    owns_counts: bool
    checkpoint: _Checkpoint | None
    log: Callable[[str], object] | None
    def learn(
        self,
        counts: ChunkTable,
        alphabet: Alphabet,
        spec: TrainerSpec,
        n_pieces: int,
        *,
        num_threads: int = 1,
        progress: Reporter | None = None,
        reference_rules: bool = False,
    ) -> list[tuple[str, float]]: ...

def trainer_for(model_type: str, reference_rules: bool = False) -> Trainer: ...
