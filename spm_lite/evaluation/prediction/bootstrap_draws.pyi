from typing import Any, final

from numpy.typing import NDArray

@final
class Draws:
    def __new__(cls, bit_generator: Any, n: int) -> Draws: ...
    def fill_sums(self, rows: NDArray[Any], sums: NDArray[Any]) -> None: ...
