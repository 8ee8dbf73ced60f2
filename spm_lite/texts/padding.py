"""Padding: ids of texts as rows of one length, and the mask that tells ids from padding.

Patches, too: ids in rows of a fixed length, as MegaByte and its kin read them.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import BOOLS, as_int
from spm_lite.errors import ArgumentTypeError, OptionError

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


MOST_COLUMNS = 2**31  # no text is that long, and some systems promise any memory and then end the process


class Padding:
    """Where the ids of some texts go in an array of rows. Raises OptionError for a shape that cannot be."""

    __slots__ = ("columns", "n_rows", "offsets", "side", "sizes")

    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]  # ids of each text that are kept
    n_rows: int
    columns: int
    side: str  # where the padding goes: "right" or "left"

    def __init__(
        self, offsets: NDArray[np.int64], length: Any, side: Any, truncate: Any, pad_to_multiple_of: Any
    ) -> None:
        """offsets: text i has ids[offsets[i] : offsets[i + 1]]. Other arguments: as of `Batch.to_padded`."""
        import numpy as np

        if not isinstance(side, str) or side not in ("right", "left"):
            raise OptionError(f"side {side!r} is neither 'right' nor 'left'")
        sizes = np.diff(offsets)
        longest = int(sizes.max(initial=0))
        cuts_at_length = type(truncate).__name__ in BOOLS and bool(truncate)
        if type(truncate).__name__ not in BOOLS:
            sizes = np.minimum(sizes, as_limit(truncate))
            longest = int(sizes.max(initial=0))
        limit = longest if length is None else as_int(length, "length")
        if limit < 0:
            raise OptionError(f"length {limit} is negative: pass 0 or more, or None for the longest text")
        if longest > limit and not cuts_at_length and truncate:
            raise OptionError(f"truncate={truncate} keeps {longest} ids of a text, more than length {limit}: give one")
        if longest > limit and not cuts_at_length:
            raise OptionError(
                f"text {int(sizes.argmax())} has {longest} ids, more than length {limit}: "
                "pass a larger length, or truncate=True to cut it"
            )
        self.offsets, self.side = offsets, side
        self.sizes = np.minimum(sizes, limit)
        self.n_rows = int(sizes.size)
        self.columns = rounded_up(limit, pad_to_multiple_of)
        if self.columns >= MOST_COLUMNS:
            raise OptionError(
                f"length {self.columns} is above 2147483647: pass a smaller one, or None for the longest text"
            )

    def is_id(self) -> NDArray[np.bool_]:
        """An array of bool, (texts, columns): where an id stands; elsewhere is padding."""
        import numpy as np

        column = np.arange(self.columns)
        first = 0 if self.side == "right" else self.columns - self.sizes[:, None]
        return (column >= first) & (column < first + self.sizes[:, None])

    def rows(self, ids: NDArray[np.int32], pad_id: int) -> NDArray[np.int32]:
        """The ids as an array of int32, (texts, columns), filled up with `pad_id`."""
        import numpy as np

        begin, end = self.offsets[0], self.offsets[-1]
        kept, whole = ids[begin:end], np.diff(self.offsets)
        if int(self.sizes.sum()) < kept.size:
            places = np.arange(kept.size) - np.repeat(self.offsets[:-1] - begin, whole)
            kept = kept[places < np.repeat(self.sizes, whole)]
        try:
            rows = np.full((self.n_rows, self.columns), pad_id, dtype=np.int32)
            rows[self.is_id()] = kept
        except MemoryError:
            raise self.too_large() from None
        return rows

    def mask(self) -> NDArray[np.int32]:
        """1 where an id stands and 0 where padding does: an array of int32, (texts, columns)."""
        import numpy as np

        try:
            return self.is_id().astype(np.int32)
        except MemoryError:
            raise self.too_large() from None

    def too_large(self) -> OptionError:
        return OptionError(
            f"{self.n_rows} texts of length {self.columns} do not fit into memory: "
            f"{self.n_rows * self.columns * 4} bytes and as much again to make them. Pass a smaller length, or fewer "
            "texts at once"
        )


def as_limit(truncate: Any) -> int:
    """A number of ids after which texts are cut. Raises OptionError for one below 0."""
    if isinstance(truncate, str):
        raise ArgumentTypeError(f"truncate={truncate!r:.40}: must be True, False or a number of ids, not str")
    limit = as_int(truncate, "truncate")
    if limit < 0:
        raise OptionError(f"truncate {limit} is negative: pass the number of ids that a text keeps, or True or False")
    return limit


def rounded_up(length: int, multiple_of: Any) -> int:
    """The smallest multiple that is not below `length`; `length` itself if `multiple_of` is None.

    >>> rounded_up(9, 8), rounded_up(0, 8), rounded_up(9, None)
    (16, 0, 9)
    """
    if multiple_of is None:
        return length
    unit = as_int(multiple_of, "pad_to_multiple_of")
    if not 1 <= unit < MOST_COLUMNS:
        raise OptionError(f"pad_to_multiple_of {unit} must be 1..2147483647: rows get a multiple of it as their length")
    return -(-length // unit) * unit
