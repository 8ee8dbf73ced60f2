"""`spm-lite edit`: change a vocabulary, with a report of the price before anything is written."""

from __future__ import annotations

import json
import sys
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

    from spm_lite.files.documents import Source
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.vocab_map import VocabMap

DESCRIPTION = """\
Change the vocabulary of a model. The report says first what the change costs: tokens before and after, texts whose
ids change, dead pieces (their own text does not give them), size. Without -o and --map nothing else is written.

  extend MODEL TEXT... -n N   learn N further pieces from text; all old ids stay"""

EPILOG = f"""\
examples:
  {PROGRAM} edit extend m.model new.txt -n 2k --only Khmer           # the report alone
  {PROGRAM} edit extend m.model new.txt -n 2k -o more.model --map id_remap.json --text en=en.txt
"""
COMMON = {"n_new", "output", "map", "only", "text", "json", "quiet"}
ACTIONS = ("extend",)
NEW_TEXT = "new text"  # what the report calls the text to learn from


def make_parser() -> CommandParser:
    parser = CommandParser("edit", "ACTION MODEL [TEXT...] [options]", DESCRIPTION, EPILOG, COMMON)
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", type=file_name, metavar="FILE", help="write the new model")
    group.add_argument("--map", type=file_name, metavar="FILE", help="write the map of ids for embeddings, as JSON")
    group.add_argument("--json", action="store_true", help="write the report as JSON, for programs")
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "metavar": "NAME=FILE"}
    group.add_argument(
        "--text",
        type=named_value,
        help="compare the ids of this text too; FILE may be a folder or a pattern",
        **several,
    )
    group = parser.add_argument_group("extend")
    group.add_argument("-n", "--n-new", type=positive_int, metavar="N", help="the number of new pieces")
    group.add_argument(
        "--only",
        action="append",
        metavar="SCRIPT",
        help="each new piece has a letter of this script, such as Thai; new: scripts that the model lacks; all: any. "
        "May be repeated [new for unigram models, all for others]",
    )
    group.add_argument(
        "--protect",
        nargs="+",
        action="extend",
        type=file_name,
        metavar="FILE",
        help="text whose ids must stay; for bpe models",
    )
    group.add_argument("--min-count", type=positive_int, metavar="N", help="occurrences of a new piece, at least [2]")
    group.add_argument(
        "--max-length", type=positive_int, metavar="N", help="characters of a new piece, at most [as in the model]"
    )
    group.add_argument(
        "--coverage", type=number, metavar="P", help="share of the characters that are pieces in the end [0.9995]"
    )
    group.add_argument(
        "--held-out",
        type=file_name,
        metavar="FILE",
        help="count its tokens with 1/8, 1/4, 1/2 and all of the new pieces",
    )
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_reading(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    action = files[0] if files else ""
    if action not in ACTIONS:
        hint = nearest(action, list(ACTIONS))
        what = f"{action!r} is not one of {', '.join(ACTIONS)}{hint}" if files else f"say what to do: {ACTIONS[0]}"
        raise UsageError(f"{what} (see '{PROGRAM} edit --help')")
    if len(files) < 3 or options.n_new is None:
        raise UsageError(
            f"edit {action} takes a MODEL, at least one TEXT, and -n, the number of new pieces, as in "
            f"'{PROGRAM} edit extend m.model new.txt -n 1k' (see '{PROGRAM} edit --help')"
        )
    outputs = [path for path in (options.output, options.map) if path is not None]
    if len({*outputs}) < len(outputs):
        raise UsageError(f"-o {options.output} and --map {options.map} name the same file: one would replace the other")
    named = [path for _, path in options.text or ()]
    inputs = [*files[2:], *named, *(options.protect or ()), *([options.held_out] if options.held_out else ())]
    refuse_inputs(outputs, [files[1], *inputs])
    if inputs.count("-") > 1:
        raise UsageError("- is named twice, and standard input can be read once: name files")
    if NEW_TEXT in dict(options.text or ()):
        raise UsageError(f"--text {NEW_TEXT}=...: the report calls the TEXT after the model so; choose another name")
    for path in outputs:
        if descriptor(path) is None and path != "-":
            check_target(path)  # now, not after the work
    return extend(options, files[1], files[2:])


def extend(options: Namespace, model: str, files: list[str]) -> int:
    """Learn further pieces, report, and write the model and the map."""
    from spm_lite.cli.edit_report import report_of
    from spm_lite.files.corpus import FILES, open_source
    from spm_lite.files.read_options import as_reading

    tok, reading = load_model(options, model), read_options(vars(options))
    names = ("min_count", "max_length", "coverage", "num_threads")
    given: dict[str, Any] = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.only:
        given["only"] = options.only[0] if len(options.only) == 1 else options.only
    with ExitStack() as stack:

        def opened(paths: list[str]) -> Source:
            """Files by their names, which are no texts."""
            return open_source(stack.enter_context(real_files(paths)), as_reading(reading), FILES)

        named: dict[str, list[str]] = {NEW_TEXT: files}
        for name, path in options.text or ():
            named.setdefault(name, []).append(path)
        texts: dict[str, Any] = {name: opened(paths) for name, paths in named.items()}
        if options.protect:
            given["protect"] = opened(options.protect)
        if options.held_out:
            given["held_out"] = opened([options.held_out])
        with ProgressBar(options.quiet) as bar:
            made = tok.extend(texts[NEW_TEXT], options.n_new, progress=bar.measured, **given, **reading)
        found = report_of(tok, made.tokenizer, made.map, texts)
    if made.curve:
        found["curve"] = made.curve
    write_report(options, found)
    write_files(options, made.tokenizer, made.map)
    return 0


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
