"""`spm-lite play`: a page on this machine where people type and see what one or two models make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.console import flush_output, say, write_text
from spm_lite.cli.options.mistaken_inputs import text_explained
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_reading,
    load_models,
    whole_number,
)
from spm_lite.errors import OptionError

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Serve a page where you type a text and see its pieces, ids, counts and bytes, for one model or two side by side.
The page also shows the n best segmentations, and the steps that lead to the pieces. For BPE, a slider shows
the pieces of a smaller vocabulary. Other machines cannot reach the page (127.0.0.1). Ctrl-C ends the server."""

EPILOG = """\
examples:
  spm-lite play m.model
  spm-lite play old.model new.model --port 8080
"""
MOST_MODELS = 2


def make_parser() -> CommandParser:
    parser = CommandParser("play", "MODEL [MODEL] [options]", DESCRIPTION, EPILOG)
    parser.add_argument("--port", type=whole_number, default=0, metavar="N", help="port of the page [any free one]")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    add_reading(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    """Serve the page until Ctrl-C."""
    if not 1 <= len(files) <= MOST_MODELS:
        raise UsageError(f"{len(files)} models given, one or two expected (see '{PROGRAM} play --help')")
    if not 0 <= options.port <= 65535:
        raise UsageError(f"--port {options.port} is not between 0 and 65535")
    from spm_lite.cli.play_answers import Played
    from spm_lite.cli.play_server import PlayServer

    with text_explained("play", files):
        played = [Played(path, tok) for path, tok in zip(files, load_models(options, files), strict=True)]
    try:
        server = PlayServer(played, options.port)
    except OSError as error:
        raise OptionError(
            f"port {options.port} cannot be used ({error.strerror}): name another, or leave --port out"
        ) from None
    try:
        write_text(f"{server.url}\n")
        flush_output()  # a program that reads the address must not wait for it
        if not options.quiet:
            say("Only this machine can open the page. Ctrl-C ends it.\n")
        if options.open:
            import webbrowser

            webbrowser.open(server.url)
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()
    return 0
