"""`spm-lite normalize`: each line as the rules of a model change it before it is cut into pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.options.document_options import add_document_options, reading_of
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_model,
    add_output,
    load_model,
)
from spm_lite.cli.outputs import refuse_inputs
from spm_lite.cli.streams import convert_lines
from spm_lite.files.read_options import PARAGRAPHS, WHOLE_FILES
from spm_lite.normalize.rules.rule_sets import OVERVIEW, RULE_SETS, UNICODE_FORMS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

DESCRIPTION = f"""\
Write text, line by line, as a model normalizes it before cutting it into pieces. With --rules, apply a rule set
instead. ▁ is a space. FILE may be a folder, or a pattern such as 'part-*.txt'. '-' or no FILE is
standard input.

Rule sets: {OVERVIEW}."""

COMMON = {"model", "rules", "spaces", "output", "separator", "whole_files", "column", "quiet"}
WRITTEN = {WHOLE_FILES: b"\n", PARAGRAPHS: b"\n\n"}  # after a document, in place of a separator


def make_parser() -> CommandParser:
    parser = CommandParser("normalize", "(MODEL | --rules NAME) [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser, unless="rules")
    parser.add_argument("--rules", choices=RULE_SETS, metavar="NAME", help="a rule set instead of a model")
    parser.add_argument("--spaces", action="store_true", help="write spaces as spaces, not as ▁")
    add_output(parser)
    add_document_options(parser, reads_records=True, keeps_bytes=True)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if options.model is not None and options.rules is not None:
        raise UsageError(f"--model and --rules contradict each other: give one (see '{PROGRAM} normalize --help')")
    reading = reading_of(vars(options), keeps_bytes=True)
    if options.output is not None and options.model is not None:
        refuse_inputs([options.output], [options.model])
    normalize = function_of(options)
    as_spaces = options.spaces

    def convert(documents: list[bytes], *_: object) -> list[bytes]:
        texts = list(map(normalize, documents))
        return [text.replace("\u2581".encode(), b" ") for text in texts] if as_spaces else texts

    convert_lines(
        files, options.output, convert, "normalize", options.quiet, reading,
        write_separator=WRITTEN.get(reading.separator, reading.separator),
    )  # fmt: skip
    return 0


def function_of(options: Namespace) -> Callable[[bytes], bytes]:
    """What normalizes one text, by the rules of the model or of the rule set."""
    if options.model is not None:
        return load_model(options, options.model)._encoder.normalize
    from spm_lite.normalize.from_settings import make_normalizer
    from spm_lite.normalize.rules.named_rules import charsmap_of
    from spm_lite.specs import NormalizerSpec

    form = UNICODE_FORMS.get(options.rules, "")
    spec = NormalizerSpec(options.rules, b"" if form else charsmap_of(options.rules), False, False, unicode_form=form)
    normalizer = make_normalizer(spec)
    return lambda text: normalizer.normalize(text, False)
