from collections.abc import Iterable
from typing import Literal, final, overload

from spm_lite.normalize.added_tokens import AddedTokens
from spm_lite.normalize.protected_strings import ProtectedStrings
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.text_step import TextStep

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
        protected: Iterable[bytes] | ProtectedStrings = (),
        form: TextStep | None = None,
        prefix_unless_space: bool = False,
        added: AddedTokens | None = None,
        later: AddedTokens | None = None,
        prefix_each_text: bool = False,
        marks_words: bool = False,
        early: TextStep | None = None,
        words: TextStep | None = None,
        plain: Normalizer | None = None,
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
    def form(self) -> TextStep | None: ...
    @property
    def added(self) -> AddedTokens | None: ...
    @property
    def later(self) -> AddedTokens | None: ...
    @property
    def prefix_each_text(self) -> bool: ...
    @property
    def marks_words(self) -> bool: ...
    @property
    def early(self) -> TextStep | None: ...
    @property
    def words(self) -> TextStep | None: ...
    @property
    def plain(self) -> Normalizer | None: ...
    @property
    def protected(self) -> ProtectedStrings: ...
    @overload
    def normalize(
        self,
        text: bytes,
        with_alignment: Literal[False] = False,
        in_characters: bool = False,
        shows_spaces: bool = True,
    ) -> bytes: ...
    @overload
    def normalize(
        self, text: bytes, with_alignment: Literal[True], in_characters: bool = False, shows_spaces: bool = True
    ) -> tuple[bytes, list[int]]: ...
    def leading_spaces(self, text: bytes) -> int: ...
