from typing import final

from spm_lite.normalize.normalizer import Normalizer

@final
class NormalizedText:
    def __init__(self, normalizer: Normalizer) -> None: ...
