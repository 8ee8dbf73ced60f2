from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class ByteFallback:
    def __init__(self, vocab: Vocab, compact: bool) -> None: ...
