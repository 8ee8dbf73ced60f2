"""How long calls of transformers take: with tokenizers inside, and with our engine inside.

    python tools/bench/transformers_calls.py TEXTS FILE ...

FILE: a tokenizer.json, or a folder of transformers. TEXTS: a file, of which the first MB is encoded. Needs
transformers; `datasets.map` is timed where datasets is installed. A row has the best of several runs in
milliseconds, in one process and, apart from `batch`, on one CPU:

    original       the tokenizer as it is
    accelerated    with our engine inside
    native         the same texts in our Tokenizer alone
    ready          the same call over a backend that hands out ready encodings: what transformers itself takes
    ratio          accelerated / (native + ready)
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")

from transformers import AutoTokenizer, PreTrainedTokenizerFast

from spm_lite.transformers import accelerate

LONG, N_LINES = 1_000_000, 1000


class Ready:
    """A backend that hands out encodings which are made already."""

    def __init__(self, backend: Any, texts: list[str]) -> None:
        self._backend = backend
        self._found = backend.encode_batch(texts)
        for one in self._found:
            one.ids  # noqa: B018  made on first use

    def encode_batch(self, *inputs: Any, **options: Any) -> Any:
        return self._found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)


def best(call: Callable[[], object], n: int = 5) -> float:
    """Milliseconds of the fastest of n runs."""
    times = []
    for _ in range(n):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def with_backend(tokenizer: Any, backend: Any) -> Any:
    """A shallow copy with another backend."""
    found = copy.copy(tokenizer)
    found.__dict__ = {**tokenizer.__dict__, "_tokenizer": backend}
    return found


def row(name: str, original: float, ours: float, native: float, ready: float) -> None:
    ratio = f"{ours / (native + ready):6.2f}" if ready else "     -"
    print(f"{name:14}{original:10.1f}{ours:13.2f}{native:10.2f}{ready:9.2f}{ratio}{original / ours:9.1f}x", flush=True)


def compare(path: str, text: str) -> None:
    """Print the rows of one tokenizer."""
    found = Path(path)
    original = (
        AutoTokenizer.from_pretrained(path) if found.is_dir() else PreTrainedTokenizerFast(tokenizer_file=str(found))
    )
    ours = accelerate(original)
    snapshot = ours._tokenizer._current()
    if snapshot.native is None:
        print(f"{path}: not read: {snapshot.refusal}")
        return
    native = snapshot.native
    print(f"\n{path}\n{'':14}{'original':>10}{'accelerated':>13}{'native':>10}{'ready':>9}{'ratio':>6}{'faster':>10}")
    long, lines = text[:LONG], [line for line in text.split("\n") if line][:N_LINES]
    ready = with_backend(ours, Ready(ours._tokenizer, [long]))
    row(
        "long text", best(lambda: original(long), 2), best(lambda: ours(long)), best(lambda: native.encode(long)),
        best(lambda: ready(long)),
    )  # fmt: skip
    ready = with_backend(ours, Ready(ours._tokenizer, lines))
    row(
        "batch", best(lambda: original(lines), 2), best(lambda: ours(lines)), best(lambda: native.encode_lists(lines)),
        best(lambda: ready(lines)),
    )  # fmt: skip
    ready = with_backend(ours, Ready(ours._tokenizer, lines[:1]))
    row(
        "1,000 calls",
        best(lambda: [original(line) for line in lines], 2), best(lambda: [ours(line) for line in lines]),
        best(lambda: [native.encode(line) for line in lines]), best(lambda: [ready(line) for line in lines]),
    )  # fmt: skip
    ids, lists = ours(long)["input_ids"], ours(lines)["input_ids"]
    row(
        "decode",
        best(lambda: original.decode(ids), 2),
        best(lambda: ours.decode(ids)),
        best(lambda: native.decode(ids)),
        0,
    )
    row(
        "batch_decode", best(lambda: original.batch_decode(lists), 2), best(lambda: ours.batch_decode(lists)),
        best(lambda: native.decode_batch(lists)), 0,
    )  # fmt: skip
    mapped(original, ours, text)


def mapped(original: Any, ours: Any, text: str) -> None:
    """Print the row of `datasets.map`, if datasets is installed."""
    try:
        import datasets
    except ImportError:
        return
    datasets.disable_caching()
    datasets.disable_progress_bars()
    table = datasets.Dataset.from_dict({"text": [line for line in text.split("\n") if line][: 20 * N_LINES]})

    def run(tokenizer: Any) -> float:
        return best(
            lambda: table.map(lambda batch: {"input_ids": tokenizer(batch["text"])["input_ids"]}, batched=True), 2
        )

    row("datasets.map", run(original), run(ours), 0, 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", help="a file of text")
    parser.add_argument("files", nargs="+", help="tokenizer.json, or a folder of transformers")
    options = parser.parse_args()
    text = Path(options.texts).read_text(encoding="utf-8")
    for path in options.files:
        compare(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
