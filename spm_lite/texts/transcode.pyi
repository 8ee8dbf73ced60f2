import numpy as np
from numpy.typing import NDArray

def transcoded(chars: NDArray[np.uint8], width: int, shuffling: bool) -> tuple[bytes, bool] | None: ...
