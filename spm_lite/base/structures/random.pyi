from typing import final

@final
class Random:
    def __new__(cls, seed: int | None = None) -> Random: ...
    @property
    def seed(self) -> int: ...
