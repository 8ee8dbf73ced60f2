from typing import final

from spm_lite.vocab.vocab import Vocab

@final
class StrDecoder:
    def __init__(self, vocab: Vocab, drops: bool, drops_once: bool) -> None: ...
