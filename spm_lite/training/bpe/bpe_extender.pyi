from collections.abc import Callable
from typing import Any, final

from spm_lite.progress.meter import Reporter
from spm_lite.specs import TrainerSpec
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet
from spm_lite.vocab.vocab import Vocab

@final
class BpeExtender(BpeTrainer):
    def extend(
        self,
        counts: ChunkTable,
        alphabet: Alphabet,
        spec: TrainerSpec,
        n_merges: int,
        vocab: Vocab,
        least_score: float,
        may_be_piece: Callable[[Any], bool],
        protect: ChunkTable | None = None,
        progress: Reporter | None = None,
        floor: int = 0,
    ) -> list[tuple[str | bytes, str | bytes, str | bytes, int]]: ...
