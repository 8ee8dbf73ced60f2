"""Damaged files of texts: each call that reads one gives an error of ours, or texts that stand in the file.

An input is two bytes, which say the form of the file and how errors are met, and the file. The texts are found by
`encode_files` with the tokenizer of bytes. Freed memory is full of a mark, so that a text from outside the file shows.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import logging
import lzma
import os
import re
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import zstandard
from pyarrow import ipc, parquet

import spm_lite
from spm_lite import CountTable, SpmLiteError
from spm_lite.cli.main import main
from spm_lite.engines import shards

ROWS = [f"the cat {i} sat, on  ünï {'it' * (i % 5)} 水\u2581👩\u200d👧" for i in range(40)]
TEXT = "".join(f"{row}\n" for row in ROWS).encode()
FORMS = (  # the name of a file, and what is said of it
    ("a.txt", {}), ("a.txt", {"separator": None}), ("a.jsonl", {}), ("a.json", {"column": "text"}), ("a.csv", {}),
    ("a.tsv", {}), ("a.arrow", {}), ("a.arrow", {"column": "items[]"}), ("a.arrow", {"column": "pair.a"}),
    ("a.parquet", {}), ("a.parquet", {"column": "items[]"}), ("a.parquet", {"column": "pair.a"}),
    ("counts.parquet", {}),
)  # fmt: skip
TEXTS, WHOLE, LINES, ARRAY, TABLE, TABS, ARROW, ITEMS, FIELD, PARQUET, P_ITEMS, P_FIELD, COUNTS = range(len(FORMS))
ENDINGS = ("", ".gz", ".bz2", ".xz", ".zst")
PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
LARGE = 1 << 20  # bytes of text; what a file holds beyond is not looked at
SKIPS = 128  # in the second byte: on_error="skip"
MARK = b"\xa7\x5aNOT_OF_A_FILE\x5a\xa7"
OPTIONS: dict[str, Any] = {"model_type": "byte_bpe", "vocab_size": 270, "hard_vocab_limit": False, "num_threads": 1}


def pack(data: bytes, ending: str) -> bytes:
    """Compressed data of the kind that an ending names."""
    if ending == ".zst":
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)
    return PACKED[ending](data) if ending else data


def tables() -> Iterator[pa.Table]:
    """Tables whose texts stand in columns of several types, some of them null."""
    texts = pa.array(ROWS)
    for column in (texts, texts.cast(pa.large_string()), texts.dictionary_encode(), texts.cast(pa.string_view())):
        below = texts if str(column.type).endswith("_view") else column
        items = pa.ListArray.from_arrays(range(0, len(below) + 1, 2), below)
        yield pa.table({"text": column[:20], "items": items, "pair": pa.StructArray.from_arrays([column], ["a"])[:20]})
    yield pa.table({"text": pa.array([None if i % 3 == 0 else row for i, row in enumerate(ROWS)])})


def arrow_files() -> Iterator[bytes]:
    """Files and streams of Arrow, plain and compressed."""
    for table in tables():
        for opened in (ipc.new_file, ipc.new_stream):
            for compression in (None, "zstd", "lz4"):
                sink = pa.BufferOutputStream()
                with opened(sink, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
                    writer.write_table(table, 8)
                yield sink.getvalue().to_pybytes()


def parquet_files() -> Iterator[bytes]:
    """Files of Parquet, with several codecs, encodings and versions of pages."""
    for table in (table for table in tables() if table.schema.field("text").type != pa.string_view()):
        for compression in ("none", "snappy", "gzip", "zstd"):
            sink = pa.BufferOutputStream()
            version = "2.0" if compression in ("zstd", "gzip") else "1.0"
            parquet.write_table(
                table, sink, row_group_size=8, compression=compression, use_dictionary=compression != "none",
                data_page_version=version,
            )  # fmt: skip
            yield sink.getvalue().to_pybytes()


def seeds(target: str) -> Iterator[tuple[str, bytes]]:
    """The first inputs of a target, by name."""
    found: list[tuple[int, bytes]] = []
    rows = [{"text": row, "n": [i, None, {"x": row}]} for i, row in enumerate(ROWS)]
    lines = "".join(json.dumps(row, ensure_ascii=i % 2 == 0) + "\n" for i, row in enumerate(rows)).encode()
    sink = io.StringIO()
    csv.writer(sink).writerows([("id", "text"), *((i, f'{row} "{i}"\n') for i, row in enumerate(ROWS))])
    plain = {TEXTS: TEXT, LINES: lines, ARRAY: json.dumps(rows, indent=1).encode(), TABLE: sink.getvalue().encode()}
    if target == "arrow":
        found = [(form, data) for data in arrow_files() for form in (ARROW, ITEMS, FIELD)]
    elif target == "parquet":
        found = [(form, data) for data in parquet_files() for form in (PARQUET, P_ITEMS, P_FIELD)]
        sink = pa.BufferOutputStream()
        reader = CountTable.count(ROWS).to_arrow()
        parquet.write_table(reader.read_all(), sink)
        found += [(COUNTS, sink.getvalue().to_pybytes())] * 4
    elif target == "csv":
        tabs = "id\ttext\n" + "".join(f'{i}\t{row} "{i}"\n' for i, row in enumerate(ROWS))
        found = [(TABLE, plain[TABLE]), (TABS, tabs.encode())]
    elif target == "jsonl":
        found = [(LINES, lines), (ARRAY, plain[ARRAY])]
    else:
        for form, data in plain.items():
            found.append((form, pack(data, f".{target}")))
            found.append((form, pack(data[:500], f".{target}") + pack(data[500:], f".{target}")))
        found.append((WHOLE, pack(TEXT, f".{target}")))
    for i, (form, data) in enumerate(found):
        for way in (0, SKIPS):
            yield f"{i:03}-{way}", bytes([form, way + ENDINGS.index(ending_of(target))]) + data


def ending_of(target: str) -> str:
    """What is added to the names of the files of a target."""
    return f".{target}" if f".{target}" in ENDINGS else ""


class Found(Exception):
    """Something that must not be."""


def reading_target(folder: Path) -> Callable[[bytes], int]:
    """A file of texts -> an error of ours, or texts that stand in the file, from every call that reads it."""
    place = Path(tempfile.mkdtemp(dir=folder))
    os.chdir(place)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("error")
    tok = spm_lite.byte_tokenizer()
    tok.save("bytes.model")

    def run(data: bytes) -> int:
        for path in place.iterdir():
            if path.name != "bytes.model":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        form, way = data[0] % len(FORMS), data[1] if len(data) > 1 else 0
        name, reading = FORMS[form]
        name += ENDINGS[way % SKIPS % len(ENDINGS)]
        reading = {**reading, "on_error": "skip" if way >= SKIPS else "raise"}
        Path(name).write_bytes(data[2:])
        if form == COUNTS:
            return outcome(lambda: CountTable.load_parquet(name))
        leave_marks()
        number = outcome(lambda: tok.encode_files(name, "ids.npy", num_threads=1, **reading))
        if number == 0:
            check_texts(texts_of("ids", tok), data[2:], form)
        outcomes = [outcome(call) for call in calls(tok, name, reading, form)]
        if zlib.crc32(data) % 4 == 0:  # as slow as all others together
            options: dict[str, Any] = {"orders": (), "num_threads": 1, **reading}
            outcomes.append(outcome(lambda: spm_lite.audit(tok, files=name, **options)))
        return number or next((found for found in outcomes if found), 0)

    return run


def outcome(call: Callable[[], object]) -> int:
    """0, or a number of the error of ours; anything else goes through."""
    try:
        call()
    except SpmLiteError as error:
        reason = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+|\\x..", "", str(error))[:80]
        return 1000 + zlib.crc32(reason.encode("utf-8", "replace"))
    return 0


def calls(tok: spm_lite.Tokenizer, name: str, reading: dict[str, Any], form: int) -> Iterator[Callable[[], object]]:
    """The other calls that take a file, beside `audit`."""
    yield lambda: spm_lite.train(files=name, **reading, **OPTIONS)
    yield lambda: CountTable.count(files=name, num_threads=1, **reading)
    yield lambda: spm_lite.evaluate(tok, files=name, num_threads=1, **reading)
    yield lambda: tok.count_files(name, num_threads=1, **reading)

    def make_shards() -> None:
        plan = shards.plan(name, "out", tok, shard_size=500, **reading)
        plan.run(num_workers=1)
        if not plan.verify(num_workers=1).is_right:
            raise Found("the shards differ from the file")

    yield make_shards
    more = [f"--on-error={reading['on_error']}"]
    more += [f"--column={reading['column']}"] if "column" in reading else []
    more += ["--whole-files"] if form == WHOLE else []
    for command in ("count -m bytes.model", "encode -m bytes.model", "normalize -m bytes.model"):
        yield lambda command=command: shell(*command.split(), name, *more)
    yield lambda: shell("compare", "bytes.model", "bytes.model", name, *more)
    size = ["--vocab-size=270", "--model-type=byte_bpe", "--no-hard-vocab-limit"]
    yield lambda: shell("train", name, *size, "--model-prefix=m", *more)
    yield lambda: shell("shards", "plan", "-m", "bytes.model", name, "-o", "shell", *more)


def shell(*arguments: str) -> None:
    """A command in this process. Raises Found if it ends by an error that is not ours."""
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    try:
        code = main([*arguments])
        said = sys.stderr.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]
    finally:
        sys.stdout, sys.stderr = kept
    if code not in (0, 1, 2) or "error: unexpected " in said or "Traceback" in said:
        raise Found(f"{' '.join(arguments)} ended with {code}: {said[-500:]}")


def texts_of(name: str, tok: spm_lite.Tokenizer) -> list[bytes]:
    """The texts of arrays of ids."""
    ids, ends = np.load(f"{name}.npy").tolist(), np.load(f"{name}.offsets.npy").tolist()
    return [tok.decode_bytes(ids[begin:end]) for begin, end in pairwise(ends)]


def leave_marks() -> None:
    """Fill memory with a mark, and free it."""
    kept: list[Any] = [MARK * (size // len(MARK)) for size in (64, 256, 1 << 10, 1 << 12, 1 << 14) for _ in range(20)]
    for size in (64, 1 << 10, 1 << 12, 1 << 14, 1 << 17):
        buffers = [pa.allocate_buffer(size) for _ in range(8)]
        for buffer in buffers:
            memoryview(buffer).cast("B")[:] = (MARK * (size // len(MARK) + 1))[:size]
        kept += buffers
    del kept


def check_texts(texts: list[bytes], data: bytes, form: int) -> None:
    """Raise Found for a text that the file does not hold."""
    whole = b"\n".join(texts)
    if MARK[:8] in whole:
        raise Found("a text is what stood in memory")
    held = [data, *(unpacked(data, ending) for ending in ENDINGS[1:])]
    if any(one.startswith((b"\xff\xfe", b"\xfe\xff")) or len(one) >= LARGE for one in held):  # UTF-16, or cut off
        return
    if form in (LINES, ARRAY):
        strings = {text for one in held for text in strings_of(one)}
        wrong = [text for text in texts if text not in strings]
    elif form in (TABLE, TABS):  # quotation marks and the CR of line ends go
        bare = [re.sub(rb'["\r\n]', b"", one) for one in held]
        wrong = [text for text in texts if not any(re.sub(rb'["\r\n]', b"", text) in one for one in bare)]
    elif form in (TEXTS, WHOLE) or is_plain(data):
        wrong = [text for text in texts if not any(text in one for one in held)]
    else:
        wrong = []
    if wrong:
        raise Found(f"{len(wrong)} texts do not stand in the file, such as {wrong[0]!r:.300}")


def is_plain(data: bytes) -> bool:
    """Whether a file of columns may hold its texts as they are."""
    try:
        if data.startswith(b"PAR1"):
            kinds = parquet.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0)
            return kinds.compression == "UNCOMPRESSED"
    except Exception:
        return False
    return not any(sign in data for sign in (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"))  # buffers of zstd and LZ4


def strings_of(data: bytes) -> Iterator[bytes]:
    """All that may be a string of JSON, as UTF-8: from any quotation mark to the next."""
    for found in re.finditer(rb'(?=("(?:[^"\\]|\\.)*"))', data, re.DOTALL):
        try:
            yield json.loads(found[1].decode(), strict=False).encode()
        except ValueError:
            continue


def unpacked(data: bytes, ending: str) -> bytes:
    """What data hold, as far as they can be unpacked, by the modules that unpack, byte by byte.

    A changed byte changes the text up to the place where a checksum shows it, and that text is read.
    """
    new: Callable[[], Any] = {
        ".gz": lambda: zlib.decompressobj(31),
        ".bz2": bz2.BZ2Decompressor,
        ".xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
        ".zst": lambda: zstandard.ZstdDecompressor().decompressobj(),
    }[ending]
    found, stream = bytearray(), new()
    most = (1,) if ending in (".bz2", ".xz") else ()
    try:
        for i in range(len(data)):
            if len(found) >= LARGE:
                break
            if stream.eof:
                if data[i] == 0 and ending != ".zst":
                    continue
                stream = new()
            found += stream.decompress(data[i : i + 1], *most)
            while most and not stream.eof and not stream.needs_input and len(found) < LARGE:
                found += stream.decompress(b"", *most)
    except Exception:
        pass
    return bytes(found)
