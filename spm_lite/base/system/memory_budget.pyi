from typing import final

@final
class CacheBudget:
    limit: int
    def __init__(self, limit: int) -> None: ...
    @property
    def n_used(self) -> int: ...
