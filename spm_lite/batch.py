"""The ids of many texts in two flat arrays."""

from __future__ import annotations

from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, Any, final, overload

from spm_lite.errors import ArgumentTypeError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray


@final
class Batch:
    """Ids of `len(batch)` texts; text i has `ids[offsets[i] : offsets[i + 1]]`.

    ids: int32, flat, writable. offsets: int64, one more than there are texts.

    >>> batch = Batch.from_lists([[5, 6], [], [7]])
    >>> batch.offsets.tolist()
    [0, 2, 2, 3]
    >>> batch.to_padded(pad_id=0).tolist()
    [[5, 6], [0, 0], [7, 0]]
    """

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("ids", "offsets", "pad_id")

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    pad_id: int  # what `to_padded` fills up with unless told otherwise; -1: the model has no such id

    def __init__(self, ids: Any, offsets: Any, pad_id: int = -1) -> None:
        """Take flat arrays, without a copy where the types are right. Raises OptionError if they disagree."""
        import numpy as np

        self.ids = np.ascontiguousarray(ids, dtype=np.int32)
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        self.pad_id = pad_id
        if self.ids.ndim != 1 or self.offsets.ndim != 1 or self.offsets.size == 0:
            raise OptionError("a batch takes flat ids and flat offsets, at least the offset 0")
        if self.offsets[0] < 0 or self.offsets[-1] > self.ids.size or (np.diff(self.offsets) < 0).any():
            raise OptionError(f"offsets must rise from 0 to at most {self.ids.size}, the number of ids")

    @classmethod
    def from_lists(cls, lists: list[list[int]], pad_id: int = -1) -> Batch:
        """The batch of one list of ids per text."""
        import numpy as np

        offsets = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in lists], out=offsets[1:])
        return cls(np.array([i for ids in lists for i in ids], dtype=np.int32), offsets, pad_id)

    def to_lists(self) -> list[list[int]]:
        """One list of ints per text."""
        ids, offsets = self.ids.tolist(), self.offsets.tolist()
        return [ids[begin:end] for begin, end in pairwise(offsets)]

    def to_padded(
        self, length: int | None = None, pad_id: int | None = None, side: str = "right", truncate: bool = False
    ) -> NDArray[np.int32]:
        """All texts as one array of `len(self)` rows and `length` columns, by default those of the longest text.

        side: where the padding goes, "right" or "left". truncate: cut longer texts after `length` ids; otherwise
        they are an OptionError, as are a model without padding id when none is given and a negative length.
        """
        import numpy as np

        fill = self.pad_id if pad_id is None else index(pad_id)
        if pad_id is None and fill < 0:
            raise OptionError("the model has no padding id: pass pad_id, the id to fill up with")
        if side not in ("right", "left"):
            raise OptionError(f"side {side!r} is neither 'right' nor 'left'")
        sizes = np.diff(self.offsets)
        longest = int(sizes.max(initial=0))
        columns = longest if length is None else index(length)
        if columns < 0:
            raise OptionError(f"length {columns} is negative")
        ids = self.ids[self.offsets[0] : self.offsets[-1]]
        if longest > columns:
            if not truncate:
                raise OptionError(
                    f"text {int(sizes.argmax())} has {longest} ids, more than length {columns}: "
                    "pass a larger length, or truncate=True to cut it"
                )
            places = np.arange(ids.size) - np.repeat(self.offsets[:-1] - self.offsets[0], sizes)
            ids = ids[places < columns]
            sizes = np.minimum(sizes, columns)
        rows = np.full((len(self), columns), fill, dtype=np.int32)
        column = np.arange(columns)
        first = 0 if side == "right" else columns - sizes[:, None]
        rows[(column >= first) & (column < first + sizes[:, None])] = ids
        return rows

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    @overload
    def __getitem__(self, key: slice) -> Batch: ...
    @overload
    def __getitem__(self, key: int) -> NDArray[np.int32]: ...
    def __getitem__(self, key: int | slice) -> NDArray[np.int32] | Batch:
        """The ids of one text (a view), or a batch of the texts of a slice."""
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            if step == 1:
                return Batch(self.ids, self.offsets[begin : max(begin, end) + 1], self.pad_id)
            return Batch.from_lists([self[i].tolist() for i in range(begin, end, step)], self.pad_id)
        try:
            number = index(key)
        except TypeError:
            raise ArgumentTypeError(f"a batch is indexed by int or slice, not by {type(key).__name__}") from None
        if not -len(self) <= number < len(self):
            raise IndexError(f"text {number} of a batch of {len(self)}")
        number %= len(self)
        return self.ids[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same ids for the same texts."""
        import numpy as np

        if not isinstance(other, Batch):
            return NotImplemented
        own, others = self.offsets, other.offsets
        return np.array_equal(own - own[0], others - others[0]) and np.array_equal(
            self.ids[own[0] : own[-1]], other.ids[others[0] : others[-1]]
        )

    def __repr__(self) -> str:
        return f"Batch({len(self)} texts, {int(self.offsets[-1] - self.offsets[0])} ids)"
