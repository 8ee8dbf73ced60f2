"""`spm-lite audit`: judges tokenizers: figures on texts, faults of vocabularies, and which one is better."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spm_lite.cli.console import is_terminal, say, shown_notes, write_text
from spm_lite.cli.options.document_options import add_document_options, read_options
from spm_lite.cli.options.mistaken_inputs import text_explained
from spm_lite.cli.options.other_flags import without_settings
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_reading,
    add_threads,
    file_name,
    load_models,
    positive_int,
    reading_options,
    whole_number,
)
from spm_lite.cli.options.source_options import named_value, numbers_of
from spm_lite.cli.outputs import check_target, descriptor, open_output, refuse_inputs
from spm_lite.errors import FileError, ModelError, OptionError, SpmLiteError
from spm_lite.files.open_files import read_bytes
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spm_lite.evaluation.audit_result import Audit
    from spm_lite.vocab.vocab_map import VocabMap

DESCRIPTION = """\
Judge tokenizers: find pieces that no text can give, measure how well texts and languages are split, and
say which tokenizer is better. A MODEL is a tokenizer file of any format, a folder, or tiktoken:NAME. NAME=MODEL
gives it another name in the report. Without texts, only the vocabularies are judged. Use text that no
tokenizer was trained on."""

EPILOG = f"""\
examples:
  {PROGRAM} audit m.model                                            # the vocabulary alone
  {PROGRAM} audit a.model b.model --text en=en.txt de=de.txt --html report.html
  {PROGRAM} audit a.model b.model --parallel eng=eng.txt jpn=jpn.txt --reference eng
  {PROGRAM} audit m.model --text de=de.txt --require "unreachable<=0" --require "de.fertility<1.8"
"""
COMMON = {"text", "parallel", "reference", "html", "json", "require", "baseline", "num_threads", "quiet"}
FAILED = 1  # exit code


def make_parser() -> CommandParser:
    parser = CommandParser("audit", "MODEL [MODEL...] [options]", DESCRIPTION, EPILOG, COMMON)
    group = parser.add_argument_group("texts")
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "type": named_value, "metavar": "NAME=FILE"}
    group.add_argument("--text", help="texts of one language or kind; FILE may be a folder or a pattern", **several)
    group.add_argument("--parallel", help="files of translations: line i says the same in each", **several)
    group.add_argument("--reference", metavar="NAME", help="the language that the others are compared with [eng or en]")
    group.add_argument(
        "--weight",
        help="the share of a text in a mixture, in proportion to the other weights; the mixture is judged too",
        **{**several, "metavar": "NAME=W"},
    )
    group.add_argument(
        "--words",
        help="the words of a text, one in a line, for the share of words that are one token [what is between spaces]",
        **several,
    )
    group.add_argument(
        "--train",
        help="text to train the n-gram models on, which no tokenizer was trained on [four fifths of each text]",
        **several,
    )
    group.add_argument(
        "--document",
        metavar="KIND",
        help="which texts belong together: blank-line, file, or the name of a column [each is alone]",
    )
    add_document_options(parser, reads_records=True)
    add_reading(parser)
    group = parser.add_argument_group("n-gram models")
    group.add_argument(
        "--orders", type=orders, metavar="LIST", help="orders of the n-gram models: 1, 2 or 3; none: no models [2,3]"
    )
    group.add_argument("--ngram-bytes", type=positive_int, metavar="N", help="use the first N bytes of a text [all]")
    group.add_argument(
        "--seed", type=whole_number, default=0, metavar="N", help="seed of the random draws for intervals [0]"
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "--html",
        type=file_name,
        metavar="FILE",
        help="also write the report as an HTML page; '-': to standard output, instead of the report",
    )
    group.add_argument(
        "--json",
        type=file_name,
        metavar="FILE",
        help="also write all figures; '-': to standard output, instead of the report",
    )
    group.add_argument(
        "--require",
        action="append",
        metavar="RULE",
        help='[TOKENIZER:][TEXT.]FIGURE OP NUMBER, such as "unreachable<=0"; exit code 1 if not met. May be repeated',
    )
    group.add_argument(
        "--baseline",
        type=file_name,
        metavar="FILE",
        help="JSON of an earlier audit: show which figures differ by more than their error",
    )
    group.add_argument(
        "--map",
        type=file_name,
        metavar="FILE",
        help="with --baseline: the map of ids from a change of the vocabulary, which says why its size differs",
    )
    add_threads(parser)
    add_common(parser)
    return parser


def orders(text: str) -> tuple[int, ...]:
    """The type of --orders."""
    if text == "none":
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of 1, 2 and 3, such as 2,3") from None


def run(options: argparse.Namespace, files: list[str]) -> int:
    if not files:
        raise UsageError(f"name at least one model, as in '{PROGRAM} audit m.model' (see '{PROGRAM} audit --help')")
    tokenizers = named_models(files)
    texts, parallel, train = (by_name(getattr(options, name), name) for name in ("text", "parallel", "train"))
    weights = numbers_of(options.weight, "--weight")
    words = by_name(options.words, "words")
    sources = [path for option in ("text", "parallel", "train") for _, path in getattr(options, option) or ()]
    if options.map is not None and options.baseline is None:
        raise UsageError("--map says what a change did to ids: give --baseline too, the audit before the change")
    sources += [path for _, path in options.words or ()]
    inputs = [*tokenizers.values(), *expanded(sources), *filter(None, [options.baseline, options.map])]
    outputs = [path for path in (options.html, options.json) if path is not None]
    if len(outputs) == 2 and place_of(options.html) == place_of(options.json):
        raise UsageError(
            f"--html {options.html} and --json {options.json} name the same file: one would replace the other"
        )
    check_outputs(outputs, inputs)
    check_rules(options.require or ())

    import spm_lite

    toks = with_options(tokenizers, options)
    words = {name: lines_of(files) for name, files in (words or {}).items()} or None
    before = spm_lite.Audit.load(options.baseline) if options.baseline is not None else None
    change = None if options.map is None else read_map(options.map)
    settings = {} if options.orders is None else {"orders": options.orders}
    explained, notes = text_explained("audit", tokenizers.values()), shown_notes(options.quiet, "audit")
    with explained, notes, ProgressBar(options.quiet) as bar:
        report = spm_lite.audit(
            toks, texts, parallel=parallel, reference=options.reference, weights=weights, train=train, words=words,
            document=options.document, ngram_bytes=options.ngram_bytes, **read_options(vars(options)),
            num_threads=options.num_threads, seed=options.seed, progress=bar.measured, **settings,
        )  # fmt: skip
    write(report, options)
    if before is not None:
        changed = {} if change is None else {name_of_changed(change, before, report, toks): change}
        write_changes(report, before, changed, "-" in (options.html, options.json))
    try:
        unmet = report.unmet(*options.require or ())
    except OptionError as error:  # a name that is in no report; what was found is written
        raise UsageError(str(error)) from None
    for failure in unmet:
        say(f"{PROGRAM}: {failure}\n")
    return FAILED if unmet else 0


def read_map(path: str) -> VocabMap:
    """The map in a file. Raises ModelError, naming the file, for another content."""
    import spm_lite

    try:
        return spm_lite.VocabMap.from_json(read_bytes(path))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def lines_of(files: str | list[str]) -> list[str]:
    """The words in some files, one in a line. Raises FileError for a file that has none."""
    paths = [files] if isinstance(files, str) else files
    words = [line.strip() for path in paths for line in read_bytes(path).decode(errors="replace").splitlines()]
    if not any(words):
        raise FileError(0, "has no words: write one in each line", paths[0])
    return [word for word in words if word]


def expanded(paths: Sequence[str]) -> Iterator[str]:
    """The files that paths, folders and patterns name; what cannot be read stays as it is, for the audit to report."""
    from spm_lite.files.paths import expand

    for path in paths:
        try:
            yield from map(str, expand(path, path))
        except SpmLiteError:
            yield path


def place_of(path: str) -> int | str:
    """The open file that an output names, or the path that all names of a file have in common."""
    number = 1 if path == "-" else descriptor(path)
    return os.path.normcase(os.path.realpath(path)) if number is None else number


def check_rules(rules: Sequence[str]) -> None:
    """Raise UsageError for a requirement of another form, before any work is done."""
    from spm_lite.evaluation.requirements import parts_of

    try:
        for rule in rules:
            parts_of(rule)
    except OptionError as error:
        raise UsageError(str(error)) from None


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Raise an error now for files that could not be written after the work, or would replace an input."""
    files = [path for path in outputs if path != "-"]
    refuse_inputs(files, inputs)
    for path in files:
        if descriptor(path) is None:
            check_target(path)


def write(report: Audit, options: argparse.Namespace) -> None:
    """Write the page, the figures and the report where they were asked for."""
    for path, made in ((options.html, report.to_html), (options.json, report.to_json)):
        if path is not None:
            with open_output(path) as out:
                out.write(made().encode("utf-8", "surrogatepass"))
    if "-" in (options.html, options.json):
        return
    from spm_lite.cli.tables import width_of_output
    from spm_lite.evaluation.report.audit_terminal import text_report

    on_terminal = is_terminal(sys.stdout)
    text = text_report(report._data, width_of_output(on_terminal), on_terminal and not os.environ.get("NO_COLOR"))
    write_text(without_settings(text) + "\n")


def write_changes(report: Audit, before: Audit, changed: Mapping[str, VocabMap], is_aside: bool) -> None:
    """Write which figures have moved since an earlier audit by more than their errors.

    changed: what was done to a vocabulary, by its name; its new size is what was asked for. is_aside: to standard
    error, because standard output has the page or the figures.
    """
    from spm_lite.printable import visible

    moved = [one for one in report.changes_since(before) if one.figure != "size" or one.tokenizer not in changed]
    found = [f"the ids, as the map says: {change!r}" for change in changed.values()]
    found += [visible(str(one)) for one in moved]
    lines = ["", "Moved since the baseline:", *found] if found else ["", "Nothing has moved since the baseline."]
    (say if is_aside else write_text)("\n".join(lines) + "\n")


def name_of_changed(change: VocabMap, before: Audit, after: Audit, toks: Mapping[str, Any]) -> str:
    """The name of the tokenizer that changed as a map says. Raises UsageError if there is none."""
    old, new = (
        {str(name): one["size"] for name, one in audit._data["tokenizers"].items()} for audit in (before, after)
    )
    for name in [name for name in old if name in new]:
        size = new[name] if new[name] <= change.n_new else size_in_use(toks[name])
        if (old[name], size) == (change.n_old, change.n_new):
            return str(name)
    raise UsageError(
        f"the map is from {change.n_old:,} ids to {change.n_new:,}, and no tokenizer of this name changed so: "
        "name the tokenizer as in the earlier audit, NAME=MODEL"
    )


def size_in_use(tok: Any) -> int:
    """The ids of a model without the unused pieces at its end, which are in no map. tok: a Tokenizer, or its file."""
    import spm_lite

    made = spm_lite.load(tok) if isinstance(tok, str) else tok
    size: int = made.vocab_size
    while size and made.piece_type(size - 1) == "unused":
        size -= 1
    return size


def named_models(files: list[str]) -> dict[str, str]:
    """The models by name: that before a "=", or that of the file."""
    from spm_lite.evaluation.figures.audit_sources import is_file

    found: dict[str, str] = {}
    for file in files:
        name, sign, path = file.partition("=")
        if not sign or is_file(file):
            name, path = stem(file), file
        if os.path.isdir(path):  # noqa: PTH112
            check_folder(path)
        add_model(found, name, path)
    return found


def check_folder(path: str) -> None:
    """Raise UsageError for a folder that holds no tokenizer: it may be one of texts."""

    from spm_lite.tokenizer.loading import opened

    try:
        opened(path)
    except FileError as error:
        raise UsageError(
            f"{path} is a folder that {error.strerror}. Name the model in it, or text as in --text NAME={path}"
        ) from None


def with_options(models: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    """The models by name; as tokenizers if an option says how their files are read."""
    if not reading_options(options) and not options.allow:
        return {**models}
    paths = {name: path for name, path in models.items() if not path.startswith("tiktoken:")}
    if reading_options(options):
        return {**models, **dict(zip(paths, load_models(options, list(paths.values())), strict=True))}
    found: dict[str, Any] = {**models}
    for name, path in paths.items():
        with suppress(ModelError):  # another program may read it: the audit looks for one
            (found[name],) = load_models(options, [path])
    return found


def add_model(found: dict[str, str], name: str, path: str) -> None:
    """Enter a model's path into `found`. Raises UsageError for a second one of that name."""
    if name in found:
        raise UsageError(f"two models are named {name}: give one another name, as in NAME={path}")
    found[name] = path


def stem(file: str) -> str:
    """The name of a model by its file, or by its name in tiktoken."""
    from spm_lite.evaluation.audit_texts import own_name

    return own_name(file) or file


def by_name(pairs: list[tuple[str, str]] | None, option: str) -> dict[str, str | list[str]] | None:
    """The files of each text, one as a str; None: no text."""
    if not pairs:
        return None
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        if path == "-":
            raise UsageError(f"--{option} {name}=-: a text is a file, not standard input")
        found.setdefault(name, []).append(path)
    return {name: paths[0] if len(paths) == 1 else paths for name, paths in found.items()}
