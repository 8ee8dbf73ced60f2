"""What a `torch.utils.data.DataLoader` needs: examples of unequal length become one batch, padded and masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.errors import ArgumentTypeError, OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDES = ("right", "left")
NO_LABEL = -100  # what the losses of torch leave out
FILLERS = {"attention_mask": 0, "labels": NO_LABEL, "special_tokens_mask": 1}
OTHER_NAMES = {"padding_side": "side", "pad_to_multiple_of": "multiple", "return_tensors": "tensors"}


class Collator:
    """Makes a batch of examples: pads every field to the longest one, and adds the attention mask and labels.

    Labels that the examples have are kept. A field of single numbers, such as the class of a text, becomes a vector;
    `label` is then named `labels`.

    Args:
        pad_id: of the padding token; or a tokenizer of transformers, whose `pad_token_id`, `pad_token_type_id` and
            `padding_side` count; or a Tokenizer that has a `pad_id`.
        side: where padding comes, "right" or "left"; None: as the tokenizer says, else "right".
        multiple: the length becomes a multiple of this many tokens, which suits some GPUs.
        max_length: longer examples are cut at their end, in tokens; None: none is.
        labels: True adds `labels`, a copy of the ids, with -100 at padding: for training a language model.
        tensors: "pt" gives tensors of torch, "np" arrays of numpy.
    Raises:
        OptionError: a value that is not possible, or a tokenizer without a padding token.

    >>> from spm_lite.transformers import Collator
    >>> batch = Collator(pad_id=0, labels=True, tensors="np")([{"input_ids": [5, 6, 7]}, {"input_ids": [8]}])
    >>> batch["input_ids"].tolist(), batch["attention_mask"].tolist(), batch["labels"].tolist()
    ([[5, 6, 7], [8, 0, 0]], [[1, 1, 1], [1, 0, 0]], [[5, 6, 7], [8, -100, -100]])
    """

    def __init__(
        self, pad_id: Any, *, side: str | None = None, multiple: int = 1, max_length: int | None = None,
        labels: bool = False, tensors: str = "pt", **other: Any,
    ) -> None:  # fmt: skip
        for name in other:
            advice = f": write {OTHER_NAMES[name]}=" if name in OTHER_NAMES else ""
            raise TypeError(f"Collator() got an unexpected keyword argument {name!r}{advice}")
        if side is None:
            side = getattr(pad_id, "padding_side", SIDES[0])
        self.fillers = {**FILLERS, "token_type_ids": getattr(pad_id, "pad_token_type_id", 0)}
        if hasattr(pad_id, "pad_token_id"):
            if pad_id.pad_token_id is None:
                raise OptionError("the tokenizer has no padding token: pass pad_id=, or set its pad_token")
            pad_id = pad_id.pad_token_id
        elif hasattr(pad_id, "pad_id"):
            if pad_id.pad_id < 0:
                raise OptionError("the tokenizer has no padding token: pass pad_id=, or train it with pad_id=3")
            pad_id = pad_id.pad_id
        if not hasattr(pad_id, "__index__") or isinstance(pad_id, bool):
            raise ArgumentTypeError(f"pad_id is {type(pad_id).__name__}: pass an id, or a tokenizer")
        pad_id = int(pad_id)
        if side not in SIDES:
            raise OptionError(f"side={side!r:.40} is unknown. There are 'right' and 'left'")
        if multiple < 1:
            raise OptionError(f"multiple={multiple} must be at least 1")
        if max_length is not None and max_length < 1:
            raise OptionError(f"max_length={max_length} must be at least 1")
        if max_length is not None and max_length % multiple:
            raise OptionError(f"max_length={max_length} is no multiple of multiple={multiple}")
        if tensors not in ("pt", "np"):
            raise OptionError(f"tensors={tensors!r:.40} is unknown. There are 'pt' and 'np'")
        self.pad_id, self.is_left, self.multiple, self.max_length = pad_id, side == "left", multiple, max_length
        self.labels, self.tensors = labels, tensors

    def __call__(
        self, examples: Iterable[Mapping[str, Any] | Sequence[int]] | Mapping[str, Sequence[Any]]
    ) -> dict[str, Any]:
        """The batch of some examples.

        Args:
            examples: what a dataset gives: mappings with `input_ids`, or lists and arrays of ids. A mapping of columns,
                such as a tokenizer of transformers returns for a list of texts, is read too.
        Returns:
            A dict of tensors or arrays: of int64, or of float32 for fields with fractions. Those of fields with a value
            for each token have the shape (number of examples, tokens).
        Raises:
            OptionError: no examples, fields that not all of them have, or a field that is neither a number nor a value
                for each token.
        """
        import numpy as np

        if isinstance(examples, Mapping):
            examples = [dict(zip(examples, values, strict=True)) for values in zip(*examples.values(), strict=True)]
        rows = [dict(one) if isinstance(one, Mapping) else {"input_ids": one} for one in examples]
        if not rows:
            raise OptionError("a batch of no examples: drop empty batches")
        names = [*rows[0]]
        wrong = next((i for i, row in enumerate(rows) if {*row} != {*names}), None)
        if "input_ids" not in names or wrong is not None:
            raise OptionError(
                f"example {wrong or 0} has the fields {sorted(rows[wrong or 0])}; each needs the same fields, and "
                "input_ids"
            )
        sizes = [min(len(row["input_ids"]), self.max_length or len(row["input_ids"])) for row in rows]
        longest = -(-max(sizes) // self.multiple) * self.multiple
        batch: dict[str, Any] = {}
        for name in names:
            columns = [numbers_of(row[name], name, i) for i, row in enumerate(rows)]
            has_fractions = any(column.dtype.kind == "f" for column in columns)
            kind = np.float32 if has_fractions else np.int64
            if all(column.ndim == 0 for column in columns) and name != "input_ids":
                batch["labels" if name == "label" else name] = np.array(columns, dtype=kind)
                continue
            filler = self.pad_id if name == "input_ids" else self.fillers.get(name, 0)
            table = np.full((len(rows), longest), filler, dtype=kind)
            for i, (column, row, size) in enumerate(zip(columns, rows, sizes, strict=True)):
                if column.ndim == 0 or len(column) != len(row["input_ids"]):
                    raise OptionError(
                        f"example {i} has {column.size} values of {name} and {len(row['input_ids'])} of input_ids: "
                        f"remove the column {name}, or give a number for each token or for each example"
                    )
                table[i, self._place(size, longest)] = column[:size]
            batch[name] = table
        if "attention_mask" not in batch:
            mask = np.zeros((len(rows), longest), dtype=np.int64)
            for i, size in enumerate(sizes):
                mask[i, self._place(size, longest)] = 1
            batch["attention_mask"] = mask
        if self.labels and "labels" not in batch:
            batch["labels"] = np.where(batch["attention_mask"] == 1, batch["input_ids"], NO_LABEL)
        if self.tensors == "np":
            return batch
        from torch import from_numpy

        return {name: from_numpy(table) for name, table in batch.items()}

    def _place(self, size: int, longest: int) -> slice:
        return slice(longest - size, longest) if self.is_left else slice(0, size)


def numbers_of(value: Any, name: str, i: int) -> NDArray[Any]:
    """A field of example `i` as an array without dimension, or of one. Raises OptionError."""
    import numpy as np

    try:
        found = np.asarray(value)
    except ValueError:  # lists of unequal length
        found = np.asarray(None)
    if found.ndim == 1 and found.size == 0:
        return found.astype(np.int64)
    if found.dtype.kind in ("biu" if name == "input_ids" else "biuf") and found.ndim <= 1:
        return found
    raise OptionError(
        f"example {i} has {value!r:.60} as {name}, which is neither a number nor a list of numbers: remove the column "
        f"{name}"
    )
