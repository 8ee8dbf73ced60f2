"""`spm-lite bench`: how fast a model encodes and decodes a text, beside sentencepiece where that is installed."""

from __future__ import annotations

import json
import statistics
import sys
import time
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from spm_lite.cli.console import is_terminal, show_notes, write_text
from spm_lite.cli.options.document_options import add_document_options, reading_of
from spm_lite.cli.options.parsing import (
    CommandParser,
    add_common,
    add_model,
    add_threads,
    load_model,
    positive_int,
)
from spm_lite.cli.streams import all_inputs, read_files
from spm_lite.errors import TextError
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.printable import safe_json

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

DESCRIPTION = """\
Measure how fast a model encodes and decodes a text: medians of several runs, in MB of text per second. "Cold"
is with an empty cache, and "warm" after the same text. If sentencepiece is installed and reads the model, it
is measured too. '-' or no FILE is standard input."""

COMMON = {"runs", "most", "json", "column", "num_threads", "quiet"}


def make_parser() -> CommandParser:
    parser = CommandParser("bench", "MODEL [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser)
    parser.add_argument("--runs", type=positive_int, default=3, metavar="N", help="runs of each measurement [3]")
    parser.add_argument(
        "--most", type=positive_int, default=64_000_000, metavar="BYTES", help="bytes of the text to use [64m]"
    )
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_threads(parser)
    add_document_options(parser, reads_records=True)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    tok = load_model(options, options.model)
    lines = read_some(files, options)
    size = sum(map(len, lines))
    if size == 0:
        raise TextError("there is no text to measure with: the input has 0 bytes")
    threads = options.num_threads
    rows = {"spm_lite": measure_own(tok, lines, threads, options.runs)}
    other = measure_other(options.model, lines, threads, options.runs)
    if other is not None:
        rows["sentencepiece"] = other
    speeds = {name: {what: size / seconds / 1e6 for what, seconds in figures.items()} for name, figures in rows.items()}
    if options.json:
        found = {"bytes": size, "lines": len(lines), "num_threads": threads, "megabytes_per_second": speeds}
        write_text(safe_json(json.dumps(found, indent=2)) + "\n")
    else:
        write_text(speed_table(speeds, size, len(lines)))
    return 0


def read_some(files: list[str], options: Namespace) -> list[bytes]:
    """The documents of the inputs, up to some number of bytes."""
    lines: list[bytes] = []
    size = 0
    figures = CorpusFigures()
    for part in read_files(all_inputs(files), reading_of(vars(options)), figures):
        documents = split_block(part.documents)
        lines += documents
        size += sum(map(len, documents))
        if size > options.most:
            break
    show_notes(figures.notes.texts, options.quiet, "bench")
    sizes = accumulate(map(len, lines))
    return lines[: max(1, bisect_right([*sizes], options.most))]


def median(call: Callable[[], Any], runs: int, before: Callable[[], Any] | None = None) -> float:
    """The median of the seconds that a call takes. before: what is done before each, and not measured."""
    seconds = []
    for _ in range(runs):
        if before is not None:
            before()
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return max(statistics.median(seconds), 1e-9)


def measure_own(tok: Any, lines: list[bytes], threads: int | None, runs: int) -> dict[str, float]:
    """Seconds of encoding, cold and warm, counting and decoding."""
    batch = tok.encode_batch(lines, num_threads=threads)
    return {
        "encode cold": median(lambda: tok.encode_batch(lines, num_threads=threads), runs, tok.clear_cache),
        "encode warm": median(lambda: tok.encode_batch(lines, num_threads=threads), runs),
        "decode": median(lambda: tok.decode_batch(batch, num_threads=threads), runs),
    }


def measure_other(model: str, lines: list[bytes], threads: int | None, runs: int) -> dict[str, float] | None:
    """Seconds that sentencepiece takes; it has no cache. None: it is not installed, or does not read the model."""
    try:
        import sentencepiece

        processor = sentencepiece.SentencePieceProcessor(model_file=model)
    except Exception:
        return None
    texts = [line.decode("utf-8", "replace") for line in lines]
    count = threads or -1
    ids = processor.encode(texts, num_threads=count)
    seconds = median(lambda: processor.encode(texts, num_threads=count), runs)
    return {
        "encode cold": seconds,
        "encode warm": seconds,
        "decode": median(lambda: processor.decode(ids, num_threads=count), runs),
    }


def speed_table(speeds: dict[str, dict[str, float]], size: int, n_lines: int) -> str:
    """The speeds for people."""
    from spm_lite.cli.tables import table, width_of_output

    rows = []
    for what, own in speeds["spm_lite"].items():
        row = [what, f"{own:,.1f} MB/s"]
        if "sentencepiece" in speeds:
            other = speeds["sentencepiece"][what]
            row += [f"{other:,.1f} MB/s", f"{own / other:,.1f}"]
        rows.append(row)
    headers = ["", "spm_lite", *(["sentencepiece", "times as fast"] if "sentencepiece" in speeds else [])]
    return table(headers, rows, width_of_output(is_terminal(sys.stdout))) + (f"\n{size:,} bytes in {n_lines:,} lines\n")
