from collections.abc import Container, Iterable
from typing import final

from spm_lite.specs import TrainerSpec
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet

@final
class ParityTrainer(BpeTrainer):
    def __init__(
        self,
        window: int = 0,
        alpha: float = 2.0,
        floor: float = 0.0,
        global_merges: int = 0,
        most_tokens: Iterable[float] = (),
    ) -> None: ...
    def add_language(self, text: ChunkTable, dev: ChunkTable | None, goal: float) -> None: ...
    def follow(
        self, alphabet: Alphabet, spec: TrainerSpec, merges: Iterable[tuple[int, int]], pieces: Container[str]
    ) -> list[int]: ...
    def outcome(self) -> list[tuple[int, int, bool]]: ...
    def plain_merges(self) -> int: ...
    def forced_at(self) -> int: ...
