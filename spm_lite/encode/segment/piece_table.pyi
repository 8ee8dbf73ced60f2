from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class PieceTable:
    def __new__(cls, vocab: Vocab, compact: bool) -> PieceTable: ...
