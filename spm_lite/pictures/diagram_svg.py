"""Diagrams as one SVG picture, dark on light or, where the viewer asks for it, light on dark."""

from __future__ import annotations

from collections.abc import Sequence

from spm_lite.cards import escaped
from spm_lite.pictures.diagram import NUMBER, Box, Diagram, column_widths, wrapped
from spm_lite.pictures.signs import escaped_line

COLUMN = 8.5  # width of a terminal column, in user units
LINE = 24  # height of a row
DETAIL_LINE = 13  # more height where boxes have numbers
GAP = 10  # above a block
PROSE = 64  # terminal columns of a sentence, at most
MARGIN = 12
SPACE = 3  # between boxes
STYLE = """\
svg{color-scheme:light dark}
text{font:14px ui-monospace,monospace;fill:#111;white-space:pre;unicode-bidi:isolate}
.t{font-weight:bold}.c,.d,.number{fill:#555;font-size:12px}.h{font-size:13px;font-weight:600}
rect{fill:none;stroke:#999}
.new rect{fill:#ffd9a8;stroke:#c76a00}.piece rect{fill:#c5dcff;stroke:#2a62c9}
.rival rect{fill:#eee;stroke-dasharray:4 2}.unknown rect{fill:#ffc9c6;stroke:#b3261e}.number rect{stroke:none}
.bg{fill:#fff;stroke:none}
@media (prefers-color-scheme:dark){
text{fill:#eee}.c,.d,.number text{fill:#bbb}rect{stroke:#777}.bg{fill:#161616}
.new rect{fill:#6b3f0a}.piece rect{fill:#1d3f7a}.rival rect{fill:#333}.unknown rect{fill:#6e1a16}
}"""


def as_svg(diagrams: Sequence[Diagram], title: str) -> str:
    """All diagrams, one under the other. title: what a screen reader says."""
    body, y, right = "", float(MARGIN), 0.0
    for diagram in diagrams:
        part, y, width = drawn(diagram, y)
        body += part
        right = max(right, width)
    width, height = round(right + MARGIN), round(y + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'style="max-width:100%;height:auto" role="img" direction="ltr">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style>"
        f'<rect class="bg" width="{width}" height="{height}"/>{body}</svg>\n'
    )


def drawn(diagram: Diagram, y: float) -> tuple[str, float, float]:
    """(elements, y below them, x of their right end) of one diagram that begins at `y`."""
    widths = column_widths(diagram, gap=2, with_details=True)
    places = [MARGIN + COLUMN * sum(widths[:k]) for k in range(len(widths) + 1)]
    parts: list[str] = []
    right = 0.0

    def write(x: float, text: str, kind: str, below: float) -> None:
        """Write a line, and move on to where the next thing begins."""
        nonlocal y, right
        y += LINE * 0.75
        parts.append(text_element(x, y, text, kind))
        right = max(right, x + width_of(text))
        y += below

    write(MARGIN, f"{diagram.title}   {diagram.remark}".rstrip(), "t", 0.0)
    for line in wrapped(diagram.why, PROSE) if diagram.why else []:
        write(MARGIN, line, "c", 0.0)
    y += LINE * 0.4
    for row in diagram.rows:
        if row.heading:
            y += GAP
            write(MARGIN, row.heading, "h", LINE * 0.3)
        height = LINE + (DETAIL_LINE if any(box.detail for box in row.boxes) else 0)
        parts += [box_element(box, places, y, height - SPACE) for box in row.boxes]
        if row.caption:
            x = places[-1] + COLUMN
            parts.append(text_element(x, y + height * 0.62, row.caption, "c"))
            right = max(right, x + width_of(row.caption))
        right = max(right, places[-1])
        y += height
    if diagram.note:
        write(MARGIN, diagram.note, "c", 0.0)
    return "".join(parts), y + LINE * 0.5, right


def box_element(box: Box, places: list[float], y: float, height: float) -> str:
    """A box with its label, and its number under that."""
    x, width = places[box.begin], places[box.end] - places[box.begin] - SPACE
    middle = x + width / 2
    label_y = y + (LINE - SPACE) * 0.7
    label = f'<text x="{middle:.1f}" y="{label_y:.1f}" text-anchor="middle">{escaped(box.label)}</text>'
    if box.detail:
        detail_y = y + height - 4
        label += (
            f'<text class="d" x="{middle:.1f}" y="{detail_y:.1f}" text-anchor="middle">{escaped(box.detail)}</text>'
        )
    frame = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3"/>'
    return f'<g class="{box.kind}">{"" if box.kind == NUMBER else frame}{label}</g>'


def text_element(x: float, y: float, text: str, kind: str) -> str:
    """A line of text."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escaped_line(text)}</text>'


def width_of(text: str) -> float:
    """The width of a line of text, at most."""
    from rich.cells import cell_len

    return cell_len(text) * COLUMN
