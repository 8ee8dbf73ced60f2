from collections.abc import Iterable
from typing import final

@final
class AddedTokens:
    def __new__(
        cls, tokens: Iterable[tuple[bytes, int, bool, bool, bool]], are_spaces_white: bool = True
    ) -> AddedTokens: ...
    @property
    def tokens(self) -> tuple[tuple[bytes, int, bool, bool, bool], ...]: ...
    def find_all(self, text: bytes) -> list[tuple[int, int, int]]: ...
