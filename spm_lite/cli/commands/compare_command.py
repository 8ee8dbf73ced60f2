"""`spm-lite compare`: two models on the same text."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spm_lite.cli.commands.encode_command import shown_piece
from spm_lite.cli.console import is_terminal, show_notes, write_text
from spm_lite.cli.options.document_options import add_document_options, reading_of
from spm_lite.cli.options.mistaken_inputs import text_explained
from spm_lite.cli.options.parsing import (
    PROGRAM,
    CommandParser,
    UsageError,
    add_common,
    add_reading,
    add_threads,
    load_models,
    whole_number,
)
from spm_lite.cli.streams import all_inputs, read_shown
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.printable import safe_json, visible
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Encode the same text with two models A and B, and show tokens and bytes per token. Then show, side by side, the
first documents of each FILE that they split differently. A long document is shown around its first difference.
'-' or no FILE is standard input."""

EPILOG = """\
examples:
  spm-lite compare old.model new.model text.txt
  spm-lite compare a.model b.model text.txt --json | jq .a.bytes_per_token
"""
SEPARATOR = " | "  # between pieces
BEFORE, AFTER = 6, 30  # pieces to show around the first difference of a document


@dataclass
class Sums:
    """What one model makes of the text."""

    tokens: int = 0
    unknown: int = 0
    lost: int = 0  # documents that do not come back


@dataclass
class Difference:
    """A document that the models cut differently."""

    place: str
    pieces: tuple[list[str], list[str]]


@dataclass
class Comparison:
    """The sums of both models, and the first differences."""

    sums: tuple[Sums, Sums] = field(default_factory=lambda: (Sums(), Sums()))
    documents: int = 0
    empty: int = 0  # documents without text, which are not among the others
    bytes: int = 0
    n_different: int = 0
    differences: dict[str, list[Difference]] = field(default_factory=dict)  # the first of each file

    def examples(self, n: int) -> list[Difference]:
        """The first n differences, taken from the files in turn, in the order of the files."""
        turns = sorted(
            (turn, place) for place, found in enumerate(self.differences.values()) for turn in range(len(found))
        )
        files = [*self.differences.values()]
        return [files[place][turn] for place, turn in sorted((place, turn) for turn, place in turns[:n])]


COMMON = {"examples", "json", "num_threads", "separator", "whole_files", "column", "quiet"}


def make_parser() -> CommandParser:
    parser = CommandParser("compare", "A B [FILE...] [options]", DESCRIPTION, EPILOG, COMMON)
    parser.add_argument("--examples", type=whole_number, default=5, metavar="N", help="documents to show at most [5]")
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_reading(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    if len(files) < 2:
        raise UsageError(f"name two models and then the text (see '{PROGRAM} compare --help')")
    reading = reading_of(vars(options))
    names = files[:2]
    with text_explained("compare", names):
        first, second = load_models(options, names)
    toks = (first, second)
    inputs, figures = all_inputs(files[2:]), CorpusFigures()
    found = Comparison()
    with ProgressBar(options.quiet) as bar:
        for part in read_shown(inputs, bar, "compare", reading, figures):
            place = str(part.path), part.first
            add_documents(found, toks, split_block(part.documents), place, options)
    show_notes(figures.notes.texts, options.quiet, "compare")
    if options.json:
        write_text(safe_json(json.dumps(as_dict(found, names, toks, options.examples), indent=2)) + "\n")
    else:
        write_text(comparison_report(found, names, toks, options.examples))
    return 0


def add_documents(
    found: Comparison, toks: tuple[Tokenizer, Tokenizer], documents: list[bytes], place: tuple[str, int],
    options: Namespace,
) -> None:  # fmt: skip
    """Count and compare some documents; the figures in `found` grow. place: file, and number of the first."""
    lists = [tok.encode_lists(documents, num_threads=options.num_threads) for tok in toks]
    for tok, sums, rows in zip(toks, found.sums, lists, strict=True):
        sums.tokens += sum(map(len, rows))
        sums.unknown += sum(row.count(tok.unk_id) for row in rows) if tok.unk_id >= 0 else 0
        if not tok._file.lossless:
            sums.lost += sum(tok.decode_bytes(ids) != text for ids, text in zip(rows, documents, strict=True))
    found.documents += sum(map(bool, documents))
    found.empty += sum(not text for text in documents)
    found.bytes += sum(map(len, documents))
    if toks[0] == toks[1]:
        return
    for number, text in enumerate(documents):
        if pieces_differ(toks, text, lists[0][number], lists[1][number]):
            found.n_different += 1
            shown = found.differences.setdefault(place[0], [])
            if len(shown) < options.examples:
                cut = tuple(list(map(shown_piece, tok.pieces(text))) for tok in toks)
                shown.append(Difference(f"{place[0]}, {place[1] + number}", cut))  # type: ignore[arg-type]


def pieces_differ(toks: tuple[Tokenizer, Tokenizer], text: bytes, left: list[int], right: list[int]) -> bool:
    """Whether a text is cut at other places."""
    return len(left) != len(right) or toks[0].spans(text, unit="byte") != toks[1].spans(text, unit="byte")


def as_dict(found: Comparison, names: list[str], toks: tuple[Tokenizer, Tokenizer], n: int) -> dict[str, Any]:
    """The comparison for programs."""
    result: dict[str, Any] = {
        "documents": found.documents, "empty_documents": found.empty, "bytes": found.bytes,
        "different_documents": found.n_different,
    }  # fmt: skip
    for key, name, tok, sums in zip("ab", names, toks, found.sums, strict=True):
        result[key] = {
            "model": name,
            "model_type": tok.model_type,
            "vocab_size": tok.vocab_size,
            "tokens": sums.tokens,
            "bytes_per_token": found.bytes / sums.tokens if sums.tokens else None,
            "unknown_tokens": sums.unknown,
            "documents_lost": sums.lost,
        }
    result["examples"] = [{"place": one.place, "a": one.pieces[0], "b": one.pieces[1]} for one in found.examples(n)]
    return result


def comparison_report(found: Comparison, names: list[str], toks: tuple[Tokenizer, Tokenizer], n: int) -> str:
    """The comparison for people."""
    from spm_lite.cli.tables import table, width_of_output

    width = width_of_output(is_terminal(sys.stdout))
    rows = [["type", *(tok.model_type for tok in toks)]]
    rows.append(["pieces", *(f"{tok.vocab_size:,}" for tok in toks)])
    rows.append(["tokens", *(f"{sums.tokens:,}" for sums in found.sums)])
    ratios = (f"{found.bytes / sums.tokens:.3f}" if sums.tokens else "-" for sums in found.sums)
    rows.append(["bytes per token", *ratios])
    rows.append(["unknown tokens", *(f"{sums.unknown:,}" for sums in found.sums)])
    rows.append(["texts that do not come back", *(f"{sums.lost:,}" for sums in found.sums)])
    names = [visible(name) for name in names]
    parts = [table(["", *names], rows, width, left=3), "\n", textwrap.fill(summary(found, names), width), "\n"]
    for one in found.examples(n):
        parts.append(f"\n{visible(one.place)}\n")
        parts.append(table(names, [excerpts(*one.pieces)], width, left=2))
    return "".join(parts)


def excerpts(a: list[str], b: list[str]) -> list[str]:
    """Two lists of pieces around their first difference, each in a line; dots mark the parts left out."""
    first = next((i for i, (left, right) in enumerate(zip(a, b, strict=False)) if left != right), min(len(a), len(b)))
    begin, end = max(0, first - BEFORE), first + AFTER
    return [
        SEPARATOR.join(["..."] * (begin > 0) + pieces[begin:end] + ["..."] * (end < len(pieces))) for pieces in (a, b)
    ]


def summary(found: Comparison, names: list[str]) -> str:
    """Which model needs fewer tokens, what it loses, and how many documents are cut differently."""
    a, b = found.sums
    if a.tokens == b.tokens:
        text = f"{names[0]} and {names[1]} need the same number of tokens."
    else:
        name, less = (names[0], a) if a.tokens < b.tokens else (names[1], b)
        text = f"{name} needs {abs(a.tokens - b.tokens) / max(a.tokens, b.tokens):.1%} fewer tokens"
        text += f", but {less.lost:,} of the texts do not come back." if less.lost else "."
    empty = f" {found.empty:,} empty ones are left out." if found.empty else ""
    return f"{text} {found.n_different:,} of {found.documents:,} documents are cut differently.{empty}"
