from typing import final

@final
class IdObjects:
    def __init__(self, size: int) -> None: ...
