from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class PieceSource:
    def __init__(self, vocab: Vocab) -> None: ...
