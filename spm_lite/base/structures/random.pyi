from typing import final

@final
class Random:
    def __init__(self, seed: int | None = None) -> None: ...
    @property
    def seed(self) -> int: ...
