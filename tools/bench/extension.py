"""What more pieces gain and change: models extended by NTREX, as in the page "Change a vocabulary"; and the time.

    python tools/bench/extension.py [--models llama2.model t5_base.model] [--pieces 2000]
    python tools/bench/extension.py --time FILE [--repeat 65]

Needs the shared test data. Lines 1 to 1,500 are learned from, and the tokens of the last 497 are counted. `--time`
trains BPE on a file and extends it by the same, both read `--repeat` times, and compares the seconds.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
N_TRAIN = 1500
SCRIPTS = {"amh": "Ethiopic", "khm": "Khmer", "tha": "Thai"}
OTHERS = ("eng", "deu", "rus", "jpn")


def lines_of(language: str) -> list[str]:
    """The sentences of NTREX in one language."""
    text = (DATA / "corpora" / "parallel" / f"ntrex.{language}.tsv").read_text(encoding="utf-8")
    return [line.partition("\t")[2] for line in text.splitlines() if "\t" in line]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its seconds."""
    begin = time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin


def show_gains(models: list[str], n: int) -> None:
    """Write a row for each model, language and `only`."""
    others = {language: lines_of(language) for language in OTHERS}
    print(f"model language only before after seconds {' '.join(OTHERS)} (changed lines of {len(others['eng']):,})")
    for model in models:
        tok = spm_lite.load(DATA / "models" / model)
        for language, script in SCRIPTS.items():
            lines = lines_of(language)
            for only in (None, script):
                extended, seconds = timed(
                    lambda tok=tok, lines=lines, only=only: tok.extend(lines[:N_TRAIN], n, only=only)
                )
                made = extended.tokenizer
                counts = [int(one.count_batch(lines[N_TRAIN:]).sum()) for one in (tok, made)]
                pairs = [(tok.encode_lists(some), made.encode_lists(some)) for some in others.values()]
                changed = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in pairs]
                print(model, language, only, *counts, f"{seconds:.2f}", *changed, flush=True)


def show_time(file: Path, repeat: int, n: int) -> None:
    """Write the seconds of a training, and of an extension by the same text."""

    def texts() -> Iterator[bytes]:
        for _ in range(repeat):
            with file.open("rb") as lines:
                yield from lines

    tok, seconds = timed(lambda: spm_lite.train(texts(), model_type="bpe", vocab_size=32_000))
    print(f"train {seconds:.1f} s")
    _, more = timed(lambda: tok.extend(texts(), n))
    print(f"extend {more:.1f} s, {more / seconds:.2f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["llama2.model", "t5_base.model"])
    parser.add_argument("--pieces", type=int, default=2000)
    parser.add_argument("--time", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    if options.time is None:
        show_gains(options.models, options.pieces)
    else:
        show_time(options.time, options.repeat, options.pieces)


if __name__ == "__main__":
    main()
