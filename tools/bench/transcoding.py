"""What the portable twin of the SSSE3 code costs: str to UTF-8 with and without it, and a whole encoding beside.

    python tools/bench/transcoding.py

Processors without SSSE3, such as ARM, run the twin. Processor time, best of 15, in ns for each byte of UTF-8. The last
column is what encoding such a text takes, warm, with a BPE model of 500 pieces that was trained on it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

import numpy as np
from oracle import native

import spm_lite

RUNS = 15
TEXTS = {  # a sentence, and the bytes of a character in a str of it
    "German": ("Die Bäckerin öffnet früh den Laden über dem Fluss. ", 1),
    "Russian": ("Пекарь открывает лавку, пока солнце не взошло. ", 2),
    "Japanese": ("図書館は朝は静かで、夕方は本を読む人でいっぱいです。", 2),
    "emoji": ("👍 the river 水 😀 rises 🎉 tonight ", 4),
}
CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def best(call: Callable[[], object]) -> float:
    """The least processor time of a call, in seconds."""
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def row(name: str, sentence: str, width: int) -> str:
    """The line of a text."""
    text = sentence * (2_000_000 // len(sentence))
    units = np.frombuffer(text.encode(CODECS[width]), np.uint8)
    nanoseconds = 1e9 / len(text.encode())
    shuffled = best(lambda: native.transcoded(units, width, True)) * nanoseconds
    portable = best(lambda: native.transcoded(units, width, False)) * nanoseconds
    tok = spm_lite.train([sentence] * 50, model_type="bpe", vocab_size=500, hard_vocab_limit=False)
    tok.count(text)
    encoding = best(lambda: tok.count(text)) * nanoseconds
    return f"{name:<9}{shuffled:>7.3f}{portable:>7.3f}{portable / shuffled:>8.2f}{encoding:>11.2f}"


def main() -> None:
    """Print a row for each text."""
    native.load()
    print("text       SSSE3   twin   ratio   encoding")
    for name, (sentence, width) in TEXTS.items():
        print(row(name, sentence, width))


if __name__ == "__main__":
    main()
