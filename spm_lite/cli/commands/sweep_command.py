"""`spm-lite sweep`: one text learned at many vocabulary sizes, and what each size gives and costs."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import number_in
from spm_lite.cli.commands.train_command import errors_as_typed
from spm_lite.cli.console import is_terminal, say, shown_notes, write_text
from spm_lite.cli.options.other_flags import without_settings
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    file_name,
    file_prefix,
    positive_int,
)
from spm_lite.cli.options.source_options import (
    add_source_options,
    files_of_sources,
    named_files,
    named_value,
    open_sources,
    shares_of,
)
from spm_lite.cli.options.training_options import add_training_options, option_files, training_options
from spm_lite.cli.outputs import ModelFiles, check_target, open_output, refuse_inputs
from spm_lite.cli.streams import is_read_once, real_files
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from spm_lite.evaluation.fair_figures import FairChoice, FairSweep
    from spm_lite.evaluation.size_sweep import Sweep

DESCRIPTION = """\
Train tokenizers of several sizes on the same text. For each size, show the number of tokens and the cost to a
language model. FILE is read once, and BPE is learned once, at the largest size. The command takes the options
of 'train'. With --save M, it writes each model to M-SIZE.model.

With --balance, it compares ways to vocabularies that are fair to several sources, and names the best one for 0.5,
1, 2 and 3 % more tokens. With --save M, it writes these models to M-SIZE-PRICE.model."""

EPILOG = f"""\
examples:
  {PROGRAM} sweep corpus.txt --sizes 4k,8k,16k,32k
  {PROGRAM} sweep train.txt --sizes 2k,4k,8k --model-type bpe --text held-out.txt --save m
  {PROGRAM} sweep --source en=en.txt --source ja=ja.txt --sizes 8k --balance tokens \\
      --parallel en=dev.en.txt --parallel ja=dev.ja.txt --svg front.svg
"""
COMMON = {"sizes", "text", "save", "json", "model_type", "column", "separator", "num_threads", "quiet"}
ALONE = ""  # the name of texts that have none
WIDE = 70  # columns; narrower terminals show no costs
NOT_HERE = ("vocab_size", "checkpoint")


def make_parser() -> CommandParser:
    parser = CommandParser("sweep", "FILE... --sizes LIST [options]", DESCRIPTION, EPILOG, COMMON)
    group = parser.add_argument_group("sweep")
    group.add_argument("--sizes", type=sizes, metavar="LIST", help="vocabulary sizes, such as 4k,8k,16k; required")
    group.add_argument(
        "--text",
        action="append",
        metavar="FILE",
        help="count tokens on this text [FILE]; may be repeated. With --balance, it is NAME=FILE: judge "
        "on these parallel texts [those of --parallel]",
    )
    group.add_argument("--save", type=file_prefix, metavar="M", help="write each model to M-SIZE.model")
    group.add_argument(
        "--balance",
        action="append",
        choices=("tokens", "parity"),
        metavar="METHOD",
        help="compare fair trainings: tokens (weights of the sources) or parity (turns of languages); may be repeated",
    )
    group.add_argument(
        "--parallel",
        action="append",
        type=named_value,
        metavar="NAME=FILE",
        help="with --balance, the dev text of a source; line i says the same in all. Repeat the option",
    )
    group.add_argument(
        "--svg", type=file_name, metavar="FILE", help="with --balance, also write the picture of the front"
    )
    group.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_source_options(parser)
    add_training_options(parser, without=NOT_HERE)
    add_common(parser)
    return parser


class Sizes(list[int]):
    """The sizes of --sizes, and how they were typed."""

    typed = ""


def sizes(text: str) -> Sizes:
    """The type of --sizes."""
    try:
        typed = text.strip(", ")  # of `4k, 8k` this is the first word
        found = Sizes(positive_int(part.strip()) for part in typed.split(","))
        found.typed = typed
        return found
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; give sizes with commas between, such as 4k,8k,16k") from None


def run(given: argparse.Namespace, files: list[str]) -> int:
    sources = files_of_sources(given, files)
    files = files or [path for paths in sources.values() for path in paths]
    if not files or given.sizes is None:
        missing = " and ".join(["the text to learn from"] * (not files) + ["--sizes"] * (given.sizes is None))
        raise UsageError(f"{missing} must be given, as in '{PROGRAM} sweep corpus.txt --sizes 4k,8k,16k'")
    refuse_sizes(given, files)
    options = training_options(given)
    parallel, judged = fair_texts(given)
    inputs = [*files, *(path for named in (parallel, judged) for paths in named.values() for path in paths)]
    if any(map(is_read_once, inputs)):
        raise UsageError("sweep reads files more than once: name files, not standard input or a pipe")
    targets = targets_of(given)
    outputs = [path for files_of in targets.values() for path in files_of.paths]
    if given.svg is not None:
        check_target(given.svg)
        outputs.append(given.svg)
    refuse_inputs(outputs, [*option_files(given), *inputs])

    import spm_lite

    with ExitStack() as stack:
        paths = [Path(path) for path in stack.enter_context(real_files(files))]
        named = open_sources(stack, parallel)
        texts: Any = open_sources(stack, judged)
        refuse_inputs(
            outputs, map(str, [*paths, *(path for found in (named, texts) for one in found.values() for path in one)])
        )
        texts = texts if given.balance else texts.get(ALONE)
        bar = stack.enter_context(ProgressBar(given.quiet))
        stack.enter_context(errors_as_typed(given, make_parser))
        stack.enter_context(shown_notes(given.quiet, "sweep"))
        text = open_sources(stack, sources) if sources else paths
        options |= shares_of(given)
        if given.balance:
            options |= {"balance": given.balance, "parallel": named}
        found: Any = spm_lite.sweep(text, given.sizes, held_out=texts or None, progress=bar.measured, **options)
    for key, target in targets.items():
        target.save(found[key])
    if given.svg is not None:
        with open_output(given.svg) as out:
            out.write(found.svg().encode())
    if given.json:
        write_text(json.dumps(found.to_dict(), indent=1) + "\n")
    else:
        write_text(fair_report(found) if given.balance else sweep_report(found))
    if targets and not given.quiet:
        say(f"wrote {', '.join(map(str, targets.values()))}\n")
    return 0


def fair_texts(given: argparse.Namespace) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The files of --parallel, and those of --text, by language. Raises UsageError if --balance does not fit them."""
    if not given.balance:
        for name in ("parallel", "svg"):
            if getattr(given, name) is not None:
                raise UsageError(f"--{name} is for fair trainings: give --balance tokens, --balance parity or both")
        return {}, {ALONE: given.text} if given.text else {}
    if not given.parallel:
        raise UsageError("--balance needs dev texts: give --parallel for each source, as in --parallel en=dev.en.txt")
    try:
        texts = [named_value(text) for text in given.text or ()]
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--text, with --balance: {error}") from None
    parallel, judged = named_files(given.parallel, "--parallel", "a dev text"), named_files(texts, "--text", "a text")
    for name in (*parallel, *judged) if judged else ():
        if name not in judged or name not in parallel:
            without, has = ("text", "parallel") if name in parallel else ("parallel", "text")
            raise UsageError(f"--{without} has no text of {name!r}, which has one in --{has}: give both, or neither")
    return parallel, judged


def targets_of(given: argparse.Namespace) -> dict[Any, ModelFiles]:
    """What --save writes, by size, or by size and price."""
    if not given.save:
        return {}
    if not given.balance:
        return {size: ModelFiles(f"{given.save}-{size}") for size in given.sizes}
    from spm_lite.evaluation.fair_figures import PRICES

    return {
        (size, price): ModelFiles(f"{given.save}-{size}-{100 * price:g}") for size in given.sizes for price in PRICES
    }


def fair_report(found: FairSweep) -> str:
    """The table of the ways, and the best one at each price, as wide as the terminal."""
    from spm_lite.cli.tables import table, width_of_output
    from spm_lite.evaluation.fair_figures import NOTE

    width = width_of_output(is_terminal(sys.stdout))
    headers, cells = found.table()
    n_shown = len(headers) if width >= WIDE else 4
    sentences = [one.sentence(found.plain(one.row.size), f"Train with {flags_of(one)}") for one in found.choices]
    lines = [line for sentence in (NOTE, *sentences) for line in textwrap.wrap(sentence, width)]
    return table(headers[:n_shown], [row[:n_shown] for row in cells], width, 2) + "\n" + "\n".join(lines) + "\n"


def flags_of(choice: FairChoice) -> str:
    """The options of `train` that make a model again, beside its sources, its dev texts and the other options."""
    flags = []
    for name, value in choice.options.items():
        option = f"--{name.replace('_', '-')}"
        if name == "weights":
            flags.append(f"--weight NAME=W, as --json lists them for '{choice.row.way}',")
        elif isinstance(value, dict):
            flags += [f"{option} {key}={one:g}" for key, one in value.items()]
        elif isinstance(value, bool):
            flags.append(option if value else f"--no-{option[2:]}")
        elif isinstance(value, (list, tuple)):
            flags += [f"{option} {shlex.quote(str(one))}" for one in value]
        else:
            flags.append(f"{option} {shlex.quote(str(value))}")
    return " ".join(flags)


def refuse_sizes(given: argparse.Namespace, files: list[str]) -> None:
    """Raise UsageError for words that are sizes, and no files: sizes have commas between them."""
    numbers = [file for file in files if is_size(file.strip(",")) and not Path(file).exists()]
    if numbers:
        listed = ",".join([given.sizes.typed, *(number.strip(",") for number in numbers)])
        raise UsageError(f"{numbers[0]} is no file; sizes have commas between them: write --sizes {listed}")


def is_size(word: str) -> bool:
    """Whether a word spells a number."""
    try:
        return number_in(word) > 0
    except ValueError:
        return False


def sweep_report(found: Sweep) -> str:
    """The table and the reasons, as wide as the terminal."""
    from spm_lite.cli.tables import table, width_of_output

    width = width_of_output(is_terminal(sys.stdout))
    headers, cells = found.table()
    n_shown = len(headers) if width >= WIDE else 4
    note = ["cost: operations per byte of a language model, relative to the lowest"] if n_shown == len(headers) else []
    reasons = [line for reason in [*note, *found.reasons] for line in textwrap.wrap(without_settings(reason), width)]
    return table(headers[:n_shown], [row[:n_shown] for row in cells], width, 0) + "\n" + "\n".join(reasons) + "\n"
