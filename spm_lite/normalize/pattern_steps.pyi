from typing import final

from spm_lite.normalize.text_step import TextStep

@final
class ReplaceStep(TextStep):
    def __new__(cls, pattern: str, content: bytes) -> ReplaceStep: ...
    @property
    def pattern(self) -> str: ...

@final
class PartsStep(TextStep):
    def __new__(cls, splits: tuple[tuple[str, str, bool], ...], sign: bytes, is_prefixed: bool = True) -> PartsStep: ...
