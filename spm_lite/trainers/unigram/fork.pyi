from typing import final

@final
class Fork:
    def __new__(cls) -> Fork: ...
