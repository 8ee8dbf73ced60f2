from typing import final

from spm_lite.normalize.text_step import TextStep

@final
class BertStep(TextStep):
    def __new__(cls, drops: bool, sets_apart: bool) -> BertStep: ...

@final
class SpellStep(TextStep):
    def __new__(cls) -> SpellStep: ...
