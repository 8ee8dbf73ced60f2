from typing import final

@final
class MemoryBudget:
    limit: int
    def __new__(cls, limit: int) -> MemoryBudget: ...
    @property
    def n_used(self) -> int: ...
