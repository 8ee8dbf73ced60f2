from typing import Any, final

from spm_lite.texts.text_view import Texts

@final
class ObjectTexts(Texts):
    def __new__(cls, items: tuple[Any, ...] | list[Any]) -> ObjectTexts: ...
    @property
    def items(self) -> tuple[Any, ...] | list[Any]: ...
