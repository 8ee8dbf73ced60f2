from typing import final

from spm_lite.normalize.normalizer import Normalizer

@final
class NormalizedText:
    def __new__(cls, normalizer: Normalizer) -> NormalizedText: ...
