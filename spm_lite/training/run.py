"""train(): learn a vocabulary from a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from spm_lite.arguments import as_python
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import FILES, TEXTS, Files, Input, chosen_input, open_source
from spm_lite.files.documents import Source
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import Reading, as_reading, take_reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closer
from spm_lite.specs import CHOICES, PARITY
from spm_lite.training.balance.fairness_options import AskedFairness, check_type
from spm_lite.training.count_table import CountTable, Tables, tables_of
from spm_lite.training.counting import usable_threads
from spm_lite.training.options.checks import Rules, check_flags, check_options, checked_int
from spm_lite.training.options.other_names import by_name
from spm_lite.training.options.superword_options import as_superwords, errors_of_both_stages, first_size
from spm_lite.training.room import is_soon_read
from spm_lite.training.steps import Training
from spm_lite.training.weighted_sources import Sources, Weights, as_sources

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.specs import ModelType, TrainOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer


@by_name(1, "train(input, vocab_size=8000)")
def train(
    input: Input | Tables | Mapping[str, Input | Tables] | None = None,
    *,
    vocab_size: int | Literal["all"] | None = None,
    model_type: ModelType = "unigram",
    files: Files | Mapping[str, Files] | None = None,
    texts: Input | Mapping[str, Input] | None = None,
    weights: Weights | None = None,
    temperature: float | None = None,
    share_of: str = "bytes",
    balance: Literal["tokens"] | None = None,
    parallel: Mapping[str, Input] | None = None,
    targets: Mapping[str, float] | None = None,
    target_unit: str = "bytes_per_token",
    price: float | None = None,
    parity: Mapping[str, float] | None = None,
    normalization: Rules | None = None,
    denormalization: Rules | None = None,
    lossless: bool | str | None = None,
    seed: int | None = 0,
    num_threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    reference_rules: bool = False,
    **options: Unpack[TrainOptions],
) -> Tokenizer:
    """Learn a vocabulary from text and return its Tokenizer, whose `report` says what was read, used and made.

    Args:
        input: a path, a glob, a list of them, any iterable or Arrow column of texts, a CountTable, or a list of
            CountTables. Tables must have been counted with the same options. Texts may come in batches (lists of
            texts), or as rows; `column` names the field of a row that holds the text. A dict of inputs by name, such
            as {"en": "en.txt", "ja": "ja.txt"}, is several sources. The counts of a source are multiplied by one whole
            number, which gives it its share of the text. The report names each.
        vocab_size: number of pieces, special ones included. "all": every word or character, for these two types.
        model_type: "unigram", "bpe", "byte_bpe", "wordpiece", "word" or "char".
        files: instead of `input`, a path, a glob, a folder or a list of them; never texts.
        texts: instead of `input`, any iterable or Arrow column of texts; never names of files.
        weights: a number above 0 for each source; the shares are in these proportions.
        temperature: 0 to 1. The share of a source is proportional to its size to this power; 0 gives all the same
            share. Without weights and temperature, each source counts as it is.
        share_of: what shares and sizes are counted in: "bytes", "characters" or "texts" as given.
        balance: "tokens" fits the weights of the sources until the same content has about the same number of tokens in
            each language. The text is counted once and learned from up to 8 times. `report.balance` says what it gave.
        parallel: dev texts by the names of sources, on which costs are measured; line i says the same in all of them.
        targets: in place of equal costs, a number for each language that must not be too costly, such as {"tha": 3.0}.
            Then `parallel` need not be parallel, and without it costs are measured on the training text.
        target_unit: what targets are counted in: "bytes_per_token", "characters_per_token" or "tokens_per_line".
        price: the most tokens of all dev texts, as a share above plain training: 0.02 is 2 %. None: 0.02 for balance,
            no limit for targets and for objective="parity".
        parity: options of objective="parity", a dict: "window", "alpha", "floor" and "global_merges".
        normalization: the name of a rule set, the path of a rule table, or (source, target) pairs; None: "identity", or
            "bert_cased" for WordPiece. The rule sets:
            - "identity" changes nothing;
            - "nfc" and "nfd" compose or separate letters and marks, and sort marks, as Unicode says;
            - "nfkc" and "nfkd" also lose variants: ① becomes 1. sentencepiece refuses models with one of these four;
            - each of these four with "_rules" does so by rules that sentencepiece reads, which do not sort marks;
            - "nmt_nfkc", by rules too, also drops control characters;
            - each of these five with "_cf" also loses case, by rules;
            - "bert_cased", "bert_lowercase" and "bert_uncased" do what BERT does; the second also loses case, and the
              third case and accents.
        denormalization: rules for decoded text, in the same forms; None: no rules.
        lossless: True: decode(encode(s)) == s for every s, or OptionError if another option prevents that. None:
            lossless unless another option prevents it. "strict": lossless with sentencepiece's encoder too, by
            rules that escape U+2581.
        seed: chooses the lines if `input_sentence_size` limits their number; None: the first lines.
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
        reference_rules: True follows sentencepiece where the native API differs. Lines with U+2585 are left out,
            no piece crosses U+001F, and coverage is rounded to single precision. BPE goes on with pairs that no longer
            occur. Unigram has the seeds and sums of sentencepiece with 16 threads.
        options: the others, by what they decide. Meanings, ranges and defaults: `spm-lite train --help`.
            - What is read (see the page "Training"): column, input_format, newline, separator, paragraphs, on_error,
              delimiter, quoting, encoding, max_unpacked; input_sentence_size, max_sentence_length.
            - How it is normalized: add_dummy_prefix, remove_extra_whitespaces.
            - Which pieces may exist: max_sentencepiece_length, split_by_unicode_script, split_by_whitespace,
              split_by_number, treat_whitespace_as_suffix, allow_whitespace_only_pieces; min_count, the least
              occurrences in the text, before weights.
            - split_digits: True makes each decimal digit of Unicode a piece; a number, such as 3, is the most digits of
              a piece.
            - split_pattern: "gpt2", "llama3" and other names, or a pattern; no piece crosses a cut. A byte_bpe model
              cuts texts so. For bpe and unigram, the pattern must cut two neighbours always or never.
            - whole_characters (byte_bpe only): True: a piece is whole characters, or bytes of one and nothing else.
            - graphemes: True: a piece is learned where it lies within one grapheme cluster, or is whole ones.
            - WordPiece only: continuation_prefix, unknown ("word" or "char"), max_word_length, split_by_punctuation.
            - superwords: a share such as 0.8, or a dict: pieces that cross spaces are learned in a second stage, as the
              page "Superwords" says.
            - Special pieces: control_symbols, user_defined_symbols, unk_id, bos_id, eos_id, pad_id, unk_piece,
              bos_piece, eos_piece, pad_piece.
            - How many: hard_vocab_limit, character_coverage (a share, or "auto" for BPE), required_chars,
              byte_fallback.
            - How they are chosen: Unigram only: seed_source, seed_sentencepiece_size, prune. WordPiece only: objective
              ("likelihood", "ratio" or "frequency"). objective="parity" (bpe and byte_bpe only) chooses each merge for
              the source whose dev text has the most tokens.
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
    keeps_checkpoint = options.pop("keep_checkpoint", False)  # type: ignore[typeddict-item]  # of the older version
    check_flags(keep_checkpoint=keeps_checkpoint)
    source, run = prepared(
        with_old_sources(input, options),
        files,
        texts,
        Shares(weights, temperature, share_of, AskedFairness(balance, parallel, targets, target_unit, price, parity)),
        vocab_size=vocab_size,
        model_type=model_type,
        normalization=normalization,
        denormalization=denormalization,
        lossless=lossless,
        seed=seed,
        num_threads=num_threads,
        memory_limit=memory_limit,
        progress=progress,
        reference_rules=reference_rules,
        **options,
    )
    return learned(source, run, seed, checkpoint, keeps_checkpoint)


def prepared(
    input: Any, files: Any, texts: Any, shares: Shares, *, reference_rules: bool = False, **arguments: Any
) -> tuple[Source | Sources | list[CountTable], Training]:
    """What a call of `train` learns from, and its training: all is checked, nothing is read."""
    reading = as_reading(take_reading(arguments), reference_rules=reference_rules)
    if arguments.get("objective") == PARITY:
        del arguments["objective"]  # it is no objective of WordPiece
        shares = shares._replace(fairness=shares.fairness._replace(is_parity=True))
    source = open_one(input, files, texts, shares, reading)
    is_small = not isinstance(source, Sources) and is_soon_read(source)
    run = check_call(reading=reading, is_small=is_small, reference_rules=reference_rules, **arguments)
    if isinstance(source, Sources) and source.fairness is not None:
        check_type(source.fairness, run.spec)
    return source, run


def learned(
    source: Source | Sources | list[CountTable],
    run: Training,
    seed: Any = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    keeps_checkpoint: bool = False,
) -> Tokenizer:
    """The Tokenizer of a training. keeps_checkpoint: the folder stays, until the caller has saved the model."""
    seed = checked_int("seed", seed)
    close_bar = closer(run.progress)
    with ExitStack() as stack:
        if close_bar is not None:
            stack.callback(close_bar)
        if checkpoint is not None:
            stack.enter_context(run.open_checkpoint(checkpoint, source, seed))
        if isinstance(source, Sources) and source.fairness is not None:
            if source.fairness.method == PARITY:
                from spm_lite.training.balance.parity_training import train_parity as train_fairly
            else:
                from spm_lite.training.balance.weight_loop import train_balanced as train_fairly

            tokenizer = train_fairly(source, run, seed)
            assert tokenizer.report is not None and tokenizer.report.balance is not None
            log_notes(tokenizer.report.balance.warnings)
        else:
            with errors_of_both_stages(run.spec.superwords, run.spec.vocab_size + run.n_superwords, run.n_superwords):
                pieces = run.learn(source, seed)
            tokenizer = run.tokenizer(pieces)
        log_notes(run.counting.corpus.notes.formats)  # the report has those on line ends too
        if run.spec.superwords is not None:
            from spm_lite.training.extension.second_stage import with_superwords

            tokenizer = with_superwords(run, tokenizer)
        if run.checkpoint is not None and not keeps_checkpoint:
            run.checkpoint.remove()
    return tokenizer


def check_call(
    *,
    vocab_size: int | str | None = None,
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
    **options: Any,
) -> Training:
    """The training of a call of `train`, with the fields of the specs as options.

    Raises what `train` raises for options, whatever the text is.

    is_small: the text is read in no time (see `Training.check`).
    """
    if vocab_size is not None:
        options["vocab_size"] = vocab_size
    from spm_lite.normalize.rules.rule_sets import RULES, UNICODE_FORMS

    if reference_rules and isinstance(normalization, str) and normalization in UNICODE_FORMS:
        normalization += RULES  # as sentencepiece has them
    size = as_python(options.get("vocab_size"))
    n_new = as_two_stages(options, size)
    with errors_of_both_stages(options["superwords"], size, n_new):
        checked = check_options(normalization, denormalization, lossless, **options)
        n_threads = usable_threads(num_threads)
        checked_int("seed", seed)
        check_flags(reference_rules=reference_rules)
        run = Training(checked, n_threads, as_reporter(progress), reference_rules, memory_limit=memory_limit)
        run.reading = reading or Reading()
        run.n_superwords = n_new
        run.check(is_small)
    return run


def as_two_stages(options: dict[str, Any], size: Any) -> int:
    """Make vocab_size that of the first stage, and return the pieces of the second; 0 without superwords.

    size: of both stages, if it is an int.
    """
    superwords = options["superwords"] = as_superwords(options.get("superwords"))
    if superwords is None or not isinstance(size, int) or isinstance(size, bool) or size < 2:
        return 0
    first = options["vocab_size"] = first_size(size, superwords)
    return size - first


class Shares(NamedTuple):
    """The arguments of a call that decide the shares of several sources, as given."""

    weights: Any = None
    temperature: Any = None
    share_of: Any = "bytes"
    fairness: AskedFairness = AskedFairness()

    def options(self) -> dict[str, Any]:
        """The arguments by name."""
        return {
            "weights": self.weights, "temperature": self.temperature, "share_of": self.share_of,
            **self.fairness.options(),
        }  # fmt: skip


def open_one(
    input: Any, files: Any, texts: Any, shares: Shares, reading: Reading
) -> Source | Sources | list[CountTable]:
    """What a call gave to learn from: one input, or several by name. Raises OptionError as `open_source`."""
    nothing = "there is nothing to learn from: give an input"
    kind, given = chosen_input({"input": input, FILES: files, TEXTS: texts}, nothing)

    def open_input(source: Any) -> Source | list[CountTable]:
        return as_source(source, reading, kind)

    if has_names(given):
        return as_sources(
            given, shares.weights, shares.temperature, shares.share_of, open_input, shares.fairness, reading
        )
    if shares.fairness.is_parity:
        raise OptionError(
            f"objective={PARITY!r} is for several sources: name each, as in {{'en': 'en.txt', 'ja': 'ja.txt'}}, or "
            "leave objective out",
            remedies=[{"objective": CHOICES["objective"][0]}],
        )
    for (name, value), usual in zip(shares.options().items(), Shares().options().values(), strict=True):
        if value is not usual and value != usual:
            raise OptionError(
                f"{name} is for several sources: name each, as in {{'en': 'en.txt', 'ja': 'ja.txt'}}, or leave {name} "
                "out",
                remedies=[{name: usual}],
            )
    return open_input(given)


def with_old_sources(input: Any, options: Any) -> Any:
    """The input, or `sources` of the older version, which leaves the options. Raises OptionError for both."""
    sources = options.pop("sources", None)
    if input is not None and sources is not None:
        raise OptionError("input and sources both name text: give one of them")
    return input if sources is None else sources


def has_names(given: Any) -> bool:
    """Whether an input is several sources by name. The parts of a data set of `datasets` are none."""
    return isinstance(given, Mapping) and not type(given).__module__.startswith("datasets.")


def as_source(source: Input | Tables, reading: Reading, kind: str = "") -> Source | list[CountTable]:
    """Decide once what `train` was given: count tables, files or texts. kind: as in `open_source`."""
    tables = tables_of(source)
    if kind and tables is not None:
        raise ArgumentTypeError(f"{kind} is a count table, or a list of them: pass it as the first argument, input")
    return open_source(source, reading, kind) if tables is None else tables  # type: ignore[arg-type]
