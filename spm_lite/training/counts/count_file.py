"""The file format of count tables: write and read the rules and the table.

Layout, all numbers little-endian: the magic; the version (4 bytes); the size of the header (4); the header (JSON:
rules, n_chunks, n_bytes, left_out); for each block of chunks, their counts (8 bytes each) and sizes (4 each); in a
table of phrases, the marks of their documents (8 each); all texts; the SHA-256 of everything before it. Chunks are in
canonical order: count descending, bytes ascending.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from spm_lite.errors import ModelError
from spm_lite.files.open_files import AnyPath, checked_path, typed
from spm_lite.files.plain_text import COUNT_TABLE
from spm_lite.files.remote import as_file
from spm_lite.training.counts.characters import CharacterCounts, LeftOut
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.table_rules import TableRules

MAGIC = COUNT_TABLE
VERSION = 1
DIGEST = hashlib.sha256().digest_size
PREFIX = len(MAGIC) + 8  # bytes before the header
CHUNKS_PER_BLOCK = 1 << 18
TEXT_PER_BLOCK = 4 << 20  # bytes
MAX_HEADER = 1 << 28  # bytes
MAX_COUNT = 2**63 - 1


def file_blocks(table: ChunkTable, rules: TableRules) -> Iterator[bytes]:
    """Yield the content of a file, block by block."""
    header = {"rules": rules.to_dict(), "n_chunks": len(table), "n_bytes": table.text_bytes}
    header["left_out"] = left_out_values(table.left_out)
    encoded = json.dumps(header, ensure_ascii=False).encode()
    digest = hashlib.sha256()
    first = MAGIC + VERSION.to_bytes(4, "little") + len(encoded).to_bytes(4, "little") + encoded
    numbers = (table.numbers_block(i, i + CHUNKS_PER_BLOCK) for i in range(0, len(table), CHUNKS_PER_BLOCK))
    marks = (table.documents_block(i, i + CHUNKS_PER_BLOCK) for i in range(0, len(table), CHUNKS_PER_BLOCK))
    texts = (table.texts_block(i, i + TEXT_PER_BLOCK) for i in range(0, table.text_bytes, TEXT_PER_BLOCK))
    for blocks in ([first], numbers, marks if rules.superwords else (), texts):
        for block in blocks:
            digest.update(block)
            yield block
    yield digest.digest()


def left_out_values(left_out: LeftOut | None) -> dict[str, Any] | None:
    """Return `left_out` as values for JSON."""
    if left_out is None:
        return None
    items = left_out.characters.items()
    return {
        "n_chunks": left_out.n_chunks,
        "n_occurrences": left_out.n_occurrences,
        "n_bytes": left_out.n_bytes,
        "n_boundaries": left_out.characters.n_boundaries,
        "characters": [[ord(character), count] for character, count in items],
    }


def load_file(path: AnyPath) -> tuple[ChunkTable, TableRules]:
    """Return table and rules of a file. Raises ModelError if it is damaged, FileError and its kinds as `read_bytes`."""
    name = checked_path(path, "read", allows_address=True)
    try:
        with as_file(name).open("rb") as file:
            return read_table(file, as_file(name).stat().st_size, repr(name))
    except OSError as error:
        raise typed(error, path, "read") from error


def read_table(file: BinaryIO, size: int, name: str) -> tuple[ChunkTable, TableRules]:
    """Read a file of `size` bytes. No number in it is used before it is checked against the size."""
    digest = hashlib.sha256()
    n_left = size

    def read(n: int) -> bytes:
        nonlocal n_left
        data = file.read(min(n, max(n_left, 0)))
        n_left -= len(data)
        if len(data) < n:
            raise ModelError(f"{name} is cut off: it ends after {size} bytes. Make it again, or copy it again")
        digest.update(data)
        return data

    start = read(min(PREFIX, size))
    if start[: len(MAGIC)] != MAGIC:
        hint = "a tsv file is read by CountTable.load_tsv, text is counted by CountTable.count"
        raise ModelError(f"{name} is not a count table: it begins with {start[: len(MAGIC)]!r}; {hint}")
    if len(start) < PREFIX:
        read(PREFIX)
    version = int.from_bytes(start[len(MAGIC) : -4], "little")
    if version != VERSION:
        raise ModelError(
            f"{name} has version {version} of the format of count tables, and this version of spm_lite reads {VERSION}"
        )
    header_size = int.from_bytes(start[-4:], "little")
    if header_size > min(MAX_HEADER, n_left):
        raise ModelError(f"{name} is cut off or damaged: its header would have {header_size} bytes of {n_left}")
    header = read_header(read(header_size), name)
    n_chunks, n_bytes = header["n_chunks"], header["n_bytes"]
    has_documents = bool(header["rules"].superwords)
    if (12 + 8 * has_documents) * n_chunks + n_bytes + DIGEST != n_left:
        raise ModelError(
            f"{name} is cut off or damaged: {n_chunks} chunks of {n_bytes} bytes do not make the {n_left} that are left"
        )
    table = ChunkTable()
    for begin in range(0, n_chunks, CHUNKS_PER_BLOCK):
        table.load_numbers(read(12 * min(CHUNKS_PER_BLOCK, n_chunks - begin)))
    for begin in range(0, n_chunks if has_documents else 0, CHUNKS_PER_BLOCK):
        table.load_documents(read(8 * min(CHUNKS_PER_BLOCK, n_chunks - begin)))
    for begin in range(0, n_bytes, TEXT_PER_BLOCK):
        table.load_texts(read(min(TEXT_PER_BLOCK, n_bytes - begin)))
    expected = digest.digest()
    if read(DIGEST) != expected:
        raise ModelError(f"{name} is damaged: its checksum does not match its content. Make it again, or copy it again")
    wrong = table.finish_loading(header["left_out"])
    if wrong is not None:
        raise ModelError(f"{name} is not a count table that spm_lite wrote: {wrong}")
    return table, header["rules"]


def read_header(data: bytes, name: str) -> dict[str, Any]:
    """Return the header with its values decoded. Raises ModelError for an invalid one."""
    try:
        header = json.loads(data)
        rules = TableRules.from_dict(header["rules"])
        n_chunks, n_bytes = (as_count(header[key], 2**62) for key in ("n_chunks", "n_bytes"))
        left_out = read_left_out(header["left_out"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise ModelError(f"{name} is damaged: its header cannot be read ({type(error).__name__}: {error})") from None
    if rules is None:
        raise ModelError(f"{name} has rules in its header that this version of spm_lite does not know: count again")
    return {"rules": rules, "n_chunks": n_chunks, "n_bytes": n_bytes, "left_out": left_out}


def as_count(value: Any, limit: int = MAX_COUNT) -> int:
    """Return `value`. Raises ValueError unless it is an int from 0 to `limit`."""
    if type(value) is not int or not 0 <= value <= limit:
        raise ValueError(f"{value!r:.40} is not a count")
    return value


def read_left_out(values: Any) -> LeftOut | None:
    """Return the LeftOut of values that `left_out_values` made. Raises ValueError, TypeError or KeyError for others."""
    if values is None:
        return None
    characters = [(chr(as_count(code_point, 0x10FFFF)), as_count(count)) for code_point, count in values["characters"]]
    n_bytes = sum(len(character.encode()) * count for character, count in characters) + as_count(values["n_boundaries"])
    if len(dict(characters)) != len(characters) or n_bytes > as_count(values["n_bytes"]):
        raise ValueError("what was left out has more characters than bytes, or one twice")
    counts = CharacterCounts(characters, as_count(values["n_boundaries"]))
    return LeftOut(counts, *(as_count(values[key]) for key in ("n_chunks", "n_occurrences", "n_bytes")))
