"""Texts counted by the rules of a model: its normalizer, its special pieces, and where its pieces may not cross."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError
from spm_lite.formats.split_patterns import named_or_given
from spm_lite.kinds import BYTE, BYTE_LEVEL, CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from spm_lite.training.options.checks import Options
from spm_lite.training.options.families import WITH_PATTERN
from spm_lite.training.options.meta_pieces import MetaPiece
from spm_lite.training.options.superword_options import check_superwords, second_spec
from spm_lite.training.steps import Training

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.specs import Superwords, TrainerSpec
    from spm_lite.training.count_table import CountTable
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab

MANY = 1000  # pieces: a smaller vocabulary may have none with digits by chance
DIGIT = re.compile(rb"[0-9].|.[0-9]", re.DOTALL)
NO_CUTS: dict[str, Any] = {
    "split_by_unicode_script": False, "split_by_whitespace": False, "split_by_number": False, "split_digits": False,
}  # fmt: skip
SPECIAL = (UNKNOWN, CONTROL, USER_DEFINED, BYTE)  # types of pieces whose names no new piece may cross


class ModelTraining(Training):
    """A training whose text is counted as a model cuts it."""

    def __init__(
        self,
        file: ModelFile,
        n_new: int,
        min_count: int = 1,
        max_length: int | None = None,
        *,
        as_encoded: bool = False,
        superwords: Superwords | None = None,
        **others: Any,
    ) -> None:
        """n_new: pieces wanted. max_length: of new pieces, in characters; None: as in the model's own training.

        superwords: text is counted in phrases, and pieces may cross spaces. others: as of Training.
        as_encoded: text is cut only where encoding cuts it. In a training, the rules of pieces cut it, too, which an
        old piece may break, and the names of all special pieces are boundaries.
        """
        _, normalizer, denormalizer = file.specs()
        spec = spec_of(file, n_new, min_count)
        if max_length is not None:
            spec = dataclasses.replace(spec, max_sentencepiece_length=max_length)
        if as_encoded:
            spec = dataclasses.replace(spec, **NO_CUTS)
        if superwords is not None:
            spec = dataclasses.replace(spec, superwords=superwords)
            check_superwords(spec)
        super().__init__(Options(spec, normalizer, denormalizer, ()), **others)
        if superwords is not None:
            self.spec = second_spec(spec, superwords)
        kinds = (USER_DEFINED,) if as_encoded else SPECIAL
        self.meta = self.counting.meta = special_pieces(file.vocab, kinds)

    def whole(self, source: Source) -> ChunkTable:
        """All chunks of a text that keeps its ids. Raises OptionError if it is empty, or too large for memory_limit."""
        counts = self.counting.fit(self.counting.count_text(source, 0, is_for_learning=True))
        if len(counts) == 0 and counts.left_out is None:
            raise OptionError(
                "protect has no text whose ids could stay: give texts, or leave protect out",
                remedies=[{"protect": None}],
            )
        if counts.left_out is not None:
            raise OptionError(
                f"memory_limit={self.memory_limit} leaves no room for all of the text of protect: raise it",
                remedies=[{"memory_limit": None}],
            )
        return counts

    def take_tables(self, tables: list[CountTable]) -> ChunkTable:
        """As in a training; a split pattern may have been given by its name."""
        theirs = tables[0].rules
        if theirs.split_pattern and named_or_given(theirs.split_pattern) == self.spec.split_pattern:
            self.spec = self.counting.spec = dataclasses.replace(self.spec, split_pattern=theirs.split_pattern)
        mine = dataclasses.replace(self.counting.table_rules(), newline=theirs.newline)
        differing = mine.difference(theirs)
        if differing is not None:
            raise OptionError(
                f"the model has {differing[0]}, the count table has {differing[1]}: count the text by the options of "
                "the model, or give the text itself"
            )
        return super().take_tables(tables)


def spec_of(file: ModelFile, n_new: int, min_count: int) -> TrainerSpec:
    """The rules of new pieces, from the settings in a model file. Its special pieces are not in it."""
    vocab = file.vocab
    if vocab.is_cut and file.model_type not in BYTE_LEVEL:
        raise OptionError(
            f"the {file.model_type} model cuts a text by patterns before it looks for pieces, and only byte_bpe models "
            "with patterns can be extended: train a new model"
        )
    others: dict[str, Any] = {}
    if vocab.is_cut:  # then the pattern alone says what a piece may be
        others = {**WITH_PATTERN, "split_pattern": vocab.split_pattern or vocab.splits}
    elif not file.trainer.split_digits and keeps_digits_apart(vocab):
        others = {"split_digits": True}
    return dataclasses.replace(
        file.trainer,
        model_type=file.model_type,
        vocab_size=len(vocab) + n_new,
        lossless=file.lossless,
        min_count=min_count,
        max_sentence_length=None,
        input_sentence_size=0,
        control_symbols=(),
        user_defined_symbols=(),
        byte_fallback=False,
        unk_id=0,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
        **others,
    )


def keeps_digits_apart(vocab: Vocab) -> bool:
    """Whether a large vocabulary has no digit beside another character: files of other programs do not say so."""
    joined = [vocab.text(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL and len(vocab.text(i)) > 1]
    return len(joined) >= MANY and not any(map(DIGIT.search, joined))


def special_pieces(vocab: Vocab, kinds: tuple[int, ...] = SPECIAL) -> dict[int, MetaPiece]:
    """The pieces of some types, by id, as those that a training has."""
    found = {}
    for i in range(len(vocab)):
        if vocab.type(i) in kinds and vocab.text(i):
            found[i] = MetaPiece(vocab.text(i).decode("utf-8", "replace"), vocab.type(i))
    return found
