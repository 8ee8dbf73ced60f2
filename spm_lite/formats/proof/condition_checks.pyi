from typing import final

from spm_lite.normalize.rules.charsmap import Charsmap

@final
class DoublePaths:
    def __new__(cls, pieces: list[tuple[bytes, float]], unknown_cost: float = 10.0) -> DoublePaths: ...
    def best(self, text: bytes) -> tuple[list[tuple[int, int, int]], float, float]: ...

def reads_alone(charsmap: Charsmap, text: bytes) -> bool: ...
