from typing import final

from spm_lite.encode.segment.piece_table import PieceTable
from spm_lite.vocab.vocab import Vocab

@final
class MergeCuts:
    def __new__(cls, vocab: Vocab, table: PieceTable, n_pairs: int) -> MergeCuts: ...
