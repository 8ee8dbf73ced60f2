"""Peak memory of calls on one text, in bytes for each byte of the text: the table of docs/encoding.md. Linux only.

    python tools/bench/memory_of_calls.py MODEL TEXT [--bytes 4000000]

TEXT: a file, which is repeated until it is long enough; or a letter. Each call is a process of its own, which has made
the same call on a short text before. Lattices, of which the memory is large, get a tenth of the text.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite import CountTable, Tokenizer

CALLS: dict[str, Callable[[Tokenizer, str, Any], Any]] = {
    "count": lambda tok, text, ids: tok.count(text),
    "truncate": lambda tok, text, ids: tok.truncate(text, 1000),
    "chunks": lambda tok, text, ids: list(tok.chunks(text, 500)),
    "encode_batch": lambda tok, text, ids: tok.encode_batch([text]),
    "CountTable.count": lambda tok, text, ids: CountTable.count([text]),
    "encode": lambda tok, text, ids: tok.encode(text),
    "growing": lambda tok, text, ids: tok.growing(text),
    "prefix_cache": lambda tok, text, ids: tok.prefix_cache().encode(text),
    "pieces": lambda tok, text, ids: tok.pieces(text),
    "normalize": lambda tok, text, ids: tok.normalize(text),
    "decode": lambda tok, text, ids: tok.decode(ids),
    "spans": lambda tok, text, ids: tok.spans(text),
    "decode_spans": lambda tok, text, ids: tok.decode_spans(ids),
    "align": lambda tok, text, ids: spm_lite.align(tok, spm_lite.byte_tokenizer(), [text]),
    "lattice.entropy": lambda tok, text, ids: tok.lattice.entropy(text),
    "sample": lambda tok, text, ids: tok.sample(text, alpha=0.5, seed=1),
    "nbest 10": lambda tok, text, ids: tok.nbest(text, 10),
    "explain": lambda tok, text, ids: tok.explain(text),
    "encode_chat": lambda tok, text, ids: tok.encode_chat([{"role": "user", "content": text}], TEMPLATE),
    "evaluate": lambda tok, text, ids: spm_lite.evaluate(tok, [text]),
    "audit": lambda tok, text, ids: spm_lite.audit(tok, {"en": [text]}),
    "lines": lambda tok, text, ids: tok.count_files("text.txt"),
    "JSON lines": lambda tok, text, ids: tok.count_files("text.jsonl"),
    "CSV": lambda tok, text, ids: tok.count_files("text.csv"),
    "Parquet": lambda tok, text, ids: tok.count_files("text.parquet"),
}
TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}{% endfor %}"
OF_FILES = ("lines", "JSON lines", "CSV", "Parquet")
OF_LATTICES = {"lattice.entropy", "sample", "nbest 10"}


def status(name: str) -> int:
    """A size of this process in bytes, by its name in /proc."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def write_files(text: str) -> None:
    """Write files with one text, one for each reader. Parquet needs pyarrow."""
    import pyarrow
    from pyarrow import parquet

    Path("text.txt").write_text(text.replace("\n", " "), encoding="utf-8")
    Path("text.jsonl").write_text(json.dumps({"text": text}, ensure_ascii=False), encoding="utf-8")
    with Path("text.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], [text]])
    parquet.write_table(pyarrow.table({"text": [text]}), "text.parquet")


def factor(call: Callable[[Tokenizer, str, Any], Any], tok: Tokenizer, text: str) -> float:
    """Bytes of memory that a call takes for each byte of a text, above the text and its ids."""
    ids = tok.encode_batch([text]).ids
    if call in [CALLS[name] for name in OF_FILES]:
        with ProcessPoolExecutor(1) as pool:  # what writing keeps is not counted
            pool.submit(write_files, text).result()
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = status("VmRSS")
    result = call(tok, text, ids)
    after = status("VmHWM")
    del result
    return (after - before) / len(text.encode())


def text_of(given: str, size: int) -> str:
    """So many bytes of a text."""
    text = given if len(given) == 1 else Path(given).read_text(encoding="utf-8")
    return (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--bytes", type=int, default=4_000_000)
    parser.add_argument("--call", choices=CALLS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.call is None:
        for name in CALLS:
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--call", name], check=True)
        return
    tok, call = Tokenizer.load(given.model), CALLS[given.call]
    text = text_of(given.text, given.bytes // (10 if given.call in OF_LATTICES else 1))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        factor(call, tok, text[:2000])
        print(f"{given.call:<20}{factor(call, tok, text):8.1f}", flush=True)


if __name__ == "__main__":
    main()
