from typing import final

@final
class CharTrie:
    def __new__(cls, compact: bool) -> CharTrie: ...
