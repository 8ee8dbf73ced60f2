"""Diagrams as HTML: a grid of boxes for each, with styles in the elements, for light and dark notebooks."""

from __future__ import annotations

from spm_lite.cards import FONT, LINE, escaped
from spm_lite.pictures.diagram import NEW, NUMBER, PIECE, PLAIN, RIVAL, UNKNOWN, Box, Diagram
from spm_lite.pictures.signs import escaped_line

TINTS = {  # translucent, so that the text keeps its colour
    PLAIN: "transparent",
    NEW: "rgba(255,150,30,.38)",
    PIECE: "rgba(56,132,255,.28)",
    RIVAL: "rgba(140,140,140,.22)",
    UNKNOWN: "rgba(230,40,40,.45)",
}
FRAME = f"{FONT};margin:0 0 12px;overflow-x:auto"
GRID = "display:grid;justify-content:start;align-items:stretch;gap:3px 3px;margin-top:4px"
BOX = (
    f"border:{LINE};border-radius:3px;padding:0 4px;text-align:center;white-space:pre;unicode-bidi:isolate;"
    "font-family:ui-monospace,monospace"
)
BARE = "text-align:center;padding:0 4px;font-size:11px;opacity:.75;white-space:pre;font-variant-numeric:tabular-nums"
CAPTION = "padding-left:12px;opacity:.75;white-space:nowrap;align-self:center"
DETAIL = "font-size:10px;opacity:.75"


def as_html(diagram: Diagram) -> str:
    """The diagram as a fragment of HTML."""
    cells = ""
    for number, row in enumerate(diagram.rows, 1):
        cells += "".join(box_html(box, number) for box in row.boxes)
        if row.caption:
            place = f"grid-row:{number};grid-column:{diagram.n_columns + 1}"
            cells += f'<span style="{place};{CAPTION}">{escaped_line(row.caption)}</span>'
    grid = f"{GRID};grid-template-columns:repeat({diagram.n_columns},auto) auto"
    note = f'<div style="opacity:.75">{escaped(diagram.note)}</div>' if diagram.note else ""
    title = f"<strong>{escaped_line(diagram.title)}</strong>"
    if diagram.remark:
        title += f'<span style="{CAPTION}">{escaped_line(diagram.remark)}</span>'
    return f'<div class="spm-lite" dir="ltr" style="{FRAME}">{title}<div style="{grid}">{cells}</div>{note}</div>'


def box_html(box: Box, row: int) -> str:
    """A box at its place in the grid."""
    place = f"grid-row:{row};grid-column:{box.begin + 1}/{box.end + 1}"
    if box.kind == NUMBER:
        return f'<span style="{place};{BARE}">{escaped(box.label)}</span>'
    border = ";border-style:dashed" if box.kind == RIVAL else ""
    detail = f'<br><span dir="ltr" style="{DETAIL}">{escaped(box.detail)}</span>' if box.detail else ""
    style = f"{place};{BOX};background:{TINTS[box.kind]}{border}"
    return f'<span dir="auto" style="{style}">{escaped(box.label)}{detail}</span>'
