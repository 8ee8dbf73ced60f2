"""Compare the split patterns that are written out in Cython with the published ones, run by the package `regex`.

    python tools/compare/split_patterns.py [--strings 1000000] [--seed 1] [--step 1] [--only NAME...]

Every scalar value is tried alone, and between letters, digits, spaces and apostrophes; then random strings. `regex`
gets the classes of characters that tiktoken has, since it knows a later Unicode. What differs is shown (the first few)
and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from spm_lite.segment.patterns.named import PATTERNS, RULES
from spm_lite.segment.patterns.split_bpe import matches

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from oracle.split_patterns import compiled

FRAMES = ("{}", "a{}b", "1{}2", " {} ", "'{}'")
PARTS = [
    " ", "  ", "   ", "\n", "\r", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x85", "'", "'s", "'S", "'ll",
    "'lL", "'re", "'Ve", "'m", "'d", "'t", "'\u017f", "'l", "a", "B", "ab", "AB", "aB", "Ab", "\u01c5", "\u02b0",
    "\u4e2d", "\u5b57", "\u0e44", "\u0e48", "\u0301", "\u0924", "\u093f", "\u05e9", "1", "12", "123", "\u0663",
    "\u00b2", "\u2167", "!", "?!", "/", "//", "-", "_", "\u3002", "\U0001f30d", "\u200d", "\ufe0f", "\0", "\u2581",
    "\ue000", "\u0378", "\U00031350", "abcdefg", "Abcdefgh", "abcdefghijklmno", "Abcdefghijklmnop", "HELLOWO",
    "HELLOWOR", "WORLDSaa", "`", "{", "@", "[", "z", "Z",
]  # fmt: skip
SHOWN = 5


def every_text(step: int) -> Iterator[str]:
    """Every scalar value, or one in so many, in every frame; each text on its own."""
    for code in range(0, 0x110000, step):
        if not 0xD800 <= code < 0xE000:
            character = chr(code)
            for frame in FRAMES:
                yield frame.format(character)


def random_texts(count: int, seed: int) -> Iterator[str]:
    """Strings of parts near which the patterns cut, one in four with any scalar values."""
    rng = random.Random(seed)
    for _ in range(count):
        parts = rng.choices(PARTS, k=rng.randrange(1, 14))
        if rng.random() < 0.25:
            code = rng.randrange(0x110000 - 0x800)
            parts.insert(rng.randrange(len(parts)), chr(code + 0x800 * (code >= 0xD800)))
        yield "".join(parts)


def compare(name: str, pattern: str, texts: Iterator[str], what: str) -> int:
    """The number of texts that are cut differently."""
    find = compiled(pattern).finditer
    n_texts = n_differences = 0
    begin = time.process_time()
    for text in texts:
        n_texts += 1
        own, other = matches(text.encode(), pattern), [found.group().encode() for found in find(text)]
        if own != other or own != matches(text.encode(), pattern, one_by_one=True):
            n_differences += 1
            if n_differences <= SHOWN:
                print(f"{name}: {text!r}\n  ours   {own}\n  theirs {other}", flush=True)
    seconds = time.process_time() - begin
    print(f"{name}, {what}: {n_texts} texts, {n_differences} differences ({seconds:.0f} CPU seconds)", flush=True)
    return n_differences


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strings", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="one scalar value in so many")
    parser.add_argument("--only", nargs="*", default=())
    args = parser.parse_args()
    names = {pattern: name for name, pattern in reversed(PATTERNS.items())}
    n_differences = 0
    for pattern in RULES:
        name = names.get(pattern, "gpt2 of tokenizers")
        if args.only and name not in args.only:
            continue
        n_differences += compare(name, pattern, every_text(args.step), "scalar values")
        n_differences += compare(name, pattern, random_texts(args.strings, args.seed), "random strings")
    return min(n_differences, 1)


if __name__ == "__main__":
    sys.exit(main())
