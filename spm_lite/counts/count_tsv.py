"""Count tables as TSV: lines of chunk, TAB, count, which SentencePiece reads with `input_format=tsv`.

A space is U+2581, and a boundary, which no piece may cross, is U+001F, as in SentencePiece. SentencePiece must not
normalize: `normalization_rule_name=identity add_dummy_prefix=false remove_extra_whitespaces=false`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.counts.cut_rules import CutRules
from spm_lite.errors import TrainingError
from spm_lite.io.files import AnyPath, checked_path, typed
from spm_lite.io.new_files import write_atomically

CHUNKS_PER_BLOCK = 1 << 14
BOUNDARY, BOUNDARY_MARK = b"\xff", b"\x1f"
NAMES = {b"\t": "a TAB", b"\n": "a line end", BOUNDARY_MARK: "U+001F, which stands for a boundary"}


def save_lines(table: ChunkTable, path: AnyPath, leave_out: bool) -> int:
    """Write the file, and return the number of chunks left out because no line can hold them.

    leave_out: if false, the first such chunk raises TrainingError.
    """
    n_left_out = 0

    def blocks() -> Iterator[bytes]:
        nonlocal n_left_out
        for begin in range(0, len(table), CHUNKS_PER_BLOCK):
            lines = []
            for text, count in table.items_from(begin, begin + CHUNKS_PER_BLOCK):
                odd = [name for mark, name in NAMES.items() if mark in text]
                if odd and not leave_out:
                    raise TrainingError(
                        f"the chunk {text[:40]!r} ({count} times) holds {odd[0]}: no line of a tsv file can. "
                        "Use save(), or leave_out=True"
                    )
                if odd:
                    n_left_out += 1
                else:
                    lines.append(b"%s\t%d\n" % (text.replace(BOUNDARY, BOUNDARY_MARK), count))
            yield b"".join(lines)

    write_atomically(path, blocks())
    return n_left_out


def load_lines(path: AnyPath, rules: CutRules) -> ChunkTable:
    """Return the table of a file; equal chunks add up. Raises TrainingError, naming the line, for an invalid one."""
    name = checked_path(path, "read")
    tables = []
    try:
        with open(name, "rb") as file:  # noqa: PTH123  a path may be bytes
            lines = enumerate(file, 1)
            while block := list(itertools.islice(lines, 64 * CHUNKS_PER_BLOCK)):
                items = [read_line(line, number, name, rules) for number, line in block]
                tables.append(ChunkTable.from_items(items))
    except OSError as error:
        raise typed(error, path, "read") from error
    return ChunkTable.sum(tables)


def read_line(line: bytes, number: int, name: str, rules: CutRules) -> tuple[bytes, int]:
    """Return the chunk of a line and its count."""
    text, tab, count = line.removesuffix(b"\n").partition(b"\t")
    where = f"{name}, line {number}"
    if not tab or not text:
        raise TrainingError(f"{where}: {line[:60]!r} must be a chunk, TAB and its count")
    digits = count.removesuffix(b"\r")
    if not digits.isdigit() or len(digits) > 40:
        raise TrainingError(
            f"{where}: the count {digits[:60].decode('utf-8', 'replace')!r} must be a whole number, 1..2^63 - 1"
        )
    if not 1 <= int(digits) < 2**63:
        raise TrainingError(f"{where}: the count {int(digits)} must be 1..2^63 - 1")
    chunk = text.replace(BOUNDARY_MARK, BOUNDARY)
    reason = rules.why_no_chunk(chunk)
    if reason is not None:
        shown = text[:60].decode("utf-8", "replace")
        raise TrainingError(
            f"{where}: {shown!r} is no chunk under these options, {reason}. Give the options that it was cut with, "
            "or count it as text: CountTable.count(path, input_format='tsv')"
        )
    return chunk, int(digits)
