"""`spm-lite explain`: why a text is cut into its pieces, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.commands.show_command import texts_of
from spm_lite.cli.options.other_flags import quoted
from spm_lite.cli.options.parsing import (
    CommandParser,
    UsageError,
    add_common,
    add_model,
    add_output,
    load_model,
    positive_int,
)
from spm_lite.cli.outputs import open_output, refuse_inputs
from spm_lite.pictures.explanation import MOST_CHARACTERS, OTHER_PICTURES, PICTURES, explain, no_picture

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Explain why each TEXT is split as it is; without TEXT, each line of standard input. A sentence says why. BPE is
shown merge by merge, and WordPiece match by match. Unigram is shown with its best path, the paths that come next,
and their scores."""

EPILOG = """\
examples:
  spm-lite explain m.model tokenizers
  spm-lite explain m.model tokenizers -o steps.svg
"""


def make_parser() -> CommandParser:
    parser = CommandParser("explain", "MODEL [TEXT...] [options]", DESCRIPTION, EPILOG)
    parser.takes_texts = True
    add_model(parser)
    parser.add_argument(
        "--limit", type=positive_int, default=MOST_CHARACTERS, metavar="N",
        help=f"characters of a text to explain [{MOST_CHARACTERS}]",
    )  # fmt: skip
    parser.add_argument(
        "--rivals", type=positive_int, default=3, metavar="N", help="unigram: paths to show after the best one [3]"
    )
    parser.add_argument("--svg", action="store_true", help="write a picture of one TEXT, as SVG")
    add_output(parser, "; a picture of one TEXT if it ends in .svg or .html")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    name = (options.output or "").lower()
    ending = ".svg" if options.svg else next((kind for kind in PICTURES if name.endswith(kind)), "")
    if options.svg and len(files) > 1 and files[-1].lower().endswith(tuple(PICTURES)):
        raise UsageError(f"--svg takes no name of a file: write -o {quoted(files[-1])}")
    if name.endswith(OTHER_PICTURES):
        raise no_picture(options.output)
    if ending and len(files) != 1:
        cause = "--svg writes" if options.svg else f"-o {options.output} holds"
        raise UsageError(f"{cause} a picture of one TEXT, not of {len(files)}")
    if options.output is not None:
        refuse_inputs([options.output], [options.model])
    tok = load_model(options, options.model)
    with open_output(options.output) as out:
        for number, text in enumerate(texts_of(files)):
            explanation = explain(tok, as_str(text), options.limit, options.rivals)
            shown = explanation._picture(ending) if ending else "\n" * bool(number) + f"{explanation}\n"
            out.write(shown.encode("utf-8", "backslashreplace"))
            out.flush()
    return 0


def as_str(text: bytes) -> str | bytes:
    """The text as str, whose limits are in characters; bytes that are not UTF-8 stay as they are."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text
