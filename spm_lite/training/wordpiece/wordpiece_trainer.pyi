from typing import final

from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet, Trainer

@final
class WordPieceTrainer(Trainer):
    def first_pieces(self, counts: ChunkTable, alphabet: Alphabet, spec: TrainerSpec) -> int: ...
