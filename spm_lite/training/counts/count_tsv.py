"""Count tables as TSV: lines of chunk, TAB, count, which SentencePiece reads with `input_format=tsv`.

A space is U+2581, and a boundary, which no piece may cross, is U+001F, as in SentencePiece. SentencePiece must not
normalize: `normalization_rule_name=identity add_dummy_prefix=false remove_extra_whitespaces=false`. It takes every
byte of a chunk for text. A file with escapes (`text_lines`) holds any chunk, for spm_lite alone.
"""

from __future__ import annotations

import itertools
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from io import BufferedReader

from spm_lite.errors import TrainingError
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import AnyPath, checked_path, typed
from spm_lite.files.plain_text import START, check_plain
from spm_lite.files.remote import as_file
from spm_lite.files.text_lines import escape, unescape
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.cut_rules import CutRules

NO_SCORES = "; the numbers of a .vocab are scores, not counts"
OTHER_SEPARATOR = re.compile(rb"([,;| :]) *[0-9]+\r?\n?$")
CHUNKS_PER_BLOCK = 1 << 14
BOUNDARY, BOUNDARY_MARK = b"\xff", b"\x1f"
NAMES = {b"\t": "a TAB", b"\n": "a line end", BOUNDARY_MARK: "U+001F, which is a boundary"}


def save_lines(table: ChunkTable, path: AnyPath, leave_out: bool, escapes: bool = False, in_bytes: bool = False) -> int:
    """Write the file, and return the number of chunks left out because no line can hold them.

    leave_out: if false, the first such chunk raises TrainingError. escapes: write what no line can hold as escapes.
    in_bytes: the chunks are bytes of texts, without boundaries.
    """
    writer = LineWriter(leave_out, escapes, in_bytes)
    write_atomically(path, writer.blocks(table))
    return writer.n_left_out


class LineWriter:
    """Writes chunks as lines, and counts the chunks that no line can hold."""

    def __init__(self, leave_out: bool, escapes: bool, in_bytes: bool = False) -> None:
        self.n_left_out = 0
        self._leave_out = leave_out
        self._escapes = escapes
        self._in_bytes = in_bytes

    def blocks(self, table: ChunkTable) -> Iterator[bytes]:
        """Yield the lines, some thousands at once. U+FEFF begins no file: readers take it for a byte order mark."""
        waiting: list[bytes] = []  # lines that begin with U+FEFF, until another stands first
        is_first = True
        for begin in range(0, len(table), CHUNKS_PER_BLOCK):
            lines = []
            for text, count in table.items_from(begin, begin + CHUNKS_PER_BLOCK):
                line = self.line(text, count)
                if is_first and line.startswith(BOM_UTF8):
                    waiting.append(line)
                elif line:
                    lines.append(line)
                    lines += waiting
                    waiting, is_first = [], False
            yield b"".join(lines)
        for line in waiting:
            self.leave_out(line, "U+FEFF at the beginning, and no other chunk can stand first")

    def line(self, text: bytes, count: int) -> bytes:
        """Return the line of a chunk; b"" if it is left out."""
        if self._in_bytes:
            return b"%s\t%d\n" % (escape(text), count)
        odd = [] if self._escapes else [name for mark, name in NAMES.items() if mark in text]
        line = b"%s\t%d\n" % (convert_parts(text, BOUNDARY, BOUNDARY_MARK, escape if self._escapes else bytes), count)
        if odd:
            self.leave_out(line, odd[0])
            return b""
        return line

    def leave_out(self, line: bytes, reason: str) -> None:
        """Count a line left out. Raises TrainingError if none may be."""
        if not self._leave_out:
            text, _, count = line.rpartition(b"\t")
            raise TrainingError(
                f"the chunk {text.replace(BOUNDARY_MARK, BOUNDARY)[:40]!r} ({int(count)} times) holds {reason}: no "
                "line of a tsv file can. Use escapes=True or save(), or leave_out=True"
            )
        self.n_left_out += 1


def convert_parts(text: bytes, old: bytes, new: bytes, convert: Callable[[bytes], bytes]) -> bytes:
    """Convert the parts between boundaries, and write `new` for each boundary `old`."""
    return new.join(map(convert, text.split(old)))


def load_lines(path: AnyPath, rules: CutRules, escapes: bool = False) -> ChunkTable:
    """Return the table of a file; equal chunks add up. Raises TrainingError, naming the line, for an invalid one.

    A BOM is dropped, and a line may end with CR LF. escapes: the chunks were written with escapes.
    """
    name = checked_path(path, "read", allows_address=True)
    tables = []
    try:
        with as_file(name).open("rb") as opened, BufferedReader(opened) as file:
            check_plain(file.peek(START), name)
            lines = enumerate(file, 1)
            while block := list(itertools.islice(lines, 64 * CHUNKS_PER_BLOCK)):
                items = [read_line(line, number, name, rules, escapes) for number, line in block]
                tables.append(ChunkTable.from_items(items))
    except OSError as error:
        raise typed(error, path, "read") from error
    return ChunkTable.sum(tables)


def other_separator(line: bytes) -> str:
    """What stands in a line in place of the TAB, in words; "" if nothing that could."""
    found = OTHER_SEPARATOR.search(line)
    return f"; {found[1].decode()!r} comes before the number: write a TAB there" if found else ""


def read_line(line: bytes, number: int, name: str, rules: CutRules, escapes: bool = False) -> tuple[bytes, int]:
    """Return the chunk of a line and its count."""
    if number == 1:
        line = line.removeprefix(BOM_UTF8)
    text, tab, count = line.removesuffix(b"\n").partition(b"\t")
    where = f"{name}, line {number}"
    if not tab or not text:
        raise TrainingError(f"{where}: {line[:60]!r} must be a chunk, TAB and its count{other_separator(line)}")
    digits = count.removesuffix(b"\r")
    if not digits.isdigit() or len(digits) > 40:
        raise TrainingError(
            f"{where}: the count {digits[:60].decode('utf-8', 'replace')!r} must be a whole number, 1..2^63 - 1"
            f"{NO_SCORES}"
        )
    if not 1 <= int(digits) < 2**63:
        raise TrainingError(f"{where}: the count {int(digits)} must be 1..2^63 - 1{NO_SCORES}")
    if rules.in_bytes:
        chunk = unescape(text) if escapes else text
    else:
        chunk = convert_parts(text, BOUNDARY_MARK, BOUNDARY, unescape if escapes else bytes)
    reason = rules.why_no_chunk(chunk)
    if reason is not None:
        shown = text[:60].decode("utf-8", "replace")
        raise TrainingError(
            f"{where}: {shown!r} is not a chunk under these options, {reason}. Give the options that it was cut with, "
            "or count it as text: CountTable.count(path, input_format='tsv')"
        )
    return chunk, int(digits)
