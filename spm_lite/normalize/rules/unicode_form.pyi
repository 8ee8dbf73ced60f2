from typing import Final, final

from spm_lite.normalize.text_step import TextStep

FORMS: Final[tuple[str, ...]]
OLDER: Final[str]

def is_form(name: str) -> bool: ...
def unicode_form(name: str) -> UnicodeForm: ...

@final
class UnicodeForm(TextStep):
    def __new__(cls, name: str) -> UnicodeForm: ...
    @property
    def name(self) -> str: ...
