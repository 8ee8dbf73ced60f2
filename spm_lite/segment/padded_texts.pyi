from typing import Any, final

from typing_extensions import disjoint_base

from spm_lite.segment.texts import Texts

@disjoint_base
class PaddedTexts(Texts):
    def __init__(self, array: Any) -> None: ...

@final
class PaddedBytes(PaddedTexts): ...

@final
class PaddedStrings(PaddedTexts): ...
