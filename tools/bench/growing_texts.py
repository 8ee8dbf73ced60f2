"""Time of growing texts, and of a prefix cache.

    python tools/bench/growing_texts.py MODEL TEXT

MODEL: a file for `spm_lite.load`. TEXT: at least 1.5 MB of UTF-8. Growing: 200,000 tokens, to which 1,000 are added, on
one thread. Prefix cache: a conversation of 100 turns of 2,000 characters, against `encode_batch` of the same text with
a warm cache of chunks; and texts of 20,000 characters that share nothing, against `encode`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spm_lite

PROMPT, MORE, TURNS, TURN = 200_000, 1_000, 100, 2_000
ROUNDS = 15


def median_ms(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median time of a call, in milliseconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def resident() -> int:
    """Bytes of memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def growing(tok: spm_lite.Tokenizer, text: str) -> None:
    """Append to a long text, branch it, and edit it."""
    prompt = tok.truncate(text, PROMPT)
    rest = text[len(prompt) :]
    piece = tok.truncate(rest, MORE)
    tok.encode(text)
    print(f"encode {PROMPT:,} tokens: {median_ms(lambda: tok.encode(prompt)):.2f} ms")
    before = resident()
    texts = [tok.growing(prompt) for _ in range(200)]
    print(f"memory: {(resident() - before) / sum(map(len, texts)):.1f} bytes a token")
    del texts
    whole = tok.growing(prompt)
    places = iter(range(0, len(rest), len(piece)))

    def append() -> None:
        at = next(places)
        whole.append(rest[at : at + len(piece)])

    print(f"append {MORE:,} tokens: {median_ms(append):.3f} ms; all ids as an array: ", end="")
    print(f"{median_ms(lambda: whole.ids):.4f} ms")
    base = tok.growing(prompt)
    print(f"branch, and append {MORE:,} tokens: {median_ms(lambda: base.branch().append(piece)):.3f} ms")
    before = resident()
    branches = [base.branch() for _ in range(10_000)]
    print(f"10,000 branches: {(resident() - before) / len(branches):.0f} bytes each")
    edited = tok.growing(prompt)
    middle = len(prompt) // 2
    print(
        f"replace 5 characters in the middle: {median_ms(lambda: edited.replace(middle, middle + 5, 'other')):.3f} ms"
    )
    word = "a" * 100_000
    endless = tok.growing(word)
    print(
        f"a word of 100,000 letters: append {median_ms(lambda: endless.append('b'), 5):.2f} ms, "
        f"encode {median_ms(lambda: tok.encode(word + 'b'), 5):.2f} ms"
    )


def prefixes(tok: spm_lite.Tokenizer, text: str) -> None:
    """Encode a conversation turn by turn, and texts that share nothing."""
    cache = tok.prefix_cache()
    tok.encode(text[: TURNS * TURN])
    for turn in range(1, TURNS):
        cache.encode(text[: turn * TURN])
    talk = text[: TURNS * TURN]
    times = []
    for i in range(ROUNDS):  # each last turn is new to the cache
        last = talk[: -TURN - i]
        begin = time.perf_counter()
        cache.encode(last + talk[-TURN:])
        times.append(time.perf_counter() - begin)
    own = statistics.median(times) * 1e3
    anew = median_ms(lambda: tok.encode_batch([talk], num_threads=1))
    print(f"turn {TURNS} of {TURN:,} characters: {own:.3f} ms, encode_batch {anew:.3f} ms: {anew / own:.1f} times")
    parts = [text[i : i + 20_000] for i in range(0, min(len(text), 1_500_000), 20_000)]
    warm = median_ms(lambda: [tok.encode_batch([part], num_threads=1) for part in parts], 5)

    def share_nothing() -> None:
        fresh = tok.prefix_cache()
        for part in parts:
            fresh.encode(part)

    print(f"texts that share nothing, warm: {median_ms(share_nothing, 5) / warm:.2f} times encode_batch")
    data = tok.to_bytes()
    ratios = []
    for _ in range(5):
        first, second = (spm_lite.load(data) for _ in range(2))
        fresh = second.prefix_cache()
        cold = median_ms(lambda own=first: [own.encode_batch([part], num_threads=1) for part in parts], 1)  # type: ignore[misc]
        ratios.append(median_ms(lambda own=fresh: [own.encode(part) for part in parts], 1) / cold)  # type: ignore[misc]
    print(f"the same, cold: {statistics.median(ratios):.2f} times encode_batch")


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("text", type=Path)
    args = parser.parse_args()
    tok, text = spm_lite.load(args.model), args.text.read_text(encoding="utf-8")
    growing(tok, text)
    prefixes(tok, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
