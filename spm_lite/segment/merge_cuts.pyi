from typing import final

from spm_lite.segment.joins import Joins
from spm_lite.segment.piece_table import PieceTable
from spm_lite.vocab.vocab import Vocab

@final
class MergeCuts:
    def __init__(self, vocab: Vocab, table: PieceTable, n_pairs: int) -> None: ...
    def cuts(self, joins: Joins, text: bytes, *, is_whole: bool = True) -> list[int]: ...
