"""The options of counting: which decide how text is read, normalized and cut, and tables read under them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from spm_lite.errors import OptionError
from spm_lite.progress.meter import Progress, as_reporter, shown
from spm_lite.training.counting import Counting
from spm_lite.training.options.checks import TRAINER_FIELDS, Options, Rules, check_options

if TYPE_CHECKING:
    from spm_lite.specs import CutOptions
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.counts.count_arrow import TableReader
    from spm_lite.training.counts.table_rules import TableRules

CUT_OPTIONS = (  # of `train`
    "model_type", "max_sentencepiece_length", "split_by_unicode_script", "split_by_whitespace", "split_by_number",
    "split_digits", "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "pretokenization_delimiter",
    "control_symbols", "user_defined_symbols", "byte_fallback", "unk_id", "bos_id", "eos_id", "pad_id",
    "unk_piece", "bos_piece", "eos_piece", "pad_piece", "add_dummy_prefix", "remove_extra_whitespaces",
    "max_sentence_length", "input_sentence_size", "shuffle_input_sentence", "split_by_punctuation",
)  # fmt: skip


def counting(
    normalization: Rules | None,
    denormalization: Rules | None,
    lossless: bool | str | None,
    options: CutOptions,
    progress: Callable[[Progress], object] | bool | None = None,
    memory_limit: int | str | None = None,
) -> Counting:
    """A Counting under these options. Raises OptionError for options that counting does not use."""
    checked = check_cut_options(normalization, denormalization, lossless, options)
    return Counting(checked, progress=as_reporter(progress), memory_limit=memory_limit)


def check_cut_options(
    normalization: Rules | None, denormalization: Rules | None, lossless: bool | str | None, options: CutOptions
) -> Options:
    """The specs of these options. Raises OptionError for options that only learning uses."""
    for name in options:
        if name in TRAINER_FIELDS and name not in CUT_OPTIONS:
            raise OptionError(f"{name} has no part in counting: give it to train")
    return check_options(normalization, denormalization, lossless, vocab_size=2**31 - 1, **options)


def read_rows(
    load: Callable[[TableReader], None],
    normalization: Rules | None,
    denormalization: Rules | None,
    lossless: bool | str | None,
    options: CutOptions,
    progress: Callable[[Progress], object] | bool | None = None,
    memory_limit: int | str | None = None,
    name: str = "the Arrow table of counts",
) -> tuple[ChunkTable, TableRules]:
    """A table of rows (text, count), and its rules.

    load: gives the rows to a reader. name: of their source, for messages. Other arguments: as of `counting`.
    """
    from spm_lite.training.counts.count_arrow import TableReader

    run = counting(normalization, denormalization, lossless, options, progress, memory_limit)
    is_given = bool(options) or not (normalization is denormalization is lossless is None)
    rules, spill = run.table_rules(), run.new_spill()
    with shown(run.progress), spill or nullcontext():
        reader = TableReader(rules if is_given else None, rules, run.cut_rules, spill, name)
        load(reader)
        return reader.finish()
