"""Makes docs/pictures/: the diagrams of docs/how-it-works.md, and the picture of README.md.

    python tools/generate/pictures.py [FOLDER]

The page of the diagrams writes them itself when its blocks run. The picture of README shows a text in pieces, and the
speed that docs/benchmarks.json tells. A test shows that both are current.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import spm_lite
from spm_lite.cards import escaped
from spm_lite.pictures.tokens import groups_of, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Speeds = tuple[float, float]  # cold, warm
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGE = DOCS / "how-it-works.md"
OVERVIEW = "overview.svg"

TEXT = "The children read by the river. Die Küche am Fluss, 図書館 🙂"
SHOWN = (  # model, text, workload: rows of the results
    ("English, Llama 2", ("Llama 2, BPE 32,000", "English", "lines -> lists")),
    ("source code, Llama 2", ("Llama 2, BPE 32,000", "source code", "lines -> lists")),
    ("English, T5", ("T5, Unigram 32,000", "English", "lines -> lists")),
    ("Japanese, Llama 2", ("Llama 2, BPE 32,000", "Japanese", "lines -> lists")),
    ("English, decoding", ("Llama 2, BPE 32,000", "English", "decode lists -> str")),
)

WIDTH, MARGIN = 760, 16
LETTER = 9.7  # width of a letter of a piece, in user units
PIECE, LINE, BAR = 26, 50, 15  # heights
FIRST_BAR, LAST_BAR = 175, 545  # from where to where a bar may reach
TINTS = ("#3884ff", "#ff961e", "#32b450", "#b450e6", "#e1be00", "#00afc3")
STYLE = """\
svg{color-scheme:light dark}
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1b1f24}
.piece{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
.id,.soft{fill:#626a73;font-size:11px}.title{font-weight:600}
.ours{fill:#2468c8}.other{fill:#8b949e}.warm{fill-opacity:.45}.ground{fill:#fff}
@media (prefers-color-scheme:dark){
text{fill:#e6e9ec}.id,.soft{fill:#9aa3ad}.ours{fill:#5b9bf5}.other{fill:#6b737c}.ground{fill:#14171a}
}"""


def text_at(x: float, y: float, text: str, kind: str = "") -> str:
    """An element of text."""
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{mark}>{escaped(text)}</text>'


def width_of(text: str) -> float:
    """The width of a piece; ideographs and emoji take two columns."""
    from rich.cells import cell_len

    return cell_len(text) * LETTER + 8


def pieces(y: float) -> tuple[str, float]:
    """The text in coloured pieces with their ids, and the y below them."""
    corpus = (resources.files("spm_lite.cli.commands") / "demo_text.txt").read_text(encoding="utf-8")
    tok = spm_lite.train(corpus.splitlines(), vocab_size=3000, hard_vocab_limit=False)
    parts = [text_at(MARGIN, y + 12, "tok.show(text): pieces and their ids", "title")]
    x, y = float(MARGIN), y + 24
    for number, group in enumerate(groups_of(tok, tokens_of(tok, TEXT))):
        ids = " ".join(str(token.piece_id) for token in group.tokens)
        width = max(width_of(group.shown), len(ids) * 6.4 + 6)
        if x + width > WIDTH - MARGIN:
            x, y = float(MARGIN), y + LINE
        tint = TINTS[number % len(TINTS)]
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{PIECE}" rx="4" fill="{tint}" fill-opacity=".3"/>'
        )
        parts += [text_at(x + 4, y + 18, group.shown, "piece"), text_at(x + 4, y + PIECE + 13, ids, "id")]
        x += width + 4
    return "".join(parts), y + LINE


def bars(y: float) -> tuple[str, float]:
    """The bars of the speed of both libraries, and the y below them."""
    results = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    found = list(rows(results))
    longest = max(max(ours) for _, ours, _ in found)
    title = "MB of text a second, one thread: cold, the first pass (dark), then warm, the second (pale)"
    parts = [text_at(MARGIN, y + 12, title, "title")]
    y += 24
    for name, ours, other in found:
        parts.append(text_at(MARGIN, y + BAR + 4, name))
        for kind, speeds, label in ("ours", ours, "spm_lite"), ("other", other, "sentencepiece"):
            cold, warm = speeds
            parts.append(bar(f"{kind} warm", y, max(speeds) / longest, f"{cold:.3g} cold, {warm:.3g} warm: {label}"))
            parts.append(bar(kind, y, cold / longest))
            y += BAR
        y += 9
    machine = results["machine"]
    note = f"{machine['cpu']}, {machine['date'][:10]}, sentencepiece {machine['versions']['sentencepiece']}"
    return "".join(parts) + text_at(MARGIN, y + 10, note, "soft"), y + 16


def bar(kind: str, y: float, share: float, label: str = "") -> str:
    """A bar and its label, if it has one. share: of the longest bar."""
    width = max(1.0, (LAST_BAR - FIRST_BAR) * share)
    drawn = f'<rect class="{kind}" x="{FIRST_BAR}" y="{y}" width="{width:.1f}" height="{BAR - 2}" rx="2"/>'
    return drawn + (text_at(FIRST_BAR + width + 6, y + BAR - 4, label, "soft") if label else "")


def rows(results: dict[str, Any]) -> Iterator[tuple[str, Speeds, Speeds]]:
    """(name, MB/s of spm_lite, MB/s of sentencepiece) of the rows to show; each cold, then warm."""
    for name, wanted in SHOWN:
        entry = next(row for row in results["rows"] if (row["model"], row["text"], row["workload"]) == wanted)
        ours, other = (
            (entry[one]["cold"]["median"], entry[one]["warm"]["median"]) for one in ("spm_lite", "reference")
        )
        yield name, ours, other


def overview() -> str:
    """The picture of README."""
    above, y = pieces(MARGIN)
    below, y = bars(y + 10)
    height = round(y + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img"><title>A text in coloured pieces, and the speed of encoding</title><style>{STYLE}</style>'
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="8"/>{above}{below}</svg>\n'
    )


def diagrams() -> dict[str, str]:
    """The pictures that the page writes, by name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "tests" / "whole" / "run_page.py"), str(PAGE)]
        subprocess.run(command, cwd=folder, check=True)
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.svg"))}


def pictures() -> dict[str, str]:
    """All pictures, by name."""
    return {**diagrams(), OVERVIEW: overview()}


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "pictures"
    target.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures().items():
        (target / name).write_text(picture, encoding="utf-8")
