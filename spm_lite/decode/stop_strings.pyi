from typing import final

@final
class StopStrings:
    strings: tuple[str | bytes, ...]
    def __new__(cls, texts: list[bytes], strings: tuple[str | bytes, ...]) -> StopStrings: ...
    def __len__(self) -> int: ...
