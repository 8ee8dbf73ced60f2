"""The tables of an audit after its first screen: for each section rows of names and values, and how to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spm_lite.evaluation.figures.mixture import MIXTURE, flat, with_mixture
from spm_lite.evaluation.report.faults import loses
from spm_lite.evaluation.report.summaries import number, percent
from spm_lite.printable import visible

Value = str


@dataclass
class Table:
    """A table: a row for each figure or text, a column for each tokenizer. explained: how to read it, one line."""

    title: str
    explained: str
    columns: list[str]
    rows: list[tuple[str, list[Value]]]


def tables_of(data: Mapping[str, Any]) -> Iterator[Table]:
    """All tables, section by section; those that have no rows are left out."""
    makers = (texts_table, *corpus_tables(data), bits_table, pairs_table, vocabulary_table, residue_table)
    for make in (*makers, stability_table, probes_table, cost_table):
        table = make(data)
        if any(LOST in cell for _, cells in table.rows for cell in cells):
            table.explained += LEGEND
        table.rows = [
            row for row, above in zip(table.rows, [None, *table.rows], strict=False) if not repeats(row, above)
        ]
        if table.rows:
            yield table


REPEATING = ("tokens, unknown ones spelled", "operations per byte")  # rows that may say what stands above them


def repeats(row: tuple[str, list[Value]], above: tuple[str, list[Value]] | None) -> bool:
    """Whether a row of these names has the cells of the row above it."""
    return above is not None and row[1] == above[1] and any(name in row[0] for name in REPEATING)


LOST = " ✗"  # at a number of a text that the tokenizer loses
LEGEND = " ✗: loses text."


def marked(data: Mapping[str, Any], text: str, name: str, value: str) -> str:
    """A value, marked if the tokenizer loses the text: nothing lossy looks good."""
    return value + (LOST if loses(with_mixture(data, "corpus")[text][name]) else "")


def texts_table(data: Mapping[str, Any]) -> Table:
    columns = ["texts", "bytes", "documents"]
    rows = [(name, [number(about[column]) for column in columns]) for name, about in data["texts"].items()]
    explained = "What was read; empty lines do not count."
    if MIXTURE in data:
        shares = (f"{percent(share)} {name}" for name, share in data[MIXTURE]["shares"].items())
        explained += f" Bytes of the mixture: {', '.join(shares)}."
    noted: dict[str, list[str]] = {}
    for name, about in data["texts"].items():
        for note in about["notes"]:
            noted.setdefault(note, []).append(name)
    explained += "".join(f" {', '.join(names)}: {note}." for note, names in noted.items())
    return Table("Texts", explained, columns, rows)


def corpus_tables(data: Mapping[str, Any]) -> list[Callable[[Mapping[str, Any]], Table]]:
    made: list[Callable[[Mapping[str, Any]], Table]] = [
        lambda data, text=text: corpus_table(data, text)  # type: ignore[misc]
        for text in data["corpus"]
    ]
    return [*made, mixture_table] if MIXTURE in data else made


FERTILITY = "tokens per"  # a word, or a grapheme

CORPUS_ROWS: tuple[tuple[str, Callable[[float | None], str], str], ...] = (
    ("tokens", number, "tokens"),
    ("tokens, unknown ones spelled", number, "tokens_spelled"),
    ("bytes per token", number, "bytes_per_token"),
    (FERTILITY, number, "fertility.value"),
    ("unknown characters", percent, "unknown.character_share"),
    ("characters as bytes", percent, "byte_fallback.character_share"),
    ("words split", percent, "letter_words.split_rate"),
    ("frequent words in one token", percent, "single_token_words.rate"),
    ("pieces used", percent, "vocabulary.share_used"),
    ("Rényi efficiency", number, "renyi.efficiency"),
    ("tokens of a text, median", number, "length.p50"),
    ("tokens of a text, 99 %", number, "length.p99"),
    ("texts that come back", percent, "roundtrip.rate"),
)


def corpus_table(data: Mapping[str, Any], text: str) -> Table:
    tokenizers = data["corpus"][text]
    unit = next(iter(tokenizers.values()))["fertility"]["unit"]
    explained = f"Totals over all texts. Fewer tokens per {unit} are better, on this text only."
    return Table(f"Text {text}", explained, [*tokenizers], corpus_cells(data, text))


def corpus_cells(data: Mapping[str, Any], text: str) -> list[tuple[str, list[Value]]]:
    """The rows of a text, or of the mixture: then those of figures that it has."""
    rows = []
    tokenizers = {one: flat(figures) for one, figures in with_mixture(data, "corpus")[text].items()}
    unit = next((figures["fertility.unit"] for figures in tokenizers.values() if "fertility.unit" in figures), "word")
    for what, shown, name in CORPUS_ROWS:
        values = {one: figures.get(name) for one, figures in tokenizers.items()}
        if text != MIXTURE or any(value is not None for value in values.values()):
            title = f"{what} {unit}" if what == FERTILITY else what
            rows.append((title, [marked(data, text, one, shown(value)) for one, value in values.items()]))
    return rows


def mixture_table(data: Mapping[str, Any]) -> Table:
    explained = "All texts, each with its share of the bytes, as listed under Texts."
    return Table("Mixture", explained, [*data["tokenizers"]], corpus_cells(data, MIXTURE))


def bits_table(data: Mapping[str, Any]) -> Table:
    rows = []
    for text, figures in with_mixture(data, "ngram").items():
        for order in ("n1", "n2", "n3"):
            models = figures["models"]
            if any(order in model for model in models.values()):
                row = [
                    marked(data, text, name, number(model[order]["bits_per_byte_spelled"]))
                    for name, model in models.items()
                ]
                rows.append((f"{text}, {order}", row))
    explained = (
        "Bits per byte of held-out documents under an n-gram model of the tokens, unknown ones spelled. Fewer are "
        "better, within one row."
    )
    return Table("Prediction", explained, [*data["tokenizers"]], rows)


def pairs_table(data: Mapping[str, Any]) -> Table:
    rows = []
    sides = {f"{one['a']} - {one['b']}": (one["a"], one["b"]) for one in data["verdicts"]}
    for text, figures in with_mixture(data, "ngram").items():
        for pair, differences in figures["pairs"].items():
            cells = []
            for name in ("n2", "n3"):
                figure = differences.get(name)
                cells.append(interval(figure) if figure else "-")
            tokens = differences["tokens"]
            ratio = tokens["log_ratio"]
            cells.append("-" if ratio is None else f"{100 * ratio:+.2f} ± {196 * tokens['se']:.2f} %")
            is_lost = any(loses(with_mixture(data, "corpus")[text][name]) for name in sides[pair])
            rows.append((f"{text}: {pair}", [cell + LOST for cell in cells] if is_lost else cells))
    explained = (
        "The first minus the second, with 95 % intervals over documents. Tokens: 100 times the log of the ratio."
    )
    return Table("Differences", explained, ["bits, n = 2", "bits, n = 3", "tokens"], rows)


def interval(figure: Mapping[str, Any]) -> str:
    """A difference with its 95 % interval."""
    if figure["difference"] is None:
        return "-"
    low, high = figure["ci95"]
    return f"{figure['difference']:+.4f} [{low:+.4f}, {high:+.4f}]"


JUNK = {  # kinds of pieces of little use, in words
    "whitespace": "only white space",
    "crosses_space": "with a space inside",
    "control": "with control characters",
    "replacement": "with U+FFFD",
    "private_use": "with private characters",
    "unassigned": "with unassigned characters",
    "digits_1": "one digit",
    "digits_2": "two digits",
    "digits_3": "three digits",
    "digits_4+": "four digits or more",
    "digits_and_letters": "digits and letters",
    "mixed_script": "of several scripts",
    "punctuation_run": "several marks of punctuation",
    "repeat": "one character, four times or more",
    "long": "over 16 characters",
}


def vocabulary_table(data: Mapping[str, Any]) -> Table:
    names = [*data["vocabulary"]]
    every = data["vocabulary"].values()
    rows: list[tuple[str, list[str]]] = []
    if not names:
        return Table("Vocabularies", "", [], [])
    rows.append(("pieces", [number(data["tokenizers"][name]["size"]) for name in names]))
    rows.append(("unreachable", [listed(figures["reach"].get("unreachable")) for figures in every]))
    rows.append(("byte pieces that never occur", [listed(figures.get("bytes", {}).get("never")) for figures in every]))
    cut = [figures.get("bytes", {}).get("cut_characters") for figures in every]
    if any(cut):
        for what, count, share in (
            ("ending inside characters", "count", "share"),
            ("of these, with other text", "joined", "joined_share"),
        ):
            cells = ["-" if one is None else f"{number(one[count])} ({percent(one[share])})" for one in cut]
            rows.append((what, cells))
        rows.append(("such as", [" ".join(map(visible, one["first"][:2])) if one else "-" for one in cut]))
    for kind in ("normalizer", "nfc", "nfkc", "case", "space"):
        found = [figures.get("duplicates", {}).get(kind, {}).get("surplus") for figures in every]
        if any(found):
            how = (
                kind.upper() if kind.startswith("nf") else "the model's normalization" if kind == "normalizer" else kind
            )
            rows.append((f"the same except for {how}", [number(surplus) for surplus in found]))
    kinds = sorted({kind for figures in every for kind in figures.get("junk", {})})
    for kind in kinds:
        cells = [number(figures.get("junk", {}).get(kind, {"count": 0})["count"]) for figures in every]
        rows.append((JUNK.get(kind, kind), cells))
    return Table(
        "Vocabularies",
        "Numbers of pieces. Twins that differ only in case or space are a cost, not a fault.",
        names,
        rows,
    )


def listed(items: Any) -> str:
    return "-" if items is None else number(len(items))


def residue_table(data: Mapping[str, Any]) -> Table:
    names = list(dict.fromkeys(name for figures in data["residue"].values() for name in figures))
    rows = []
    for text, figures in data["residue"].items():
        for what in ("never_final", "residue"):
            cells = [
                marked(data, text, name, number(figures[name][what])) if name in figures else "-" for name in names
            ]
            rows.append((f"{text}: {'formed, never a token' if what == 'never_final' else 'residue'}", cells))
    explained = "BPE pieces that are only steps towards longer ones. Residue: seldom a token (under 1 %)."
    return Table("Merge residue", explained, names, rows)


def stability_table(data: Mapping[str, Any]) -> Table:
    names = [*data["stability"]]
    kinds = ("space", "case", "upper", "swap", "drop", "double", "nfd")
    rows = []
    for text in data["texts"]:
        for kind in kinds:
            found = [data["stability"][name].get(text, {}).get(kind) for name in names]
            if any(found):
                cells = [
                    "-" if one is None else marked(data, text, name, f"-{one['removed']:.2f} +{one['added']:.2f}")
                    for name, one in zip(names, found, strict=True)
                ]
                rows.append((f"{text}: {kind}", cells))
    explained = "How many tokens a small edit removes and adds. If it changes none, decoding loses the edit."
    return Table("Stability", explained, names, rows)


def probes_table(data: Mapping[str, Any]) -> Table:
    names = [*data["probes"]]
    every = data["probes"].values()
    rows: list[tuple[str, list[str]]] = []
    if not names:
        return Table("Numbers and code", "", [], [])
    rows.append(("numbers", [figures["number_kind"] or "-" for figures in every]))
    rows.append(("operators in one token", [operators_cell(figures["operators"]) for figures in every]))
    for depth in ("4", "8", "16"):
        cells = []
        for figures in every:
            one = figures["indentation"][depth]
            cells.append(f"+{one['extra_tokens']}" + (" (lost)" if one["kept"] is False else ""))
        rows.append((f"{depth} spaces of indentation", cells))
    for text in dict.fromkeys(text for figures in every for text in figures.get("identifiers", {})):
        cells = [percent(figures.get("identifiers", {}).get(text, {}).get("rate")) for figures in every]
        rows.append((f"{text}: identifiers cut at their parts", cells))
    return Table("Numbers and code", "What numbers, operators and indentation become.", names, rows)


def operators_cell(figures: Mapping[str, Any] | None) -> str:
    if figures is None:
        return "-"
    lost = f", {len(figures['unknown'])} unknown" if figures["unknown"] else ""
    return f"{figures['single']} of {figures['tested']}{lost}"


def cost_table(data: Mapping[str, Any]) -> Table:
    names = [*data["tokenizers"]]
    rows = []
    for size in next(iter(data["cost"]["tokenizers"].values()))["models"]:
        cells = [percent(data["cost"]["tokenizers"][name]["models"][size]["share"]) for name in names]
        rows.append((f"embeddings of a {size} model", cells))
    texts = data["cost"]["texts"] if len(names) > 1 else {}  # against the first: of one tokenizer, all are 1
    for text, sizes in texts.items():
        for size, costs in sizes.items():
            cells = [marked(data, text, name, number(costs[name]["against_first"])) for name in names]
            rows.append((f"{text}: operations per byte, {size}", cells))
    explained = "Share of the parameters."
    if texts:
        explained = f"{explained[:-1]}, and operations for a byte of text against {names[0]}, without attention."
    return Table("Cost", explained, names, rows)
