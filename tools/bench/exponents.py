"""How the time of each call grows with its text: the exponent k of time ~ size ** k, for hostile shapes of text.

    python tools/bench/exponents.py [MODEL...] [--corpus FILE] [--most 1000000] [--calls WORD] [--models WORD]
        [--shapes WORD] [--all]

It prints the exponents above 1.2, and ends with 1 if there are any. A size doubles until a call takes a tenth of a
second of CPU time and four times that of the shortest text, or has `--most` bytes. The exponent comes from that size
and its fourth part. One that is too high is measured again, with the best of three, and then over three doublings of
the text: memory that no cache holds raises one or two of them. Their median counts, so work that grows faster stays.
Where texts take little more than the shortest one, that time is subtracted. Freed memory stays with the process: new
pages from the system cost more than the work on them.

MODEL: files for `spm_lite.load` beside the models that are trained here. WORD: only what has this word in its name.
--all: prints every exponent; it is 0 where a call is too fast to tell.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import importlib
import io
import json
import logging
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import spm_lite

BOUND = 1.2
FIRST = 500  # bytes; the shortest text has twice as many: a cubic call ends on it
LONG = 0.1  # seconds of CPU time after which a text is long enough
SHORT = 0.02  # a call that takes less on the longest text is fast, whatever its exponent
LEAST = 1e-6  # seconds: no time is less
ENOUGH = 2.0  # seconds after which a text is not doubled again
LIMIT = 300  # ids of `truncate`, `chunks` and `count`
DOCS = Path(__file__).parents[2] / "docs"
MALLOC_TRIM, MALLOC_MMAPS = -1, -4  # options of `mallopt`: free memory that is given back, blocks outside the heap
ALPHABETS = ((0x20, 0x7E), (0xC0, 0x24F), (0x300, 0x36F), (0xE01, 0xE3A), (0x4E00, 0x4FFF), (0x1F600, 0x1F64F))

Call = Callable[[], object]  # what is timed
Maker = Callable[[Any, str], Call]  # of a tokenizer and a text, what is timed; the preparation is not


def repeated(unit: str) -> Callable[[int], str]:
    """A text of so many bytes that repeats a unit."""
    return lambda size: unit * (size // len(unit.encode()))


def long_match(size: int) -> str:
    """Random small letters, one match of every split pattern."""
    return "".join(random.Random(1).choices("etaoinshrdlu", k=size))


def random_text(size: int) -> str:
    """Characters of several scripts, with marks and signs."""
    source, found, n_bytes = random.Random(2), [], 0
    while n_bytes < size:
        found.append(chr(source.randint(*source.choice(ALPHABETS))))
        n_bytes += len(found[-1].encode())
    return "".join(found)


def real_text(lines: list[str], size: int) -> str:
    """Lines of a corpus in a random order."""
    source, found, n_bytes = random.Random(3), [], 0
    while n_bytes < size:
        found.append(source.choice(lines))
        n_bytes += len(found[-1].encode()) + 1
    return "\n".join(found)


def shapes(lines: list[str]) -> dict[str, Callable[[int], str]]:
    """Texts of a size in bytes, by name."""
    made = {
        "a": repeated("a"),
        "ab": repeated("ab"),
        "spaces": repeated(" "),
        "combining marks": lambda size: "e" + repeated("\u0301")(size),
        "marks to sort": lambda size: "e" + repeated("\u0301\u0323")(size),
        "ZWJ": repeated("👩\u200d"),
        "digits": repeated("0123456789"),
        "U+2581": repeated("\u2581"),
        "one long match": long_match,
        "random": random_text,
        "real": partial(real_text, lines),
        "line ends": repeated("\n"),
        "white space": repeated(" \n"),
        "case": repeated("aB"),
        "stops": repeated(".)"),
    }
    return {name: functools.lru_cache(32)(make) for name, make in made.items()}


def models(lines: list[str], files: list[str], word: str) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """Small models of every type and of every way to cut a text, and those of files, with `word` in the name."""
    own = r"\p{L}+|\p{N}|[^\p{L}\p{N}\s]+|\s+(?!\S)|\s+"
    options: dict[str, dict[str, Any]] = {
        "byte_bpe": {"model_type": "byte_bpe"},
        **{
            f"{name} pattern": {"model_type": "byte_bpe", "split_pattern": name}
            for name in ("gpt2", "llama3", "o200k_base")
        },
        "own pattern": {"model_type": "byte_bpe", "split_pattern": own},
        "unigram": {},
        "unigram, own pattern": {"split_pattern": r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s"},
        "unigram, graphemes": {"graphemes": True},
        "unigram, nmt_nfkc": {"normalization": "nmt_nfkc", "byte_fallback": True, "lossless": False},
        "bpe": {"model_type": "bpe"},
        "bpe, nfkc": {"model_type": "bpe", "normalization": "nfkc", "lossless": False},
        "bpe, nfkc, unknown characters": {
            "model_type": "bpe",
            "normalization": "nfkc",
            "lossless": False,
            "byte_fallback": False,
        },
        "wordpiece": {"model_type": "wordpiece"},
        "wordpiece, nfc": {"model_type": "wordpiece", "normalization": "nfc"},
        "wordpiece, long words": {"model_type": "wordpiece", "max_word_length": 10**6},
        "superwords": {"model_type": "byte_bpe", "superwords": 0.8},
        "word": {"model_type": "word"},
        "char": {"model_type": "char"},
    }
    for name, chosen in options.items():
        if word in name:
            yield name, spm_lite.train(lines, vocab_size=2_000, hard_vocab_limit=False, num_threads=1, **chosen)
    yield from ((path, spm_lite.load(path)) for path in files if word in path)


def streamed(tok: spm_lite.Tokenizer, text: str, **options: Any) -> Call:
    """All ids through a stream, one by one."""
    ids = tok.encode(text)

    def push() -> None:
        stream = tok.stream(**options)
        for piece_id in ids:
            stream.push(piece_id)
        stream.flush()

    return push


def streamed_spans(tok: spm_lite.Tokenizer, text: str) -> Call:
    """The same with the place of each id."""
    ids = tok.encode(text)

    def push() -> None:
        stream = tok.stream()
        for piece_id in ids:
            stream.push_spans([piece_id])
        stream.flush_spans()

    return push


def grown(tok: spm_lite.Tokenizer, text: str) -> Call:
    """A text that grows in eight parts, is edited in its middle, and truncated."""
    step = len(text) // 8 + 1

    def grow() -> None:
        growing = tok.growing()
        for k in range(0, len(text), step):
            growing.append(text[k : k + step])
        growing.replace(len(text) // 2, len(text) // 2 + 1, "x")
        growing.truncate(len(text) // 2)
        _ = growing.ids

    return grow


def of_text(method: str, *arguments: Any, **options: Any) -> Maker:
    """A method of the tokenizer that takes the text first."""
    return lambda tok, text: lambda: getattr(tok, method)(text, *arguments, **options)


def of_ids(method: str, **options: Any) -> Maker:
    """A method that takes the ids of the text."""

    def make(tok: Any, text: str) -> Call:
        ids = tok.encode(text)
        return lambda: getattr(tok, method)(ids, **options)

    return make


def half(tok: Any, text: str) -> Call:
    """Half of the ids are kept."""
    n = len(tok.encode(text)) // 2
    return lambda: tok.truncate(text, n)


def less_one(tok: Any, text: str) -> Call:
    """All ids but one are kept, after words: a run that is one unknown id must go as a whole."""
    text = "x y z " + text
    n = max(len(tok.encode(text)) - 1, 0)
    return lambda: tok.truncate(text, n)


def cut(boundary: str | None, overlap: int = 0) -> Maker:
    """All spans of `chunks`."""
    return lambda tok, text: lambda: list(tok.chunks(text, LIMIT, boundary=boundary, overlap=overlap))


def calls() -> dict[str, Maker]:
    """What a tokenizer does with a text, by name."""
    found: dict[str, Maker] = {
        "encode": of_text("encode"),
        "encode bytes": lambda tok, text: lambda: tok.encode(text.encode()),
        "encode_batch": lambda tok, text: lambda: tok.encode_batch([text], num_threads=1),
        "encode_segments": lambda tok, text: lambda: tok.encode_segments([text]),
        "prefix_cache": lambda tok, text: lambda: tok.prefix_cache().encode(text),
        "count": of_text("count"),
        "count(limit=)": of_text("count", limit=LIMIT),
        "count(limit=half)": lambda tok, text: partial(tok.count, text, limit=len(tok.encode(text)) // 2),
        "truncate": of_text("truncate", LIMIT),
        "truncate to half": half,
        "truncate by one": less_one,
        "pieces": of_text("pieces"),
        "spans": of_text("spans"),
        "normalize": of_text("normalize"),
        "decode": of_ids("decode"),
        "decode_bytes": of_ids("decode_bytes"),
        "decode_spans": of_ids("decode_spans"),
        "is_canonical": of_ids("is_canonical"),
        "nbest": of_text("nbest", 3),
        "sample": of_text("sample", seed=1),
        "sample(nbest_size=)": of_text("sample", nbest_size=3, seed=1),
        "sample(dropout=)": of_text("sample", dropout=0.1, seed=1),
        "entropy": lambda tok, text: lambda: tok.lattice.entropy(text),
        "log_prob": lambda tok, text: lambda: tok.lattice.log_prob(text),
        "expected_counts": lambda tok, text: lambda: tok.lattice.expected_counts(text),
        "samples without replacement": lambda tok, text: lambda: tok.lattice.samples(text, 2, replace=False, seed=1),
        "show": lambda tok, text: lambda: tok.show(text, width=80, color=False, limit=len(text)),
        "explain": lambda tok, text: lambda: str(tok.explain(text)),
        "stream": streamed,
        "stream with stops": partial(streamed, stop=["aaab", "\n\n\n\nUser", "0123x"]),
        "stream of spans": streamed_spans,
        "growing": grown,
        "roundtrip_report": lambda tok, text: lambda: str(tok.roundtrip_report([text])),
        "align": lambda tok, text: lambda: spm_lite.align(tok, spm_lite.byte_tokenizer(), [text], num_threads=1),
        "audit": lambda tok, text: lambda: spm_lite.audit({"t": tok}, {"x": text.split("\n")}, num_threads=1),
    }
    for boundary in (None, "word", "line", "sentence", "grapheme"):
        found[f"truncate at {boundary}"] = of_text("truncate", LIMIT, boundary=boundary)
        found[f"chunks at {boundary}"] = cut(boundary)
        found[f"chunks at {boundary}, overlap"] = cut(boundary, 20)
    return found


def of_file(name: str, data: Callable[[str], str | bytes], **options: Any) -> Maker:
    """A file that is read: what its text is made of `data`."""

    def make(tok: Any, text: str) -> Call:
        path = Path(tempfile.gettempdir()) / f"exponents-{name}"
        content = data(text)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return lambda: tok.count_files(str(path), num_threads=1, **options)

    return make


def packed(codec: str) -> Callable[[str], bytes]:
    """What compresses a text with a codec."""
    return lambda text: importlib.import_module(codec).compress(text.encode())


def table(kind: str) -> Callable[[str], bytes]:
    """What makes an Arrow or Parquet file of one row of a text."""

    def make(text: str) -> bytes:
        import pyarrow
        from pyarrow import feather, parquet

        write = parquet.write_table if kind == "parquet" else feather.write_feather
        made = io.BytesIO()
        write(pyarrow.table({"text": [text]}), made)
        return made.getvalue()

    return make


def loaded(data: Callable[[str], str]) -> Maker:
    """A tokenizer file that is loaded; it may be refused."""
    return lambda tok, text: partial(spm_lite.load, data(text).encode(), format="tokenizer.json")


def json_with(**parts: Any) -> str:
    """A small tokenizer.json."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [], **parts.pop("model", {})}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, **parts})


def added(text: str) -> list[dict[str, Any]]:
    """An added token for each ten bytes of a text."""
    return [{"id": 2 + k, "content": f"<{k}>", "special": k % 2 == 0} for k in range(len(text) // 10)]


def deep(text: str, left: str, right: str) -> str:
    """JSON as deep as the text is long."""
    return left * (len(text) // len(left + right)) + "1" + right * (len(text) // len(left + right))


def readers() -> dict[str, Maker]:
    """What reads files, by name; texts are one endless line."""
    return {
        "text file": of_file("x.txt", str),
        "JSON lines": of_file("x.jsonl", lambda text: json.dumps({"text": text})),
        "JSON lines, escaped": of_file("e.jsonl", lambda text: json.dumps({"text": text.replace("a", "\\")})),
        "JSON array": of_file("x.json", lambda text: json.dumps([{"text": text}]), column="text"),
        "JSON, one line without end": of_file(
            "y.jsonl", lambda text: '{"text": "' + text.replace("\n", " "), on_error="skip"
        ),
        "JSON, deep lists": of_file(
            "z.jsonl", lambda text: '{"text": "a", "b": ' + deep(text, "[", "]") + "}", on_error="skip"
        ),
        "JSON, deep objects": of_file(
            "w.json", lambda text: "[" + deep(text, '{"b":', "}") + "]", column="text", on_error="skip"
        ),
        "CSV": of_file("x.csv", lambda text: "text\n" + '"' + text.replace('"', "") + '"\n', column="text"),
        "CSV, open quote": of_file(
            "y.csv", lambda text: 'text\n"' + text.replace('"', ""), column="text", on_error="skip"
        ),
        "TSV": of_file("x.tsv", lambda text: "text\n" + text.replace("\n", " ") + "\n", column="text"),
        "gzip": of_file("x.txt.gz", packed("gzip")),
        "bzip2": of_file("x.txt.bz2", packed("bz2")),
        "xz": of_file("x.txt.xz", packed("lzma")),
        "zstd": of_file("x.txt.zst", packed("zstandard")),
        "Arrow": of_file("x.arrow", table("arrow"), column="text"),
        "Parquet": of_file("x.parquet", table("parquet"), column="text"),
        "load: long piece": loaded(lambda text: json_with(model={"vocab": {"a": 0, "b": 1, text: 2}})),
        "load: added tokens": loaded(lambda text: json_with(added_tokens=added(text))),
        "load: long added token": loaded(
            lambda text: json_with(added_tokens=[{"id": 2, "content": text, "special": True}])
        ),
        "load: deep JSON": loaded(lambda text: deep(text, '{"a":', "}")),
    }


def keep_memory() -> None:
    """Let the heap keep what is freed, where it is that of glibc."""
    with contextlib.suppress(OSError, TypeError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(MALLOC_TRIM, 2**31 - 1)
        libc.mallopt(MALLOC_MMAPS, 0)


def seconds(call: Call, tok: Any, n_times: int = 1) -> float:
    """The least CPU time of a call; a text that is refused counts too."""
    times = []
    for _ in range(n_times):
        if tok is not None:
            tok.clear_cache()
        begin = time.process_time()
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # `show` prints
                call()
        except spm_lite.OptionError as error:
            if "model" in str(error):  # another type of model has this method
                raise
        except spm_lite.SpmLiteError:
            pass
        times.append(time.process_time() - begin)
    return min(times)


def growth(make: Maker, tok: Any, shape: Callable[[int], str], size: int, fixed: float, n_times: int = 1) -> float:
    """The exponent between a fourth of a size and the size. fixed: seconds that a text of any size takes."""
    less, spent = (seconds(make(tok, shape(n)), tok, n_times) - fixed for n in (size // 4, size))
    return math.log(max(spent, LEAST) / max(less, LEAST), 4)


def exponent(make: Maker, tok: Any, shape: Callable[[int], str], most: int) -> tuple[float, float, int]:
    """The exponent of a call, 0 if it is too fast to tell; with the seconds and the size of the longest text."""
    size, first, spent = FIRST, 0.0, 0.0
    while spent < max(LONG, 4 * first) and 2 * size <= most:
        size *= 2
        spent = seconds(make(tok, shape(size)), tok)
        first = first or spent
    fixed = 0.0
    if spent < 4 * first:  # what each text takes would hide how the rest grows
        fixed = seconds(make(tok, shape(2 * FIRST)), tok, 3)
    if spent - fixed < max(SHORT, fixed / 4) or size < 4 * FIRST:
        return math.inf if spent >= SHORT and size < 4 * FIRST else 0.0, spent, size
    found = growth(make, tok, shape, size, fixed)
    if found > BOUND:
        found = growth(make, tok, shape, size, fixed, 3)
    if found > BOUND:
        return settled(make, tok, shape, size, fixed)
    return found, spent, size


def settled(make: Maker, tok: Any, shape: Callable[[int], str], size: int, fixed: float) -> tuple[float, float, int]:
    """The median exponent of up to three doublings from a size on, with the seconds and the size of the longest text.

    Each time is the best of three: the first call on a text of a new size pays for the pages of its memory.
    """
    found: list[float] = []
    spent = seconds(make(tok, shape(size)), tok, 3)
    while not found or (len(found) < 3 and spent < ENOUGH):
        size, less = 2 * size, spent
        spent = seconds(make(tok, shape(size)), tok, 3)
        found.append(math.log2(max(spent - fixed, LEAST) / max(less - fixed, LEAST)))
    return statistics.median(found), spent, size


def measure(name: str, tok: Any, made: dict[str, Maker], options: argparse.Namespace) -> int:
    """Print the exponents of calls; return how many are too high."""
    n_high = 0
    for call, make in made.items():
        if options.calls not in call:
            continue
        for shape, text in shapes(options.lines).items():
            if options.shapes not in shape:
                continue
            try:
                found, spent, size = exponent(make, tok, text, options.most)
            except spm_lite.OptionError as error:
                if options.all:
                    print(f"    -  {name}: {call}: {error}")
                break
            is_high = found > BOUND
            n_high += is_high
            if is_high or options.all:
                print(f"{found:5.2f}  {name}: {call}: {shape}, {spent:.3f} s for {size:,} bytes", flush=True)
    return n_high


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="MODEL")
    parser.add_argument("--corpus", type=Path, help="UTF-8 text; without it, the documentation")
    parser.add_argument("--most", type=int, default=1_000_000, help="bytes of the longest text")
    for name in ("calls", "models", "shapes"):
        parser.add_argument(f"--{name}", default="", metavar="WORD")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    keep_memory()
    logging.disable()  # of records that are left out
    pages = [options.corpus] if options.corpus else sorted(DOCS.rglob("*.md"))
    options.lines = [line for page in pages for line in page.read_text(encoding="utf-8").split("\n") if line]
    n_high = 0
    for name, tok in models(options.lines[:20_000], options.files, options.models):
        n_high += measure(name, tok, calls(), options)
    if options.models in "files":
        n_high += measure("files", spm_lite.byte_tokenizer(), readers(), options)
    print(f"{n_high} exponents above {BOUND}")
    return n_high > 0


if __name__ == "__main__":
    sys.exit(main())
