"""train(): learn a vocabulary from a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import FILES, TEXTS, Files, Input, chosen_input, open_source
from spm_lite.files.documents import Source
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import Reading, as_reading, take_reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closer
from spm_lite.training.count_table import CountTable, Tables, tables_of
from spm_lite.training.counting import usable_threads
from spm_lite.training.options.checks import Rules, check_flags, check_options, checked_int
from spm_lite.training.room import (
    is_soon_read,
)
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import Sources, Weights, as_sources

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.specs import TrainOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer


def train(
    input: Input | Tables | None = None,
    *,
    files: Files | None = None,
    texts: Input | None = None,
    sources: Mapping[str, Input | Tables] | None = None,
    weights: Weights | None = None,
    temperature: float | None = None,
    share_of: str = "bytes",
    normalization: Rules | None = None,
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_checkpoint: bool = False,
    reference_rules: bool = False,
    **options: Unpack[TrainOptions],
) -> Tokenizer:
    """Learn a vocabulary from text and return its Tokenizer, whose `report` says what was read, used and made.

    Args:
        input: a path, a glob, a list of them, any iterable or Arrow column of texts, a CountTable, or a list of
            CountTables. Tables must have been counted with the same options. Texts may come in batches (lists of
            texts), or as rows; `column` names the field of a row that holds the text.
        files: instead of `input`, a path, a glob, a folder or a list of them; never texts.
        texts: instead of `input`, any iterable or Arrow column of texts; never names of files.
        sources: instead of `input`, several inputs by name, such as {"en": "en.txt", "ja": "ja.txt"}. The counts of a
            source are multiplied by one whole number, which gives it its share of the text. The report names each.
        weights: a number above 0 for each source; the shares are in these proportions.
        temperature: 0 to 1. The share of a source is proportional to its size to this power; 0 gives all the same
            share. Without weights and temperature, each source counts as it is.
        share_of: what shares and sizes are counted in: "bytes", "characters" or "texts" as given.
        normalization: the name of a rule set, the path of a rule table, or (source, target) pairs; None: "identity", or
            "bert_cased" for WordPiece. The rule sets:
            - "identity" changes nothing;
            - "nfc" and "nfd" compose or separate letters and marks;
            - "nfkc" and "nfkd" also lose variants: ① becomes 1;
            - "nmt_nfkc" also drops control characters;
            - each of these five with "_cf" also loses case;
            - "bert_cased" and "bert_uncased" do what BERT does; the second also loses case and accents.
        denormalization: rules for decoded text, in the same forms; None: no rules.
        lossless: True: decode(encode(s)) == s for every s, or OptionError if another option prevents that. None:
            lossless unless another option prevents it. "strict": lossless with sentencepiece's encoder too, by
            rules that escape U+2581.
        seed: chooses the lines if `input_sentence_size` limits their number.
        num_threads: None for all CPUs that this process may use, or fewer by OMP_NUM_THREADS; the model does not depend
            on it.
        memory_limit: bytes, or a text such as "512MB" (10^6), for the whole process; None: no limit. Counts beyond it
            go to temporary files in the folder that TMPDIR names. If learning from all chunks of text would take more,
            the rarest are left out, and the report says so. Very long chunks are kept only if memory is left after all
            others. Texts of an iterable, and single lines, should be small compared to the limit.
        progress: True shows a progress bar: on the terminal, in a notebook, or else as lines on standard error. A
            function is called now and then with a `Progress`: the phase, the fraction done, and the rate per second.
            An exception that the function raises ends the training.
        checkpoint: a folder where the training saves the counts and, every 30 seconds, what it has learned. If it is
            stopped, the same call continues from there and gives the same model. It removes the folder at the end.
            Files must have the same names, sizes and times as before, and a list or column the same texts. Any other
            iterable is assumed to be the same and not read again.
        keep_checkpoint: True leaves the folder to the caller, to remove it once the model is saved.
        reference_rules: True follows sentencepiece where the native API differs. Lines with U+2585 are left out,
            no piece crosses U+001F, and coverage is rounded to single precision. BPE goes on with pairs that no longer
            occur. Unigram has the seeds and sums of sentencepiece with 16 threads.
        options: of reading, of the model and of the normalizer. Meanings, ranges and defaults: `spm-lite train --help`.
            - Reading (as the page "Training" explains): column, input_format, newline, separator, keep_newlines,
              paragraphs, on_error, delimiter, quoting, encoding.
            - Vocabulary: model_type ("unigram", "bpe", "byte_bpe", "wordpiece", "word" or "char"), vocab_size,
              hard_vocab_limit, use_all_vocab, character_coverage, auto_character_coverage, required_chars,
              byte_fallback.
            - Special pieces: control_symbols, user_defined_symbols, unk_id, bos_id, eos_id, pad_id, unk_piece,
              bos_piece, eos_piece, pad_piece, unk_surface.
            - What a piece may be: max_sentencepiece_length, split_by_unicode_script, split_by_whitespace,
              split_by_number, split_digits, treat_whitespace_as_suffix, allow_whitespace_only_pieces,
              pretokenization_delimiter.
            - What may be learned: min_count, the least occurrences of a piece in the text, before weights.
            - Lines used: input_sentence_size, shuffle_input_sentence, max_sentence_length.
            - WordPiece only: objective ("likelihood", "ratio" or "frequency"), continuation_prefix, unknown ("word" or
              "char"), max_word_length, split_by_punctuation.
            - Unigram only: seed_sentencepiece_size, shrinking_factor, num_sub_iterations, seed_source, prune.
            - Normalizer: add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces (must be True).
    Returns:
        A Tokenizer.
    Raises:
        OptionError: a wrong option, before any text is read.
        TrainingError: a corpus that does not allow what was asked. `remedies` of the error lists changes of options;
            each of them helps.

    >>> tokenizer = train(["ab ab abc"] * 9, model_type="bpe", vocab_size=265)
    >>> tokenizer.decode(tokenizer.encode("abc ab"))
    'abc ab'
    """
    reading = as_reading(take_reading(options), reference_rules=reference_rules)  # type: ignore[arg-type]
    source = open_one(input, files, texts, Shares(sources, weights, temperature, share_of), reading)
    run = check_call(
        normalization=normalization,
        denormalization=denormalization,
        lossless=lossless,
        reading=reading,
        seed=seed,
        num_threads=num_threads,
        memory_limit=memory_limit,
        progress=progress,
        reference_rules=reference_rules,
        is_small=not isinstance(source, Sources) and is_soon_read(source),
        **options,
    )
    check_flags(keep_checkpoint=keep_checkpoint)
    seed = checked_int("seed", seed)
    close_bar = closer(run.progress)
    with ExitStack() as stack:
        if close_bar is not None:
            stack.callback(close_bar)
        if checkpoint is not None:
            stack.enter_context(run.open_checkpoint(checkpoint, source, seed))
        pieces = run.learn(source, seed)
        log_notes(run.counting.corpus.notes.formats)  # the report has those on line ends too
        tokenizer = run.tokenizer(pieces)
        if run.checkpoint is not None and not keep_checkpoint:
            run.checkpoint.remove()
    return tokenizer


def check_call(
    *,
    normalization: Rules | None = None,
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    reading: Reading | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    reference_rules: bool = False,
    is_small: bool = False,
    **options: Unpack[TrainOptions],
) -> Training:
    """The training of a call of `train`. Raises what `train` raises for options, whatever the text is.

    is_small: the text is read in no time (see `Training.check`).
    """
    checked = check_options(normalization, denormalization, lossless, **options)
    n_threads = usable_threads(num_threads)
    checked_int("seed", seed)
    check_flags(reference_rules=reference_rules)
    run = Training(checked, n_threads, as_reporter(progress), reference_rules, memory_limit=memory_limit)
    run.reading = reading or Reading()
    run.check(is_small)
    return run


class Shares(NamedTuple):
    """The arguments of a call that name several sources and their shares, as given."""

    sources: Any = None
    weights: Any = None
    temperature: Any = None
    share_of: Any = "bytes"


def open_one(
    input: Any, files: Any, texts: Any, shares: Shares, reading: Reading
) -> Source | Sources | list[CountTable]:
    """The one thing that a call gave to learn from. Raises OptionError for none or two, and as `open_source`."""
    kind, given = check_one_input(input, files, texts, shares)

    def open_input(source: Any) -> Source | list[CountTable]:
        return as_source(source, reading, kind)

    return open_input(given) if shares.sources is None else as_sources(*shares, open_input)


def check_one_input(input: Any, files: Any, texts: Any, shares: Shares) -> tuple[str, Any]:
    """The kind of the input, as `open_source` takes it, and the input. Raises OptionError unless one is given."""
    found = chosen_input(
        {"input": input, FILES: files, TEXTS: texts, "sources": shares.sources},
        "there is nothing to learn from: give an input, or sources",
    )
    for name, default in (("weights", None), ("temperature", None), ("share_of", "bytes")):
        if shares.sources is None and getattr(shares, name) != default:
            raise OptionError(
                f"{name} is for several sources: name each, as in sources={{'en': 'en.txt', 'ja': 'ja.txt'}}, or leave "
                f"{name} out",
                remedies=[{name: default}],
            )
    return found


def as_source(source: Input | Tables, reading: Reading, kind: str = "") -> Source | list[CountTable]:
    """Decide once what `train` was given: count tables, files or texts. kind: as in `open_source`."""
    tables = tables_of(source)
    if kind and tables is not None:
        raise ArgumentTypeError(f"{kind} is a count table, or a list of them: pass it as the first argument, input")
    return open_source(source, reading, kind) if tables is None else tables  # type: ignore[arg-type]
