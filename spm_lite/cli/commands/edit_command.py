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
from spm_lite.cli.outputs import check_target, descriptor, open_output, refuse_inputs
from spm_lite.cli.streams import real_files
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from spm_lite.tokenizer.results import Extended, Revised
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab_map import VocabMap

DESCRIPTION = """\
Change the vocabulary of a model. The report says first what the change costs: tokens before and after, texts whose
ids change, dead pieces, size. Without -o nothing is written.

  extend MODEL TEXT... -n N    learn N further pieces from text; all old ids stay
  prune MODEL TEXT... -n N     keep the N pieces that the text needs most; without -n, those that it uses
  replace MODEL TEXT... -n N   learn N pieces in place of those that the text of --prune-for needs least
  merge MODEL OTHER            add the pieces of another model
  rename MODEL OLD=NEW...      give special pieces other names; all ids stay
  claim MODEL NAME...          make special tokens of spare pieces, such as <unused0>; all ids stay"""

EPILOG = f"""\
examples:
  {PROGRAM} edit extend m.model new.txt -n 2k --only Khmer           # the report alone
  {PROGRAM} edit extend m.model new.txt -n 2k -o more.model --map id_remap.json --text en=en.txt
  {PROGRAM} edit prune m.model en.txt de.txt -n 16k -o less.model --map id_remap.json
"""
COMMON = {"n_new", "output", "map", "only", "prune_for", "text", "json", "quiet"}
ACTIONS = {  # name -> (what it takes, an example)
    "extend": ("a MODEL, at least one TEXT, and -n, the number of new pieces", "extend m.model new.txt -n 1k"),
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
OPTIONS = {  # action -> the options that it takes, beside those of the output
    "extend": {"n_new", "only", "protect", "min_count", "max_length", "coverage", "held_out"},
    "prune": {"n_new", "min_count", "coverage", "keep", "scripts", "keep_texts", "chat_template", "exactly"},
    "replace": {"n_new", "only", "min_count", "prune_for", "keep"},
    "merge": {"n_new", "only"},
    "rename": set(),
    "claim": {"control"},
}
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
    group.add_argument("--protect", type=file_name, metavar="FILE", help="text whose ids must stay", **several)
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
    group = parser.add_argument_group("claim")
    group.add_argument(
        "--control",
        action=BooleanOptionalAction,
        help="special tokens that no text becomes; --no-control: they match wherever a text has them [yes]",
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
    others = [path for _, path in options.text or ()] + [options.held_out or "", options.chat_template or ""]
    for several in (options.protect, options.prune_for, options.keep_texts):
        others += several or []
    refuse_inputs(outputs, [*(files[1:2] if action in ("rename", "claim") else files[1:]), *filter(None, others)])
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
    keeps = action == "prune" and any(getattr(options, name) for name in KEEPING)
    is_missing = (
        len(files) < (2 if keeps else 3)
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
    from spm_lite.files.read_options import as_reading

    tok, reading = load_model(options, model), read_options(vars(options))
    texts: dict[str, list[str]] = {}
    for name, path in options.text or ():
        texts.setdefault(name, []).append(path)
    with ExitStack() as stack:
        if action in ("extend", "prune", "replace"):
            paths = stack.enter_context(real_files(files)) if files else []
            with ProgressBar(options.quiet) as bar:
                made: Any = by_text(options, action, tok, paths, bar, reading)
            own = {"new text" if action != "prune" else "text": paths} if paths else {}
            texts = {**own, **({"prune-for": options.prune_for} if options.prune_for else {}), **texts}
        else:
            made = by_names(options, action, tok, files)
        found = report_of(tok, made.tokenizer, made.map, texts, as_reading(reading))
    if action == "extend" and made.curve:
        found["curve"] = made.curve
    if options.reasons:
        found["reasons"] = why_there(made)
    write_report(options, found)
    write_files(options, made.tokenizer, made.map)
    return 0


def by_text(
    options: Namespace, action: str, tok: Tokenizer, paths: Any, bar: ProgressBar, reading: Mapping[str, Any]
) -> Extended | Revised:
    """What learns from text, or counts it."""
    names = OPTIONS[action] - {"n_new", "only", "chat_template"} | {"num_threads"}
    given = {name: getattr(options, name) for name in names if getattr(options, name) not in (None, False)}
    if options.only:
        given["only"] = one_or_all(options.only)
    if action == "extend":
        return tok.extend(paths, options.n_new, progress=bar.measured, **given, **reading)
    if action == "replace":
        return tok.replace(paths, options.n_new, **given, **reading)
    if options.chat_template:
        given["keep_chat_template"] = options.chat_template
    return tok.prune(options.n_new, source=paths or None, **given, **reading)


def by_names(options: Namespace, action: str, tok: Tokenizer, names: list[str]) -> Revised:
    """What goes by another model, or by names of pieces."""
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
    return tok.rename(dict(pairs))


def one_or_all(values: list[str] | None) -> Any:
    """A single value by itself: "new" and "all" are no list."""
    return values[0] if values and len(values) == 1 else values


def write_report(options: Namespace, found: dict[str, Any]) -> None:
    """Write the report to standard output, before anything else is written."""
    from spm_lite.cli.edit_report import shown

    if options.json:
        write_text(safe_json(json.dumps(found, indent=2)) + "\n")
    elif not options.quiet:
        write_text(shown(found, is_terminal(sys.stdout)))


def write_files(options: Namespace, tok: Tokenizer, change: VocabMap) -> None:
    """Write the model and the map where they were asked for."""
    for path, data in ((options.map, change.to_json().encode()), (options.output, tok.to_bytes())):
        if path is not None:
            with open_output(path) as out:
                out.write(data)
    if options.output not in (None, "-") and not options.quiet:
        say(f"wrote {options.output}{f' and {options.map}' if options.map else ''}\n")
