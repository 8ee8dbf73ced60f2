from typing import final

from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.text_step import TextStep

def plain_filter(form: TextStep) -> Normalizer | None: ...

@final
class StepPair(TextStep):
    def __new__(cls, first: TextStep, second: TextStep) -> StepPair: ...
    @property
    def first(self) -> TextStep: ...
    @property
    def second(self) -> TextStep: ...

@final
class RulesStep(TextStep):
    def __new__(cls, rules: Normalizer) -> RulesStep: ...

@final
class PrecompiledStep(TextStep):
    def __new__(cls, charsmap: Charsmap) -> PrecompiledStep: ...

@final
class RunsStep(TextStep):
    def __new__(cls, content: bytes, least: int, is_white: bool = False) -> RunsStep: ...

@final
class StripStep(TextStep):
    def __new__(cls, left: bool, right: bool, is_white: bool = True) -> StripStep: ...

@final
class StartStep(TextStep):
    def __new__(cls, content: bytes, condition: int = 0) -> StartStep: ...

@final
class WordsStep(TextStep):
    def __new__(
        cls, drops_white: bool, by_punctuation: bool = False, by_digits: bool = False, by_numbers: bool = False
    ) -> WordsStep: ...
