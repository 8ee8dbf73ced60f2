from typing import Any, final

from typing_extensions import Self, disjoint_base

from spm_lite.texts.text_view import Texts

@disjoint_base
class PaddedTexts(Texts):
    def __new__(cls, array: Any) -> Self: ...

@final
class PaddedBytes(PaddedTexts): ...

@final
class PaddedStrings(PaddedTexts):
    def __new__(cls, array: Any) -> PaddedStrings: ...
