from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class PieceObjects:
    def __init__(self, vocab: Vocab) -> None: ...
    @property
    def vocab(self) -> Vocab: ...
    def string(self, piece_id: int) -> str: ...
