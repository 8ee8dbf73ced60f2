from typing import final

from spm_lite.chunks.pair_cuts import ContextCuts
from spm_lite.vocab.vocab import Vocab

@final
class GramCuts(ContextCuts):
    def __init__(self, vocab: Vocab) -> None: ...
