from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class PieceReader:
    def __init__(self, vocab: Vocab) -> None: ...

@final
class PairCuts:
    def __init__(self, vocab: Vocab) -> None: ...
