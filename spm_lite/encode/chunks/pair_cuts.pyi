from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class PieceReader:
    def __new__(cls, vocab: Vocab) -> PieceReader: ...

@final
class PairCuts:
    def __new__(cls, vocab: Vocab, least_splits: int = ...) -> PairCuts: ...
