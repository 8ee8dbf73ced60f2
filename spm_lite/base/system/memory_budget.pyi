from typing import final

@final
class MemoryBudget:
    limit: int
    def __init__(self, limit: int) -> None: ...
    @property
    def n_used(self) -> int: ...
