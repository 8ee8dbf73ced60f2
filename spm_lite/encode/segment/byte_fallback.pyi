from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class ByteFallback:
    def __new__(cls, vocab: Vocab, compact: bool) -> ByteFallback: ...
