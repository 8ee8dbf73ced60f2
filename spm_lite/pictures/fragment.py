"""A text in pieces as HTML for notebooks: coloured pieces with their ids under them."""

from __future__ import annotations

from collections.abc import Iterable

from spm_lite.cards import FONT, escaped
from spm_lite.pictures.terminal_picture import shown_size
from spm_lite.pictures.tokens import Group

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
SMALL = "display:inline-block;padding:0 5px 0 4px;font-size:11px;opacity:.75;font-variant-numeric:tabular-nums"

SUMMARY = f"{FONT};opacity:.75"


def pieces_html(groups: Iterable[Group]) -> str:
    """The pieces, one box for each group: its text, the ids under it, and its bytes, if it is made of bytes."""
    boxes = "".join(box(number, group) for number, group in enumerate(groups))
    return f'<div class="spm-lite" dir="ltr" style="{FONT}">{boxes}</div>'


def box(number: int, group: Group) -> str:
    """The box of one group."""
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
