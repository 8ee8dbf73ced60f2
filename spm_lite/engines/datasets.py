"""A function for `map` of the package `datasets`, on Arrow tables, without a Python object for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from spm_lite.arguments import as_flag
from spm_lite.engines.work.columns import Column, ColumnEncoder, as_new_column, as_nulls
from spm_lite.engines.work.kept_tokenizers import model_bytes, tokenizer
from spm_lite.errors import ArgumentTypeError, OptionError

if TYPE_CHECKING:
    import os

    from spm_lite.tokenizer.tokenizer import Tokenizer


__all__ = ["Encode"]


@final
class Encode:
    """A function for `ds.with_format("arrow").map(Encode(...), batched=True)`: it adds a column of ids, list<int32>.

    Args:
        model: a Tokenizer, the path of a model, or its bytes.
        column: the name of the column of texts.
        out: the name of the new column.
        bos, eos: as in `Tokenizer.encode`.
        nulls: what a null is: "error", or "empty", a document without text.
        keep_text: False leaves the column of texts out; the other columns stay. (`map` ignores `remove_columns` for
            functions that return tables.)
        num_threads: as in `Tokenizer.encode_batch`; use 1 together with `num_proc`.
    Raises:
        OptionError: a wrong option.
        FileError: when called, for a null; the message names the row in the batch.
        TextError: when called, for a text that cannot be encoded; the message names the row in the batch.

    Two objects of the same model and options have the same pickle, so that `datasets` finds its cache again.
    """

    def __init__(
        self,
        model: Tokenizer | str | os.PathLike[str] | bytes,
        column: str = "text",
        out: str = "input_ids",
        *,
        bos: bool = False,
        eos: bool = False,
        nulls: str = "error",
        keep_text: bool = False,
        num_threads: int | None = None,
    ) -> None:
        data = model_bytes(model)
        tokenizer(data)._bos_eos(bos, eos)
        if not isinstance(column, str) or not column:
            raise OptionError(f"column={column!r:.60}: must be the name of a column")
        chosen, name = Column(column, as_nulls(nulls)), as_new_column([column], out)
        self._keeps_text = as_flag(keep_text, "keep_text")
        self._encoder = ColumnEncoder(data, chosen, name, bos, eos, num_threads)

    def __call__(self, table: Any) -> Any:
        """The table with the new column at its end."""
        if not hasattr(table, "to_batches"):
            raise ArgumentTypeError(
                f"the batch is {type(table).__name__}, not a table of Arrow: call ds.with_format('arrow').map(...)"
            )
        made = self._encoder.table(table, "the batch")
        return made if self._keeps_text else made.drop_columns([self._encoder.column.name])
