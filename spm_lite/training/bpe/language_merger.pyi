from collections.abc import Container, Iterable

from typing_extensions import disjoint_base

from spm_lite.specs import TrainerSpec
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet

@disjoint_base
class LanguageMerger(BpeTrainer):
    def add_language(self, text: ChunkTable, dev: ChunkTable | None, goal: float) -> None: ...
    def follow(
        self, alphabet: Alphabet, spec: TrainerSpec, merges: Iterable[tuple[int, int]], pieces: Container[str]
    ) -> list[int]: ...
