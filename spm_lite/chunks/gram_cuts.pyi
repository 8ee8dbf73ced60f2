from typing import final

from spm_lite.chunks.context_cuts import MoreCuts
from spm_lite.vocab.vocab import Vocab

@final
class GramCuts(MoreCuts):
    def __init__(self, vocab: Vocab) -> None: ...
