"""show(): a text in pieces, printed on the terminal or displayed in the notebook.

In a notebook the pieces are HTML: coloured boxes with their ids under them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

from spm_lite.arguments import as_flag, as_int
from spm_lite.cards import FONT, escaped
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.pictures.terminal_picture import shown_size
from spm_lite.pictures.tokens import Group, groups_of, tokens_of
from spm_lite.progress.screens import is_notebook

if TYPE_CHECKING:
    from spm_lite.tokenizer.encoding import EncodingMethods


# Translucent, so that the text keeps its colour and reads on light and dark.
TINTS = (
    "rgba(56,132,255,.28)", "rgba(255,150,30,.30)", "rgba(50,180,80,.28)", "rgba(180,80,230,.26)",
    "rgba(225,190,0,.32)", "rgba(0,175,195,.28)",
)  # fmt: skip
UNKNOWN_TINT = "rgba(230,40,40,.45)"
BOX = "display:inline-block;vertical-align:top;margin:0 2px 6px 0;text-align:left"
PIECE = (
    "display:inline-block;min-width:100%;box-sizing:border-box;padding:1px 4px;border-radius:3px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;unicode-bidi:isolate;font-family:ui-monospace,monospace;font-size:14px"
)
SMALL = "display:inline-block;padding:0 5px 0 4px;font-size:12px;opacity:.75;font-variant-numeric:tabular-nums"

SUMMARY = f"{FONT};opacity:.75"


def pieces_html(groups: Iterable[Group]) -> str:
    """The pieces, one box for each group: its text, the ids under it, and its bytes, if it is made of bytes."""
    boxes = "".join(box(number, group) for number, group in enumerate(groups))
    return f'<div class="spm-lite" dir="ltr" style="{FONT}">{boxes}</div>'


def box(number: int, group: Group) -> str:
    """HTML of a group: its text on a tint that its number chooses, and the ids below it."""
    tint = UNKNOWN_TINT if group.is_unknown else TINTS[number % len(TINTS)]
    hint = "unknown" if group.is_unknown else f"{sum(token.size for token in group.tokens):,} bytes"
    parts = "".join(
        f'<span style="{SMALL}">{"-" if token.piece_id < 0 else token.piece_id}'
        + (f"<br>{escaped(shown_size(token, group))}" if group.is_in_bytes or group.is_unknown else "")
        + "</span>"
        for token in group.tokens
    )
    return (
        f'<span style="{BOX}" title="{escaped(hint)}">'
        f'<span dir="auto" style="{PIECE};background:{tint}">{escaped(group.shown)}</span><br>{parts}</span>'
    )


LEAST_WIDTH = 20  # columns
MOST_TOKENS = 1000


def show(
    tok: EncodingMethods,
    text: str | bytes,
    width: Any = None,
    color: Any = None,
    limit: Any = MOST_TOKENS,
    file: Any = None,
) -> None:
    """Print a text in pieces, as `Tokenizer.show` says, or display it in a notebook."""
    columns = as_width(width)
    colored = None if color is None else as_flag(color, "color")
    picture = Picture(tok, text, as_limit(limit, "limit"))
    if file is None and columns is None and colored is None and is_notebook():
        import_module("IPython.display").display(picture)
        return
    stream = sys.stdout if file is None else as_stream(file)
    color_system, found = terminal_of(stream)
    color_system = color_system if colored is None else (color_system or "truecolor") if colored else None
    write(stream, picture.drawn(columns or found, color_system))


class Picture:
    """The pieces of a text, at most `limit` of them, with a line that sums them up."""

    def __init__(self, tok: EncodingMethods, text: str | bytes, limit: int) -> None:
        n_tokens = tok.count(text)
        self.groups: list[Group] = list(groups_of(tok, tokens_of(tok, text, limit)))
        n_bytes = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
        self.summary = f"{counted(n_tokens, 'token')}, {counted(n_bytes, 'byte')}"
        if isinstance(text, str):
            self.summary += f", {counted(len(text), 'character')}"
        if n_tokens > limit:
            self.summary += f"; only the first {counted(limit, 'token')} are shown"

    def drawn(self, width: int, color_system: str | None) -> str:
        """The picture for a terminal."""
        from spm_lite.pictures.terminal_picture import drawn

        pieces = drawn(self.groups, width, color_system)
        return f"{pieces}\n{self.summary}\n" if pieces else f"{self.summary}\n"

    def _repr_html_(self) -> str:

        return f'{pieces_html(self.groups)}<div style="{SUMMARY}">{self.summary}</div>'


def counted(n: int, noun: str) -> str:
    """A number and what it counts.

    >>> counted(1, "byte"), counted(2000, "byte")
    ('1 byte', '2,000 bytes')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def as_width(width: Any) -> int | None:
    """The `width` argument. Raises OptionError if nothing fits into it."""
    if width is None:
        return None
    columns = as_int(width, "width")
    if columns < LEAST_WIDTH:
        raise OptionError(
            f"width {columns} is below {LEAST_WIDTH}: pass more columns, or None for the width of the terminal"
        )
    return columns


def as_limit(limit: Any, name: str) -> int:
    """A largest number of things to show, at least 1."""
    number = as_int(limit, name)
    if number < 1:
        raise OptionError(f"{name} {number} is below 1: pass the number of things to show at most")
    return number


def as_stream(file: Any) -> TextIO:
    """The `file` argument. Raises ArgumentTypeError if no text can be written to it."""
    if not callable(getattr(file, "write", None)):
        raise ArgumentTypeError(f"file is {type(file).__name__}, not a file open for writing text")
    stream: TextIO = file
    return stream


def terminal_of(stream: TextIO | None) -> tuple[str | None, int]:
    """The colours that a stream takes, as rich names them (None: none), and its width in columns."""
    from rich.console import Console

    console = Console(file=stream)
    system = None if console.no_color else console.color_system
    return (None if system == "windows" else system), console.width


def write(stream: TextIO | None, text: str) -> None:
    """Write to a stream; what its encoding lacks is written as escapes."""
    if stream is None:  # a program without a standard output
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
