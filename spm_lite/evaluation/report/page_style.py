"""The style sheet of the page, and the marks and colours of tokenizers. A mark tells them apart without colour."""

from __future__ import annotations

COLOURS = ("#2468c8", "#d9730d", "#1d8a4b", "#a13fc0", "#b8860b", "#0d8a99")  # read on white and on black
MARKS = ("circle", "square", "triangle", "diamond", "cross", "bar")

GROUND = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #626a73; --line: #d5d9de; --band: #eef1f4;
  --good: #14743d; --bad: #b3261e; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e6e9ec; --soft: #9aa3ad; --line: #363c43;
  --band: #20252a; --good: #5fc98a; --bad: #ff8a80; --warn: #e0b25a; } }
"""
CHARTS = """
svg { font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .soft { fill: var(--soft); } svg .axis { stroke: var(--line); }
"""

STYLE = (
    GROUND
    + CHARTS
    + """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 68rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .2rem 0 .5rem; max-width: 48rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; } p { margin: .3rem 0; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.scroll { overflow-x: auto; margin: .5rem 0; background:
  linear-gradient(90deg, var(--ground) 40%, transparent) 0 0/3rem 100% no-repeat local,
  linear-gradient(270deg, var(--ground) 40%, transparent) 100% 0/3rem 100% no-repeat local,
  linear-gradient(90deg, rgba(128,128,128,.5), transparent) 0 0/.8rem 100% no-repeat scroll,
  linear-gradient(270deg, rgba(128,128,128,.5), transparent) 100% 0/.8rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .18rem .9rem .18rem 0; text-align: right; vertical-align: top; font-weight: normal; }
td { white-space: nowrap; } td.words { white-space: normal; overflow-wrap: anywhere; min-width: 14rem; }
th:first-child, td:first-child, .words, .stand { text-align: left; } thead th { color: var(--soft); }
thead tr { border-bottom: 1px solid var(--line); } tbody tr:nth-child(even) { background: var(--band); }
.best { font-weight: 600; color: var(--good); } .lost { color: var(--soft); text-decoration: line-through; }
ul { padding: 0; margin: .3rem 0; list-style: none; } li { padding: .12rem 0 .12rem 1.4rem; text-indent: -1.4rem; }
.sign { display: inline-block; width: 1.2em; text-align: center; color: var(--good); }
.lost + .sign { color: var(--soft); } li details { text-indent: 0; } li summary { margin: 0; color: var(--soft); }
.pair { margin: .1rem 0; } .lead { font-size: 1.08rem; max-width: 48rem; }
summary { cursor: pointer; margin: .8rem 0 .3rem; }
figure { margin: 1rem 0; min-width: 0; } figcaption { color: var(--soft); margin-bottom: .3rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 1rem 2.5rem; }
figure > svg { width: 100%; max-width: 30rem; height: auto; display: block; }
svg .band { fill: var(--band); } .key span { white-space: nowrap; margin-right: 1.2rem; }
.key svg { display: inline-block; vertical-align: -2px; margin-right: .3rem; }
.pieces { line-height: 2; font-family: ui-monospace, monospace; font-size: 14px; }
.pieces span { padding: 1px 1px; border-radius: 3px; white-space: pre-wrap; unicode-bidi: isolate; }
.p0 { background: rgba(56,132,255,.25); } .p1 { background: rgba(255,150,30,.27); }
.p2 { background: rgba(50,180,80,.25); }
.unknown { background: rgba(230,40,40,.45); text-decoration: underline wavy; } .byte { border-bottom: 2px dotted; }
td.stand { white-space: normal; overflow-wrap: normal; }
@media (max-width: 600px) { td.words { min-width: 7rem; } th, td { padding-right: .5rem; } }
@media print { body { max-width: none; padding: 0; font-size: 11px; } details { display: block; }
  td { white-space: normal; } th, td { padding-right: .6rem; }
  h2, h3, figcaption, .key, summary { break-after: avoid; } tr, li { break-inside: avoid; }
  figure { break-inside: avoid; overflow: visible; } figure > svg { max-width: 9cm; max-height: 23cm; }
  .scroll { overflow: visible; } }
"""
)


def colour(number: int) -> str:
    """The colour of a tokenizer."""
    return COLOURS[number % len(COLOURS)]


def mark(number: int, x: float, y: float, is_hollow: bool = False, title: str = "") -> str:
    """The mark of a tokenizer as SVG. is_hollow: it loses the text. title: escaped already."""
    shade, r = colour(number), 4.5
    paint = f'fill="{"none" if is_hollow else shade}" stroke="{shade}" stroke-width="1.6"'
    hint = f"<title>{title}</title>" if title else ""
    shape = MARKS[number % len(MARKS)]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r - 0.5}" {paint}>{hint}</circle>'
    outlines: dict[str, list[tuple[float, float]]] = {
        "square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
        "triangle": [(0, -5), (4.6, 4), (-4.6, 4)],
        "diamond": [(0, -5.4), (5.4, 0), (0, 5.4), (-5.4, 0)],
        "cross": [(-5, -1.5), (-1.5, -1.5), (-1.5, -5), (1.5, -5), (1.5, -1.5), (5, -1.5), (5, 1.5), (1.5, 1.5),
                  (1.5, 5), (-1.5, 5), (-1.5, 1.5), (-5, 1.5)],
        "bar": [(-2, -5.4), (2, -5.4), (2, 5.4), (-2, 5.4)],
    }  # fmt: skip
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in outlines[shape])
    return f'<polygon points="{path}" {paint}>{hint}</polygon>'
