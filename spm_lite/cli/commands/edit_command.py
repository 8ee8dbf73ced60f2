"""`spm-lite edit`: change a vocabulary, with a report of the price before anything is written."""

from __future__ import annotations

import json
import sys
from argparse import BooleanOptionalAction
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from spm_lite.cli.console import is_terminal, say, write_text
from spm_lite.cli.options.document_options import add_document_options, read_options
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_reading,
    add_threads,
    file_name,
    load_model,
    nearest,
    number,
    positive_int,
)
from spm_lite.cli.options.source_options import named_value
from spm_lite.cli.options.training_options import superword_keys
from spm_lite.cli.outputs import check_target, descriptor, open_output, refuse_inputs
from spm_lite.cli.streams import real_files
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from spm_lite.files.documents import Source
    from spm_lite.tokenizer.results import Extended, Revised
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab_map import VocabMap

DESCRIPTION = """\
Change the vocabulary of a model. The report says first what the change costs: tokens before and after, texts whose
ids change, dead pieces (their own text does not give them), size. Without -o and --map nothing else is written.

  extend MODEL TEXT... -n N    learn N further pieces from text; all old ids stay
  add MODEL PIECE...           add names, codes and tags, which are found before all else in a text; all old ids stay
  prune MODEL TEXT... -n N     keep the N pieces that the text needs most; without -n, those that it uses
  replace MODEL TEXT... -n N   learn N pieces in place of those that the text of --prune-for needs least
  merge MODEL OTHER            add the pieces of another model
  rename MODEL OLD=NEW...      give special pieces other names; all ids stay
  claim MODEL NAME...          make special tokens of spare pieces, such as <unused0>; all ids stay"""

EPILOG = f"""\
examples:
  {PROGRAM} edit extend m.model new.txt -n 2k --only Khmer           # the report alone
  {PROGRAM} edit extend m.model new.txt -n 2k -o more.model --map id_remap.json --text en=en.txt
  {PROGRAM} edit add m.model '<|tool|>' --control -o more.model
  {PROGRAM} edit prune m.model en.txt de.txt -n 16k -o less.model --map id_remap.json
"""
COMMON = {"n_new", "output", "map", "only", "prune_for", "text", "json", "quiet"}
NEW_TEXT = "new text"  # what the report calls the text to learn from
PRUNED_TEXT = "prune-for"  # and the text that the model must still write well
ACTIONS = {  # name -> (what it takes, an example)
    "extend": ("a MODEL, at least one TEXT, and -n, the number of new pieces", "extend m.model new.txt -n 1k"),
    "add": ("a MODEL, and pieces or --pieces FILE", "add m.model quokka"),
    "prune": (
        "a MODEL, and a TEXT or an option that keeps pieces, such as --scripts",
        "prune m.model en.txt -n 16k",
    ),
    "replace": (
        "a MODEL, at least one TEXT, -n, the number of pieces, and --prune-for, the text that the model must still "
        "write well",
        "replace m.model new.txt -n 1k --prune-for en.txt",
    ),
    "merge": ("two models", "merge m.model other.model"),
    "rename": ("a MODEL, and old and new names", "rename m.model '<old>=<new>'"),
    "claim": ("a MODEL, and names of special tokens", "claim m.model '<tool>'"),
}
TEXT_OPTIONS = {"protect", "keep_texts"}
OPTIONS = {  # action -> the options that it takes, beside those of the output
    "extend": {"n_new", "only", "protect", "min_count", "max_length", "coverage", "held_out", "superwords"},
    "prune": {"n_new", "min_count", "coverage", "keep", "scripts", "keep_texts", "chat_template", "exactly"},
    "replace": {"n_new", "only", "min_count", "prune_for", "keep"},
    "merge": {"n_new", "only"},
    "add": {"control", "pieces"},
    "rename": set(),
    "claim": {"control"},
}
NAMING = ("add", "rename", "claim")  # what follows the model is no file
LIMITS = ("n_new", "min_count", "coverage")  # of prune, in tokens of the text
KEEPING = ("keep", "scripts", "keep_texts", "chat_template")


def make_parser() -> CommandParser:
    parser = CommandParser("edit", "ACTION MODEL [TEXT...] [options]", DESCRIPTION, EPILOG, COMMON)
    several: dict[str, Any] = {"nargs": "+", "action": "extend"}
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", type=file_name, metavar="FILE", help="write the new model")
    group.add_argument("--map", type=file_name, metavar="FILE", help="write the map of ids for embeddings, as JSON")
    group.add_argument("--json", action="store_true", help="write the report as JSON, for programs")
    group.add_argument("--reasons", action="store_true", help="report why each piece is there")
    group.add_argument(
        "--text",
        type=named_value,
        metavar="NAME=FILE",
        help="compare the ids of this text too; FILE may be a folder or a pattern",
        **several,
    )
    group = parser.add_argument_group("which pieces are new")
    group.add_argument(
        "-n", "--n-new", type=positive_int, metavar="N", help="the number of new pieces; of prune: of all pieces"
    )
    group.add_argument(
        "--only",
        action="append",
        metavar="SCRIPT",
        help="each new piece has a letter of this script, such as Thai; new: scripts that the model lacks; all: any. "
        "May be repeated [new for unigram models, all for others]",
    )
    group.add_argument(
        "--protect", type=file_name, metavar="FILE", help="text whose ids must stay; for bpe models", **several
    )
    group.add_argument(
        "--min-count",
        type=positive_int,
        metavar="N",
        help="occurrences of a new piece, at least [2]; of prune: tokens of a piece that stays [1]",
    )
    group.add_argument(
        "--max-length", type=positive_int, metavar="N", help="characters of a new piece, at most [as in the model]"
    )
    group.add_argument(
        "--coverage",
        type=number,
        metavar="P",
        help="share of the characters that are pieces in the end [0.9995]; "
        "of prune: share of the tokens whose pieces stay",
    )
    group.add_argument(
        "--superwords",
        type=superword_keys,
        nargs="?",
        const=True,
        metavar="KEYS",
        help="new pieces may cross spaces; key=value, between commas, as in train without a share; of extend",
    )
    group.add_argument(
        "--held-out",
        type=file_name,
        metavar="FILE",
        help="count its tokens with 1/8, 1/4, 1/2 and all of the new pieces",
    )
    group = parser.add_argument_group("which pieces stay")
    group.add_argument(
        "--prune-for", type=file_name, metavar="FILE", help="the text that the model must still write well", **several
    )
    group.add_argument("--keep", action="append", metavar="PIECE", help="this piece stays; may be repeated")
    group.add_argument(
        "--scripts", action="append", metavar="SCRIPT", help="pieces without a letter of another script stay"
    )
    group.add_argument(
        "--keep-texts", type=file_name, metavar="FILE", help="texts whose pieces stay, so that their ids do", **several
    )
    group.add_argument(
        "--chat-template", type=file_name, metavar="FILE", help="a Jinja template: the pieces of what it writes stay"
    )
    group.add_argument(
        "--exactly",
        action="store_true",
        help="any piece may go: it becomes an unused piece after all others, and then falls into its parts (bpe)",
    )
    group = parser.add_argument_group("add, claim")
    group.add_argument("--pieces", type=file_name, metavar="FILE", help="add the lines of this file, too")
    group.add_argument(
        "--control",
        action=BooleanOptionalAction,
        help="special tokens that no text becomes; --no-control: they match wherever a text has them [yes for claim]",
    )
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_reading(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    action = files[0] if files else ""
    if action not in ACTIONS:
        known = ", ".join(ACTIONS)
        what = (
            f"{action!r} is not one of {known}{nearest(action, list(ACTIONS))}" if files else f"say what to do: {known}"
        )
        raise UsageError(f"{what} (see '{PROGRAM} edit --help')")
    check_options(options, action, files)
    outputs = [path for path in (options.output, options.map) if path is not None]
    if len({*outputs}) < len(outputs):
        raise UsageError(f"-o {options.output} and --map {options.map} name the same file: one would replace the other")
    inputs = files[2:] if action not in NAMING else []
    inputs += [path for _, path in options.text or ()]
    for several in (options.protect, options.prune_for, options.keep_texts):
        inputs += several or []
    inputs += filter(None, [options.held_out, options.chat_template, options.pieces])
    refuse_inputs(outputs, [files[1], *inputs])
    if inputs.count("-") > 1:
        raise UsageError("- is named twice, and standard input can be read once: name files")
    taken = next((name for name, _ in options.text or () if name in (NEW_TEXT, PRUNED_TEXT, "text")), None)
    if taken is not None:
        raise UsageError(f"--text {taken}=...: the report calls another text so; choose another name")
    for path in outputs:
        if descriptor(path) is None and path != "-":
            check_target(path)  # now, not after the work
    return change(options, action, files[1], files[2:])


def check_options(options: Namespace, action: str, files: list[str]) -> None:
    """Raise UsageError for a missing part of an action, or for an option of another action."""
    given = {name for names in OPTIONS.values() for name in names if getattr(options, name) not in (None, False)}
    given |= {"control"} if options.control is False else set()
    wrong = sorted(given - OPTIONS[action])
    if wrong:
        takers = ", ".join(name for name, names in OPTIONS.items() if wrong[0] in names)
        raise UsageError(f"--{wrong[0].replace('_', '-')} is an option of {takers}, not of {action}: leave it out")
    limit = next((name for name in LIMITS if getattr(options, name) is not None), None)
    if action == "prune" and limit is not None and len(files) == 2:
        raise UsageError(f"--{limit.replace('_', '-')} goes by the tokens of a text: name a TEXT after the model")
    keeps = action == "prune" and any(getattr(options, name) for name in KEEPING)
    is_missing = (
        len(files) < (2 if keeps or options.pieces else 3)
        or (action in ("extend", "replace") and options.n_new is None)
        or (action == "replace" and not options.prune_for)
        or (action == "merge" and len(files) != 3)
    )
    if is_missing:
        needs, example = ACTIONS[action]
        raise UsageError(f"edit {action} takes {needs}, as in '{PROGRAM} edit {example}' (see '{PROGRAM} edit --help')")


def change(options: Namespace, action: str, model: str, files: list[str]) -> int:
    """Change the model, report, and write the model and the map."""
    from spm_lite.cli.edit_report import report_of, why_there
    from spm_lite.files.corpus import FILES, open_source
    from spm_lite.files.read_options import as_reading

    tok, reading = load_model(options, model), read_options(vars(options))
    how = as_reading(reading)
    with ExitStack() as stack:

        def opened(paths: list[str]) -> Source:
            """Files by their names, which are no texts."""
            return open_source(stack.enter_context(real_files(paths)), how, FILES)

        texts: dict[str, Any] = {}
        if action in ("extend", "prune", "replace"):
            own = NEW_TEXT if action != "prune" else "text"
            if files:
                texts[own] = opened(files)
            if options.prune_for:
                texts[PRUNED_TEXT] = opened(options.prune_for)
            made: Any = by_text(options, action, tok, texts, opened, reading)
        else:
            made = by_names(options, action, tok, files)
        texts |= {name: opened(paths) for name, paths in named_texts(options).items()}
        found = report_of(tok, made.tokenizer, made.map, texts)
    if action == "extend" and made.curve:
        found["curve"] = made.curve
    if options.reasons:
        found["reasons"] = why_there(made)
    write_report(options, found)
    write_files(options, made.tokenizer, made.map)
    return 0


def named_texts(options: Namespace) -> dict[str, list[str]]:
    """The files of each text of --text by its name."""
    texts: dict[str, list[str]] = {}
    for name, path in options.text or ():
        texts.setdefault(name, []).append(path)
    return texts


def by_text(
    options: Namespace,
    action: str,
    tok: Tokenizer,
    texts: dict[str, Any],
    opened: Callable[[list[str]], Source],
    reading: dict[str, Any],
) -> Extended | Revised:
    """What learns from text, or counts it."""
    others = {"n_new", "only", "chat_template", "held_out", "prune_for", *TEXT_OPTIONS}
    names = OPTIONS[action] - others | {"num_threads"}
    given = {name: getattr(options, name) for name in names if getattr(options, name) not in (None, False)}
    given |= {name: opened(getattr(options, name)) for name in TEXT_OPTIONS & OPTIONS[action] if getattr(options, name)}
    if options.only:
        given["only"] = one_or_all(options.only)
    if action == "extend":
        if options.held_out:
            given["held_out"] = opened([options.held_out])
        with ProgressBar(options.quiet) as bar:
            return tok.extend(texts[NEW_TEXT], options.n_new, progress=bar.measured, **given, **reading)
    if action == "replace":
        return tok.replace(texts[NEW_TEXT], options.n_new, prune_for=texts[PRUNED_TEXT], **given, **reading)
    if options.chat_template:
        given["keep_chat_template"] = options.chat_template
    return tok.prune(options.n_new, source=texts.get("text"), **given, **reading)


def by_names(options: Namespace, action: str, tok: Tokenizer, names: list[str]) -> Revised:
    """What goes by another model, or by names of pieces."""
    if action == "add":
        return added(options, tok, names)
    if action == "merge":
        import spm_lite

        other = load_model(options, names[0])
        return spm_lite.merge(tok, other, n=options.n_new, only=one_or_all(options.only))
    if action == "claim":
        return tok.claim_unused(names, control=options.control is not False)
    pairs = [(old, new) for old, _, new in (name.partition("=") for name in names)]
    wrong = next((name for name, pair in zip(names, pairs, strict=True) if not all(pair)), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is no pair of names: write OLD=NEW, as in '<old>=<new>'")
    olds = [old for old, _ in pairs]
    twice = next((old for i, old in enumerate(olds) if old in olds[:i]), None)
    if twice is not None:
        raise UsageError(f"{twice!r} is given two new names: leave one out")
    return tok.rename(dict(pairs))


def added(options: Namespace, tok: Tokenizer, pieces: list[str]) -> Revised:
    """User-defined or control pieces at the end."""
    from spm_lite.cli.options.training_options import read_lines
    from spm_lite.tokenizer.lone_pieces import map_of_appended
    from spm_lite.tokenizer.results import Revised

    if options.pieces:
        pieces = [*pieces, *read_lines(options.pieces)]
    control = bool(options.control)
    made = tok.add_pieces(pieces, control=control)
    reasons = ["control piece" if control else "user-defined piece"] * len(pieces)
    change = map_of_appended(tok, made, reasons)
    return Revised(made, change, {i: one.why for i, one in change.grown.items()})


def one_or_all(values: list[str] | None) -> Any:
    """A single value by itself: "new" and "all" are no list."""
    return values[0] if values and len(values) == 1 else values


def write_report(options: Namespace, found: dict[str, Any]) -> None:
    """Write the report before anything else: to standard output, or beside the model or the map that goes there."""
    from spm_lite.cli.edit_report import shown

    write = say if "-" in (options.output, options.map) else write_text
    if options.json:
        write(safe_json(json.dumps(found, indent=2)) + "\n")
    elif not options.quiet:
        write(shown(found, write is write_text and is_terminal(sys.stdout)))


def write_files(options: Namespace, tok: Tokenizer, change: VocabMap) -> None:
    """Write the model and the map where they were asked for."""
    for path, data in ((options.map, change.to_json().encode()), (options.output, tok.to_bytes())):
        if path is not None:
            with open_output(path) as out:
                out.write(data)
    if options.output not in (None, "-") and not options.quiet:
        say(f"wrote {options.output}{f' and {options.map}' if options.map else ''}\n")
