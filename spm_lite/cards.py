"""HTML for notebooks: cards and tables without scripts, in which all text from outside is escaped.

Styles stand in the elements. They set no colours of text or background, so that a card reads in light and dark.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.printable import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LINE = "1px solid rgba(128,128,128,.4)"
FONT = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45"
FRAME = f"border:{LINE};border-radius:6px;padding:8px 14px"
CARD = f"{FONT};{FRAME};display:inline-block;max-width:100%;box-sizing:border-box;overflow-x:auto"
TABLE = "border-collapse:collapse;border:0;margin:6px 0 0;background:transparent"
CELL = "text-align:left;vertical-align:top;padding:1px 14px 1px 0;border:0;background:transparent"
KEY = f"{CELL};white-space:nowrap;font-weight:normal;opacity:.75"
NUMBER = f"{CELL};text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
VALUE = f"{CELL};overflow-wrap:anywhere"
HEAD = "white-space:nowrap;opacity:.75;font-weight:normal"
MOST_CHARACTERS = 2000  # of a value


def escaped(text: str) -> str:
    """A text for HTML: nothing in it is markup, and control characters are written as escapes.

    >>> escaped("<b>\\x00")
    '&lt;b&gt;\\\\x00'
    """
    import html

    # HTML cannot hold lone surrogates.
    return html.escape(visible(text, but="\n").encode("utf-8", "backslashreplace").decode(), quote=True)


def card(title: str, rows: Mapping[str, str] | Iterable[tuple[str, str]], more: str = "") -> str:
    """A card with a title, rows of a name and a value, and below them HTML that is escaped already."""
    pairs = rows.items() if hasattr(rows, "items") else rows
    lines = "".join(
        f'<tr style="background:transparent"><th scope="row" style="{KEY}">{escaped(name)}</th>'
        f'<td style="{VALUE}"><bdi>{escaped(shortened(value))}</bdi></td></tr>'
        for name, value in pairs
    )
    table = f'<table style="{TABLE}"><tbody>{lines}</tbody></table>' if lines else ""
    return f'<div class="spm-lite" style="{CARD}"><strong>{escaped(title)}</strong>{table}{more}</div>'


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, more: str = "") -> str:
    """A table as HTML. left: the number of columns of text, which come first; the others are numbers.

    more: what was left out, for a line below.
    """
    styles = [VALUE if i < left else NUMBER for i in range(len(headers))]
    if left > 1:
        styles[0] += ";min-width:3em"  # beside columns of text, short names stay whole
    head = "".join(
        f'<th scope="col" style="{style};{HEAD};border-bottom:{LINE}">{escaped(header)}</th>'
        for style, header in zip(styles, headers, strict=True)
    )
    body = "".join(
        '<tr style="background:transparent">'
        + "".join(
            f'<td style="{style}"><bdi>{escaped(shortened(cell))}</bdi></td>'
            for style, cell in zip(styles, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    note = f'<div style="opacity:.75">{escaped(more)}</div>' if more else ""
    head = f'<thead><tr style="background:transparent">{head}</tr></thead>'
    return f'<table style="{TABLE}">{head}<tbody>{body}</tbody></table>{note}'


def document(title: str, body: str) -> str:
    """A page that stands alone, around HTML that is escaped already; light or dark as its viewer prefers."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escaped(title)}</title>'
        f"<style>:root{{color-scheme:light dark}}body{{margin:16px}}</style></head><body>{body}</body></html>\n"
    )


def shortened(text: str) -> str:
    """A text of at most MOST_CHARACTERS, with a note of how many more it had."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]} ... and {len(text) - MOST_CHARACTERS:,} more characters"


def left_out(n: int, noun: str) -> str:
    """A line that tells of things that a table leaves out; "" if there are none.

    >>> left_out(1, "text"), left_out(2000, "text")
    ('1 more text', '2,000 more texts')
    """
    return f"{n:,} more {noun}{'' if n == 1 else 's'}" if n > 0 else ""
