"""The two files of a trained model, checked before training and written after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.streams import check_target

if TYPE_CHECKING:
    from spm_lite.tokenizer import Tokenizer


class ModelFiles:
    """`M.model` and, beside it, `M.vocab`. Raises FileError at once if either could not be written."""

    def __init__(self, prefix: str, vocab: bool = True) -> None:
        self.model = prefix + ".model"
        self.vocab = prefix + ".vocab"
        self._with_vocab = vocab
        for path in self.paths:
            check_target(path)

    @property
    def paths(self) -> list[str]:
        """The files that will be there."""
        return [self.model, self.vocab] if self._with_vocab else [self.model]

    def save(self, tok: Tokenizer) -> None:
        """Write them, each whole or not at all."""
        tok.save(self.model, vocab=self.vocab if self._with_vocab else False)

    def __str__(self) -> str:
        return " and ".join(self.paths)
