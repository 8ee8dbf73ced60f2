"""`spm-lite explain`: why a text is cut into its pieces, step by step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spm_lite.cli.commands.show_command import texts_of
from spm_lite.cli.console import write_text
from spm_lite.cli.options.parsing import CommandParser, UsageError, add_common, add_model, load_model, positive_int
from spm_lite.cli.tables import fitted_rows
from spm_lite.pictures.explanation import MOST_CHARACTERS, Explanation, explain

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Explain why each TEXT is split as it is; without TEXT, each line of standard input. BPE is shown merge by
merge, and WordPiece match by match. Unigram is shown with its best path, the paths that come next, and their scores."""

EPILOG = """\
examples:
  spm-lite explain m.model tokenizers
  spm-lite explain m.model --svg tokenizers > steps.svg
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
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if options.svg and len(files) != 1:
        raise UsageError(f"--svg writes a picture of one TEXT, not of {len(files)}")
    tok = load_model(options, options.model)
    for number, text in enumerate(texts_of(files)):
        explanation = explain(tok, as_str(text), options.limit, options.rivals)
        write_text(explanation.svg() if options.svg else "\n" * bool(number) + fitted(explanation))
    return 0


def fitted(explanation: Explanation) -> str:
    """An explanation as text, its first line wrapped if the terminal is narrow. Diagrams keep their width."""
    method, _, rest = f"{explanation}\n".partition("\n")
    return f"{fitted_rows(method, 0, sys.stdout)}\n{rest}"


def as_str(text: bytes) -> str | bytes:
    """The text as str, whose limits are in characters; bytes that are not UTF-8 stay as they are."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text
