"""Texts in coloured pieces, side by side for all tokenizers; and the tables of pieces that are at fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spm_lite.cards import escaped

KINDS = ("", "unknown", "byte")
MOST_PIECES = 300  # of a table


def worst_texts(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield each of the worst texts, cut by each tokenizer."""
    for name, texts in data.get("worst", {}).items():
        for one in texts:
            rows = "".join(
                f"<tr><td>{escaped(tokenizer)}</td><td>{cost(one['text'], pieces)}</td>"
                '<td class="words pieces" dir="auto">'
                f"{in_pieces(one['text'], pieces)}</td></tr>"
                for tokenizer, pieces in one["pieces"].items()
            )
            yield (
                f"<h3>{escaped(name)}, text {one['number'] + 1:,}</h3><div class=scroll><table><thead><tr><th></th>"
                f"<th>tokens</th><th></th></tr></thead><tbody>{rows}</tbody></table></div>"
            )


def cost(text: str, pieces: list[list[Any]]) -> str:
    """The tokens of a text, unknown ones as their bytes; then with a mark."""
    spelled = sum(len(text[begin:end].encode("utf-8", "replace")) for begin, end, kind in pieces if kind == 1)
    n_unknown = sum(kind == 1 for *_, kind in pieces)
    return f"{len(pieces) - n_unknown + spelled} ✗" if n_unknown else str(len(pieces))


def in_pieces(text: str, pieces: list[list[Any]]) -> str:
    """A text with its pieces as spans. Pieces of one character stand together."""
    found = ""
    shade = 0
    for begin, end, kind in pieces:
        if end <= begin:
            continue  # a further part of one character
        name = f"p{shade % 3} {KINDS[kind]}".strip()
        found += f'<span class="{name}">{escaped(with_marks(text[begin:end]))}</span>'
        shade += 1
    return found


def with_marks(text: str) -> str:
    """A text whose spaces and line ends are visible."""
    return text.replace(" ", "·").replace("\n", "⏎").replace("\r", "␍").replace("\t", "⇥")


def unreachable(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table for each tokenizer with pieces that no text can give."""
    for name, figures in data["vocabulary"].items():
        pieces = figures.get("reach", {}).get("unreachable", [])
        if pieces:
            rows = [
                (str(one.get("id", "")), one.get("piece", ""), one.get("reason", ""), str(one.get("instead", "")))
                for one in pieces[:MOST_PIECES]
            ]
            noun = "piece" if len(pieces) == 1 else "pieces"
            more = f" The first {MOST_PIECES}:" if len(pieces) > MOST_PIECES else ""
            yield (
                f"<h3>{escaped(name)}: {len(pieces):,} {noun} that no text can give</h3><p class=soft>The reason, "
                f"and what a text gives instead.{more}</p>" + piece_table(("id", "piece", "reason", "instead"), rows)
            )


def junk(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the examples of junk pieces of each tokenizer."""
    for name, figures in data["vocabulary"].items():
        rows = [
            (f"{value['count']:,}", kind.replace("_", " "), " ".join(map(str, value["first"])), "")
            for kind, value in figures.get("junk", {}).items()
        ]
        if rows:
            yield f"<h3>{escaped(name)}: pieces of little use</h3>" + piece_table(
                ("pieces", "kind", "first ids", ""), rows
            )


def piece_table(headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of pieces, each in isolation, since some are written from right to left."""
    head = "".join(f"<th class=words>{escaped(one)}</th>" for one in headers)
    body = "".join(
        "<tr>" + "".join(f"<td class=words><bdi>{escaped(cell)}</bdi></td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
