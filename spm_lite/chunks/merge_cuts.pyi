from typing import final

from spm_lite.chunks.pair_cuts import ContextCuts
from spm_lite.segment.piece_table import PieceTable
from spm_lite.vocab.vocab import Vocab

@final
class MergeCuts(ContextCuts):
    def __init__(self, vocab: Vocab, table: PieceTable, n_pairs: int) -> None: ...
