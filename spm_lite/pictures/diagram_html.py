"""Diagrams as HTML: a grid of boxes for each, with styles in the elements, for light and dark notebooks."""

from __future__ import annotations

from spm_lite.cards import FONT, LINE, escaped
from spm_lite.pictures.diagram import NEW, NUMBER, PIECE, PLAIN, RIVAL, UNKNOWN, Box, Diagram, column_widths
from spm_lite.pictures.signs import escaped_line

TINTS = {  # translucent, so that the text keeps its colour
    NEW: "rgba(255,150,30,.38)",
    PIECE: "rgba(56,132,255,.28)",
    RIVAL: "rgba(140,140,140,.22)",
    UNKNOWN: "rgba(230,40,40,.45)",
}
FRAME = f"{FONT};margin:0 0 18px;overflow-x:auto"
# What all boxes share stands in the grid, and they inherit it.
GRID = (
    "display:grid;justify-content:start;gap:3px 2px;text-align:center;white-space:pre;overflow-wrap:anywhere;"
    "font-family:ui-monospace,monospace;font-variant-numeric:tabular-nums"
)
BOX = f"border:{LINE};border-radius:3px"
# A number wraps to a second line, which is hidden, where its box is too narrow for it. A label is never cut.
NUMBERS = (
    "display:flex;flex-wrap:wrap;justify-content:center;height:1.4em;overflow:hidden;padding:0 1px;white-space:normal"
)
SMALL = "font-size:12px;opacity:.75"
BARE = f"{SMALL};padding:0 2px;white-space:pre-line;overflow-wrap:normal"
CAPTION = "opacity:.75;text-align:left;white-space:normal;align-self:center;font-family:system-ui,sans-serif"
HEADING = "font-weight:600;padding-top:10px;text-align:left;font-family:system-ui,sans-serif"
WIDEST = 24  # terminal columns of rows that have room for a caption beside them on a narrow screen


def as_html(diagram: Diagram) -> str:
    """The diagram as a fragment of HTML, that fits a screen of 400 pixels."""
    is_beside = sum(column_widths(diagram)) <= WIDEST
    cells, number = "", 0
    for row in diagram.rows:
        if row.heading:
            number += 1
            cells += f'<span style="grid-row:{number};grid-column:1/-1;{HEADING}">{escaped(row.heading)}</span>'
        number += 1
        cells += "".join(box_html(box, number) for box in row.boxes)
        if row.caption:
            number += not is_beside
            place = f"{diagram.n_columns + 1};padding-left:10px" if is_beside else "1/-1;padding-bottom:6px"
            style = f"grid-row:{number};grid-column:{place};{CAPTION}"
            cells += f'<span style="{style}">{escaped_line(row.caption)}</span>'
    columns = f"repeat({diagram.n_columns},minmax(min-content,max-content))"
    grid = f"{GRID};grid-template-columns:{columns}{' minmax(6em,max-content)' if is_beside else ''}"
    note = f'<div style="opacity:.75">{escaped(diagram.note)}</div>' if diagram.note else ""
    title = f'<strong style="overflow-wrap:anywhere">{escaped_line(diagram.title)}</strong>'
    if diagram.remark:
        title += f'<span style="padding-left:12px;opacity:.75">{escaped_line(diagram.remark)}</span>'
    why = (
        f'<div style="margin-bottom:4px;overflow-wrap:anywhere">{escaped_line(diagram.why)}</div>'
        if diagram.why
        else ""
    )
    return f'<div class="spm-lite" dir="ltr" style="{FRAME}">{title}{why}<div style="{grid}">{cells}</div>{note}</div>'


def box_html(box: Box, row: int) -> str:
    """A box at its place in the grid."""
    place = f"grid-area:{row}/{box.begin + 1}/auto/{box.end + 1}"
    if box.kind == NUMBER:
        return f'<span style="{place};{BARE}">{escaped(box.label)}</span>'
    border = ";border-style:dashed" if box.kind == RIVAL else ""
    detail = ""
    if box.detail:
        line = '<i style="height:1.4em"></i>'
        detail = f'<span dir="ltr" style="{NUMBERS};{SMALL}">{line}{escaped(box.detail)}</span>'
    tint = f";background:{TINTS[box.kind]}" if box.kind != PLAIN else ""
    style = f"{place};{BOX}{tint}{border}"
    return f'<span dir="auto" style="{style}">{escaped(box.label)}{detail}</span>'
