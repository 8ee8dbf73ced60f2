from typing import Any, final

from spm_lite.texts.text_view import Texts

@final
class ObjectTexts(Texts):
    def __init__(self, items: tuple[Any, ...] | list[Any]) -> None: ...
    @property
    def items(self) -> tuple[Any, ...] | list[Any]: ...
