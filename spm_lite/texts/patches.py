"""Patches: ids in rows of a fixed length, as MegaByte and its kin read them."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int
from spm_lite.errors import OptionError

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray


def patches_of(ids: NDArray[np.int32], offsets: NDArray[np.int64], size: Any, pad_id: int) -> NDArray[np.int32]:
    """Rows of `size` ids. Each text begins a row of its own, and the last row of a text is filled up with `pad_id`.

    offsets: text i has ids[offsets[i] : offsets[i + 1]].
    Raises OptionError for a size below 1, or without a padding id where one is needed.
    """
    import numpy as np

    width = as_int(size, "size")
    if not 1 <= width < 2**31:
        raise OptionError(f"size {width} must be 1..2147483647: it is the number of ids in a patch")
    sizes = np.diff(offsets)
    rows = -(-sizes // width)
    if pad_id < 0 and (sizes % width).any():
        raise OptionError("the model has no padding id: pass pad_id, the id to fill up the last patch with")
    try:
        patches = np.full(int(rows.sum()) * width, pad_id, dtype=np.int32)
        begins = (np.cumsum(rows) - rows) * width
        places = np.arange(int(sizes.sum())) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        patches[places] = ids[offsets[0] : offsets[-1]]
    except MemoryError:
        raise OptionError(
            f"{int(rows.sum())} patches of {width} ids do not fit into memory: pass a smaller size"
        ) from None
    return patches.reshape(-1, width)
