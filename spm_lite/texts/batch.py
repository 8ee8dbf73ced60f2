"""The ids of many texts in two flat arrays."""

from __future__ import annotations

from itertools import accumulate
from operator import index

from spm_lite._typing import TYPE_CHECKING, final, overload
from spm_lite.arguments import as_flat, as_ids, as_int, as_iterable
from spm_lite.base.system.arrays import Int32Array, Int64Array
from spm_lite.errors import ArgumentTypeError, IdError, OptionError
from spm_lite.texts.id_lists import lists_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, NoReturn

    import numpy as np
    import torch
    from numpy.typing import NDArray

MOST_ROWS, MOST_IDS = 8, 20  # of a batch that a notebook shows


BATCH_NAMES = {  # name in other libraries -> what to write here
    "input_ids": "to_padded() for an array, to_lists() for lists, to_torch() for tensors",
    "attention_mask": "attention_mask(), a method",
    "token_type_ids": "zeros of the shape of to_padded(), if a model asks for them",
    "tokens": "pieces(text) of the Tokenizer",
    "encodings": "to_lists(), the ids of each text",
    "offset_mapping": "spans(text) of the Tokenizer",
    "pad": "to_padded()",
    "truncate": "to_padded(truncate=n)",
    "tolist": "to_lists()",
    "convert_to_tensors": "to_torch()",
    "to": "to_torch(), a dict of tensors",
}


@final
class Batch:
    """Ids of `len(batch)` texts; text i has `ids[offsets[i] : offsets[i + 1]]`.

    Libraries with Arrow's C data interface take a batch as a column of lists: `pyarrow.array(batch)`.

    Args:
        ids: the ids of all texts, one after the other: integers of shape (n,), kept as int32.
        offsets: where each text begins in `ids`, and the end of the last text: integers of shape (texts + 1,), kept as
            int64.
        pad_id: the padding id of `to_padded`; -1: none.
    Raises:
        OptionError: ids and offsets disagree.
        ArgumentTypeError: a value is not an integer.
        IdError: an id has more than 32 bits.

    >>> batch = Batch.from_lists([[5, 6], [], [7]])
    >>> batch.offsets.tolist()
    [0, 2, 2, 3]
    >>> batch.to_padded(pad_id=0).tolist()
    [[5, 6], [0, 0], [7, 0]]
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("_ids", "_offsets", "pad_id")

    # The encoder's arrays, until numpy arrays are asked for: lists need no numpy, which takes longer to
    # import than many programs take to encode.
    _ids: NDArray[np.int32] | Int32Array
    _offsets: NDArray[np.int64] | Int64Array
    pad_id: int  # default padding id of `to_padded`; -1: the model has none

    def __init__(self, ids: Any, offsets: Any, pad_id: int = -1) -> None:
        """Take flat arrays, without a copy where the types are right; other integers are converted if they fit."""
        self.ids = as_flat(ids, "ids", 32, IdError)
        self.offsets = as_flat(offsets, "offsets", 64, OptionError)
        self.pad_id = as_pad_id(pad_id)
        if self.offsets.size == 0:
            raise OptionError("offsets are empty: they have at least one number, 0")
        if self.offsets[0] < 0 or self.offsets[-1] > self.ids.size or (self.offsets[1:] < self.offsets[:-1]).any():
            raise OptionError(f"offsets must rise from 0 to at most {self.ids.size}, the number of ids")

    def __init_subclass__(cls) -> NoReturn:
        raise ArgumentTypeError(f"{cls.__name__} cannot be a subclass of Batch: keep a Batch in an attribute instead")

    @classmethod
    def from_lists(cls, lists: Iterable[Iterable[int]], pad_id: int = -1) -> Batch:
        """Make a batch from one list of ids per text.

        Args:
            lists: the ids of each text.
            pad_id: the id that `to_padded` fills with; -1: none.
        Returns:
            A Batch.
        Raises:
            ArgumentTypeError: a value is not an integer.
            IdError: an id has more than 32 bits.

        >>> import spm_lite
        >>> spm_lite.Batch.from_lists([[5, 6], [], [7]]).ids.tolist()
        [5, 6, 7]
        """
        rows = [list(as_ids(ids, i)) for i, ids in enumerate(as_iterable(lists, "lists"))]
        offsets = [0, *accumulate(len(ids) for ids in rows)]
        return cls([i for ids in rows for i in ids], offsets, pad_id)

    @classmethod
    def _from_vectors(cls, ids: Int32Array, offsets: Int64Array, pad_id: int) -> Batch:
        """Make a batch of the arrays of an encoder, without a copy."""
        batch = object.__new__(cls)  # these arrays need no check
        batch._ids = ids
        batch._offsets = offsets
        batch.pad_id = pad_id
        return batch

    @property
    def ids(self) -> NDArray[np.int32]:
        """The ids of all texts, one after the other: int32 of shape (n,), writable."""
        ids = self._ids  # read once: another thread may replace it
        if isinstance(ids, Int32Array):
            ids = self._ids = as_numpy(ids, "int32")
        return ids

    @ids.setter
    def ids(self, ids: NDArray[np.int32]) -> None:
        self._ids = ids

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The position where the ids of each text begin, and the end of the last text: int64 of shape (texts + 1,)."""
        offsets = self._offsets
        if isinstance(offsets, Int64Array):
            offsets = self._offsets = as_numpy(offsets, "int64")
        return offsets

    @offsets.setter
    def offsets(self, offsets: NDArray[np.int64]) -> None:
        self._offsets = offsets

    def __getstate__(self) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
        return self.ids, self.offsets, self.pad_id

    def __setstate__(self, state: tuple[NDArray[np.int32], NDArray[np.int64], int]) -> None:
        self._ids, self._offsets, self.pad_id = state

    def arrays(self) -> tuple[Any, Any]:
        """Ids and offsets as buffers, without numpy if an encoder made them. Other arrays are checked again.

        Returns:
            The ids, int32 of shape (n,), and the offsets, int64 of shape (texts + 1,).
        Raises:
            OptionError: ids and offsets disagree.

        >>> import spm_lite
        >>> batch = spm_lite.byte_tokenizer().encode_batch(["ab", "c"])
        >>> [memoryview(array).tolist() for array in batch.arrays()]
        [[100, 101, 102], [0, 2, 3]]
        """
        ids, offsets = self._ids, self._offsets
        if isinstance(ids, Int32Array) and isinstance(offsets, Int64Array):
            return ids, offsets
        batch = self.checked()
        return batch.ids, batch.offsets

    def checked(self) -> Batch:
        """A batch of the same arrays, checked again, since the arrays can be written to.

        Returns:
            A Batch on the same arrays.
        Raises:
            OptionError: ids and offsets disagree.

        >>> import spm_lite
        >>> spm_lite.Batch.from_lists([[5, 6]]).checked()
        Batch(1 texts, 2 ids)
        """
        return Batch(self.ids, self.offsets, self.pad_id)

    def to_lists(self) -> list[list[int]]:
        """One list of ints per text.

        Returns:
            A list of lists of int.

        >>> import spm_lite
        >>> spm_lite.Batch.from_lists([[5, 6], []]).to_lists()
        [[5, 6], []]
        """
        try:
            return lists_of(self._ids, self._offsets)
        except (ValueError, TypeError):  # the arrays may have been written to or replaced
            batch = self.checked()
            return lists_of(batch.ids, batch.offsets)

    def to_padded(
        self,
        length: int | None = None,
        pad_id: int | None = None,
        side: str = "right",
        truncate: bool | int = False,
        pad_to_multiple_of: int | None = None,
    ) -> NDArray[np.int32]:
        """All texts as one array, a row for each text, filled up with a padding id.

        Args:
            length: ids in a row; None: as many as the longest text has.
            pad_id: the id to fill up with. None: the padding id of the model. For a model without a padding piece, any
                id will do, such as the id of </s>.
            side: where the padding goes, "right" or "left".
            truncate: True cuts longer texts after `length` ids. A number cuts them after so many; a row then has as
                many ids as the longest text keeps.
            pad_to_multiple_of: rows get a multiple of this as their length, 8 or 64 for some hardware.
        Returns:
            An array of int32 of shape (texts, length).
        Raises:
            OptionError: a text is longer and `truncate` is False; length is negative; neither the model nor the caller
                has a padding id.

        >>> batch = Batch.from_lists([[5, 6, 7], [8]])
        >>> batch.to_padded(pad_id=0, pad_to_multiple_of=4).tolist()
        [[5, 6, 7, 0], [8, 0, 0, 0]]
        """
        from spm_lite.texts.padding import Padding

        fill = as_pad_id(self.pad_id if pad_id is None else pad_id)
        if pad_id is None and fill < 0:
            raise OptionError("the model has no padding id: pass pad_id, the id to fill up with, such as pad_id=0")
        batch = self.checked()
        return Padding(batch.offsets, length, side, truncate, pad_to_multiple_of).rows(batch.ids, fill)

    def attention_mask(
        self,
        length: int | None = None,
        side: str = "right",
        truncate: bool | int = False,
        pad_to_multiple_of: int | None = None,
    ) -> NDArray[np.int32]:
        """Where `to_padded` with the same arguments has ids: 1 for an id, 0 for padding.

        Texts may hold the padding id too; then only the mask tells them apart.

        Args:
            length, side, truncate, pad_to_multiple_of: as in `to_padded`.
        Returns:
            An array of int32 of shape (texts, length).
        Raises:
            OptionError: as `to_padded`, which also needs a padding id.

        >>> Batch.from_lists([[5, 6, 7], [8]]).attention_mask(side="left").tolist()
        [[1, 1, 1], [0, 0, 1]]
        """
        from spm_lite.texts.padding import Padding

        return Padding(self.checked().offsets, length, side, truncate, pad_to_multiple_of).mask()

    def to_torch(
        self,
        length: int | None = None,
        pad_id: int | None = None,
        side: str = "right",
        truncate: bool | int = False,
        pad_to_multiple_of: int | None = None,
    ) -> dict[str, torch.Tensor]:
        """The padded ids and their mask as tensors of PyTorch, under the names that models of transformers take.

        Args:
            length, pad_id, side, truncate, pad_to_multiple_of: as in `to_padded`.
        Returns:
            A dict of "input_ids" and "attention_mask", each an int64 tensor of shape (texts, length) on the CPU:
            `model(**batch.to_torch())`.
        Raises:
            OptionError: as `to_padded`.
            ImportError: PyTorch is not installed.

        >>> tensors = Batch.from_lists([[5, 6], [7]]).to_torch(pad_id=0)
        >>> tensors["attention_mask"]
        tensor([[1, 1],
                [1, 0]])
        """
        rows = self.to_padded(length, pad_id, side, truncate, pad_to_multiple_of)
        mask = self.attention_mask(length, side, truncate, pad_to_multiple_of)
        try:
            import torch
        except ImportError as error:
            raise ImportError(
                "to_torch needs PyTorch: pip install torch, or use to_padded and attention_mask"
            ) from error
        return {
            "input_ids": torch.from_numpy(rows.astype("int64")),
            "attention_mask": torch.from_numpy(mask.astype("int64")),
        }

    def patches(self, size: int, pad_id: int | None = None) -> NDArray[np.int32]:
        """The ids in patches of a fixed length. Each text begins a new patch, and its last patch is filled up.

        Args:
            size: ids in a patch.
            pad_id: the padding id; None: the one of the model.
        Returns:
            An array of shape (n, size): text i has the next ceil(number of its ids / size) rows.
        Raises:
            OptionError: size is below 1, or a patch needs padding and the model has no padding id.

        >>> Batch.from_lists([[5, 6, 7], [], [8]], pad_id=0).patches(2).tolist()
        [[5, 6], [7, 0], [8, 0]]
        """
        from spm_lite.texts.padding import patches_of

        batch = self.checked()
        return patches_of(batch.ids, batch.offsets, size, as_pad_id(self.pad_id if pad_id is None else pad_id))

    def __arrow_c_schema__(self) -> Any:
        """Arrow's C data interface: the type, large_list<item: int32>."""
        from spm_lite.texts.arrow_lists import lists_schema

        return lists_schema()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Arrow's C data interface: (type, column).

        requested_schema: list or large_list of integers; None: large_list<item: int32>. A column of int32 shares the
        memory of `ids`, and with large_list that of `offsets` too.
        Raises ArgumentTypeError for another type, IdError for an id that it cannot hold, OptionError for 2^31 ids or
        more in a list: large_list holds them.
        """
        from spm_lite.texts.arrow_lists import lists_array, lists_schema, wanted_type

        batch, wanted = self.checked(), wanted_type(requested_schema)
        return lists_schema(*wanted), lists_array(*columns_of(batch, *wanted[:2]))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            hint = f": use {BATCH_NAMES[name]}" if name in BATCH_NAMES else ""
            raise AttributeError(f"a Batch has no attribute {name!r}{hint}", name=name, obj=self)

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
            hint = f". For {key!r} use {BATCH_NAMES[key]}" if isinstance(key, str) and key in BATCH_NAMES else ""
            raise ArgumentTypeError(f"a batch is indexed by int or slice, not by {type(key).__name__}{hint}") from None
        offsets = self.offsets
        n_texts = offsets.size - 1
        if not -n_texts <= number < n_texts:
            raise IdError(f"text {number} is outside the batch: it has {n_texts} texts, counted from 0")
        number %= n_texts
        return self.ids[offsets[number] : offsets[number + 1]]

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

    def _repr_html_(self) -> str:
        from spm_lite.cards import card, left_out, table

        rows = []
        for i in range(min(len(self), MOST_ROWS)):
            ids = self.ids[self.offsets[i] : self.offsets[i + 1]]
            shown = " ".join(map(str, ids[:MOST_IDS].tolist())) + (" …" if len(ids) > MOST_IDS else "")
            rows.append((f"{i:,}", shown, f"{len(ids):,}"))
        more = left_out(len(self) - MOST_ROWS, "text")
        title = f"Batch of {len(self):,} text{'' if len(self) == 1 else 's'}"
        summary = {"ids": f"{int(self.offsets[-1] - self.offsets[0]):,}"}
        return card(title, summary, table(("text", "ids", "tokens"), rows, 2, more) if rows else "")


def as_numpy(values: Int32Array | Int64Array, dtype: str) -> NDArray[Any]:
    """Return a numpy array on the memory of an encoder's array."""
    import numpy as np

    return np.frombuffer(values.view(), dtype=dtype) if len(values) else np.empty(0, dtype=dtype)


def columns_of(batch: Batch, form: bytes, item_form: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return ids and offsets in the types of an Arrow column: format of the lists, format of an item."""
    import numpy as np

    from spm_lite.texts.arrow_lists import ITEM_TYPES

    ids, offsets = batch.ids, batch.offsets
    item = np.dtype(ITEM_TYPES[item_form])
    if item != ids.dtype or (form == b"+l" and offsets[-1] >= 2**31):  # only the part that the batch stands for
        ids, offsets = ids[offsets[0] : offsets[-1]], offsets - offsets[0]
    if form == b"+l":
        if offsets[-1] >= 2**31:
            raise OptionError(
                f"{offsets[-1]} ids do not fit into an Arrow list, which ends at 2^31: ask for large_list"
            )
        offsets = offsets.astype(np.int32)
    limits = np.iinfo(item)
    for number in (int(ids.min(initial=0)), int(ids.max(initial=0))):
        if not limits.min <= number <= limits.max:
            raise IdError(
                f"id {number} does not fit into {item.name}, which the Arrow column should have: ask for int32"
            )
    return ids.astype(item, copy=False), offsets


def as_pad_id(pad_id: Any) -> int:
    """Return a padding id as an int that fits into the array of ids."""
    number = as_int(pad_id, "pad_id")
    if not -(2**31) <= number < 2**31:
        raise OptionError(f"pad_id {number} has more than 32 bits: pass an id of the vocabulary, or -1 for none")
    return number
