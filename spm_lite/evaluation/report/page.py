"""The page from top to bottom: which one to take, which language suffers, what is broken, charts, texts, all figures.

Texts stand in coloured pieces, side by side for all tokenizers. Pieces that are at fault stand in tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spm_lite.cards import escaped
from spm_lite.evaluation.report.charts import charts
from spm_lite.evaluation.report.page_style import STYLE, mark
from spm_lite.evaluation.report.parity_summary import LANGUAGES, language_sentences, parity_table
from spm_lite.evaluation.report.sections import JUNK, Table, tables_of
from spm_lite.evaluation.report.standings import TAKE, Ranking, take_sentence
from spm_lite.evaluation.report.summaries import BROKEN, FirstTable, fault_lines, first_tables, verdict_lines

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
                (str(one.get("id", "")), one.get("piece", ""), one.get("reason", ""), instead_of(one))
                for one in pieces[:MOST_PIECES]
            ]
            noun = "piece" if len(pieces) == 1 else "pieces"
            more = f" The first {MOST_PIECES}:" if len(pieces) > MOST_PIECES else ""
            yield (
                f"<h3>{escaped(name)}: {len(pieces):,} {noun} that no text can give</h3><p class=soft>The reason, "
                f"and what a text gives instead.{more}</p>" + piece_table(("id", "piece", "reason", "instead"), rows)
            )


def instead_of(piece: Mapping[str, Any]) -> str:
    """The pieces that a text gives instead; of older audits, their ids."""
    return " ".join(map(str, piece.get("instead_pieces", piece.get("instead", ()))))


def junk(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the examples of junk pieces of each tokenizer."""
    for name, figures in data["vocabulary"].items():
        rows = [
            (f"{value['count']:,}", JUNK.get(kind, kind), " ".join(map(str, value.get("pieces", value["first"]))))
            for kind, value in figures.get("junk", {}).items()
        ]
        if rows:
            yield f"<h3>{escaped(name)}: pieces of little use</h3>" + piece_table(("pieces", "kind", "the first"), rows)


def piece_table(headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of pieces, each in isolation, since some are written from right to left."""
    head = "".join(f"<th class=words>{escaped(one)}</th>" for one in headers)
    body = "".join(
        "<tr>" + "".join(f"<td class=words><bdi>{escaped(cell)}</bdi></td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


FOLDED_FROM = 12  # rows of a list that are not folded away
MOST_ROWS = 40  # of a table that stands open
MOST_OPEN = 3  # texts whose tables stand open
TONES = {"best": "best", "worse": "plain", "open": "soft", "not judged": "soft", "lost": "lost"}  # of a standing
MOST_NAMED = 6  # texts that the heading names


def page(data: Mapping[str, Any]) -> str:
    """The whole page."""
    names = ", ".join(data["tokenizers"])
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Tokenizers: {escaped(names)}</title><style>{STYLE}</style></head><body>\n"
        + "\n".join(parts(data))
        + "\n</body></html>\n"
    )


def parts(data: Mapping[str, Any]) -> Iterator[str]:
    """The parts of the page, in order."""
    yield decision(data)
    yield from ranking(data)
    yield heading(data)
    yield from languages(data)
    yield from parity(data)
    yield from faults(data)
    drawn = [*charts(data)]
    if drawn:
        yield f"<h2>Charts</h2>{key(data)}<div class=charts>" + "".join(drawn) + "</div>"
    texts = [*worst_texts(data)]
    if texts:
        yield (
            "<h2>Texts that cost most</h2><p class=soft>Each colour is a token; red is unknown, dotted lines are "
            "bytes, · is a space. At ✗ unknown tokens count as their bytes.</p>" + opened(texts, 2 * MOST_OPEN, "texts")
        )
    details = [*unreachable(data), *junk(data)]
    if details:
        yield f"<h2>Pieces at fault</h2>{''.join(details)}"
    yield from verdicts(data)
    yield "<h2>All figures</h2>"
    for one in tables_of(data):
        yield section(one, len(data["texts"]) > MOST_OPEN)


def section(one: Table, is_folded: bool) -> str:
    """A table of figures. is_folded: those of one text, and long ones, stand in a fold."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in one.columns)
    rows = "".join(
        f"<tr><td>{escaped(name)}</td>" + "".join(f"<td><bdi>{escaped(cell)}</bdi></td>" for cell in cells) + "</tr>"
        for name, cells in one.rows
    )
    body = (
        f"<p class=soft>{escaped(one.explained)}</p><div class=scroll><table>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    if is_folded and (one.title.startswith("Text ") or len(one.rows) > MOST_ROWS):
        return f"<details><summary>{escaped(one.title)}</summary>{body}</details>"
    return f"<h3>{escaped(one.title)}</h3>{body}"


def opened(parts: list[str], n: int, what: str) -> str:
    """Parts of which the first ones stand open, and the rest in a fold."""
    rest = parts[n:]
    more = f"<details><summary>{len(rest):,} more {what}</summary>{''.join(rest)}</details>" if rest else ""
    return "".join(parts[:n]) + more


def decision(data: Mapping[str, Any]) -> str:
    """The answer, larger than all else; below it what more there is to say of it."""
    answer, _, more = take_sentence(data).partition(". ")
    below = f"<p class=lead>{escaped(more)}</p>" if more else ""
    return (
        f"<p class=soft>{TAKE}: {escaped(' · '.join(data['tokenizers']))}</p>"
        f"<h1>{escaped(answer.rstrip('.'))}.</h1>{below}"
    )


def heading(data: Mapping[str, Any]) -> str:
    """What was judged."""
    sizes = [
        f"{name} ({one['type'] or 'tokenizer'}, {one['size']:,} pieces)" if one["size"] else name
        for name, one in data["tokenizers"].items()
    ]
    texts = f"{len(data['texts'])} text{'s' if len(data['texts']) != 1 else ''}: " if data["texts"] else "No texts"
    about = [*data["texts"].items()]
    shown = ", ".join(f"{name} ({one['bytes']:,} bytes)" for name, one in about)
    if len(about) > MOST_NAMED:
        shown = f"{', '.join(data['texts'])}; {sum(one['bytes'] for _, one in about):,} bytes"
    return (
        f"<p class=soft>Judged: {escaped('; '.join(sizes))}. "
        f"{escaped(texts + shown)}. spm_lite {escaped(data['spm_lite'])}.</p>"
    )


def ranking(data: Mapping[str, Any]) -> Iterator[str]:
    """How each tokenizer stands on each text; the tokenizers in order."""
    ranked = Ranking(data)
    rows = [*ranked.rows()]
    if not rows:
        return
    head = "".join(f"<th class=stand>{escaped(name)}</th>" for name in ranked.order)
    body = "".join(
        f"<tr><td>{escaped(text)}</td>"
        + "".join(f"<td class=stand><span class={TONES[one.kind]}>{escaped(one.words)}</span></td>" for one in row)
        + "</tr>"
        for text, row in rows
    )
    yield (
        f"<div class=scroll><table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f"<p class=soft>{escaped(ranked.legend())}</p>"
    )


def languages(data: Mapping[str, Any]) -> Iterator[str]:
    """How long texts become, and which language has the most tokens, if that can be said."""
    tables = first_tables(data)
    if tables:
        sentences = "".join(f"<p>{escaped(one)}</p>" for one in language_sentences(data))
        title = LANGUAGES if len(data["texts"]) > 1 else "How long texts become"
        yield f"<h2>{title}</h2>{sentences}" + "".join(map(first_table, tables))


def verdicts(data: Mapping[str, Any]) -> Iterator[str]:
    """The verdicts on pairs, in words."""
    items = []
    for one in verdict_lines(data):
        pair = f" ({escaped(one.of_whom)})" if one.of_whom else ""
        start = f"<li class={one.tone}>{one.sign} <b>{escaped(one.text)}</b>{pair}"
        items.append(f"{start}: {escaped(one.words)}</li>")
    if items:
        yield "<h2>Verdicts on pairs</h2>" + folded(items, "verdicts")


def folded(items: list[str], what: str) -> str:
    """A list; what is beyond its beginning is folded away."""
    first, rest = items[:FOLDED_FROM], items[FOLDED_FROM:]
    more = f"<details><summary>{len(rest):,} more {what}</summary><ul>{''.join(rest)}</ul></details>" if rest else ""
    return f"<ul>{''.join(first)}</ul>{more}"


def faults(data: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong, the worst first."""
    yield f"<h2>{BROKEN}</h2>"
    if not data["faults"]:
        yield "<p class=good>✓ none found</p>"
        return
    items = []
    for one in fault_lines(data["faults"]):
        start = f"<li class={one.tone}>{one.sign} {escaped(one.words)}"
        others = "".join(f"<li>{escaped(words)}</li>" for words in one.others)
        fold = f"<details><summary>and {len(one.others):,} more like it</summary><ul>{others}</ul></details>"
        items.append(f"{start}{fold if others else ''}</li>")
    yield folded(items, "faults")


def first_table(table: FirstTable) -> str:
    """Languages by tokenizers, the better one marked."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in table.columns)
    rows = ""
    for text, cells in table.rows.items():
        rows += f"<tr><td>{escaped(text)}</td>"
        for cell in cells:
            kind = "best" if cell.is_best else "lost" if cell.is_lost else "plain"
            sign = "★" if cell.is_best else "✗" if cell.is_lost else ""
            rows += f"<td><span class={kind}>{cell.text()}</span><span class=sign>{sign}</span></td>"
        rows += "</tr>"
    return (
        f"<h3>{escaped(table.title)}</h3><div class=scroll><table><thead><tr><th></th>{head}"
        f"</tr></thead><tbody>{rows}</tbody></table></div><p class=soft>{table.note('★', '✗')}</p>"
    )


def parity(data: Mapping[str, Any]) -> Iterator[str]:
    """How unequal the languages are, a column for each tokenizer."""
    table = parity_table(data)
    if table.rows:
        yield section(table, False)


def key(data: Mapping[str, Any]) -> str:
    """The mark of each tokenizer."""
    marks = "".join(
        f'<span><svg viewBox="0 0 12 12" width="12" height="12">{mark(k, 6, 6)}</svg>{escaped(name)}</span>'
        for k, name in enumerate(data["tokenizers"])
    )
    return f"<p class=key>{marks}</p>"
