from collections.abc import Sequence
from typing import Literal, final, overload

from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.unicode_form import UnicodeForm

@final
class Normalizer:
    def __new__(
        cls,
        charsmap: Charsmap,
        add_dummy_prefix: bool = True,
        remove_extra_whitespaces: bool = True,
        escape_whitespaces: bool = True,
        whitespace_as_suffix: bool = False,
        compact: bool = False,
        lossless: bool = False,
        protected: Sequence[bytes] = (),
        form: UnicodeForm | None = None,
        prefix_unless_space: bool = False,
    ) -> Normalizer: ...
    @property
    def charsmap(self) -> Charsmap: ...
    @property
    def add_dummy_prefix(self) -> bool: ...
    @property
    def remove_extra_whitespaces(self) -> bool: ...
    @property
    def escape_whitespaces(self) -> bool: ...
    @property
    def whitespace_as_suffix(self) -> bool: ...
    @property
    def compact(self) -> bool: ...
    @property
    def lossless(self) -> bool: ...
    @property
    def prefix_unless_space(self) -> bool: ...
    @property
    def form(self) -> UnicodeForm | None: ...
    @property
    def protected(self) -> tuple[bytes, ...]: ...
    @overload
    def normalize(self, text: bytes, with_alignment: Literal[False] = False, in_characters: bool = False) -> bytes: ...
    @overload
    def normalize(
        self, text: bytes, with_alignment: Literal[True], in_characters: bool = False
    ) -> tuple[bytes, list[int]]: ...
    def leading_spaces(self, text: bytes) -> int: ...
